import {
  EntryType,
  type Inspection,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  Role,
} from '../../../../src/raft/index.ts';
import { type Cause, type Facts, must, type NodeFacts, shortId } from './facts.ts';
import { checkCompleteness } from './log.ts';
import { isQuorum, isVoter } from './members.ts';

const TRANSFER = 'CampaignTransfer';

function isTransfer({ context }: Message): boolean {
  return context !== null && String.fromCharCode(...context) === TRANSFER;
}

function isVoteRequest({ type }: Message): boolean {
  return type === MessageType.Vote || type === MessageType.PreVote;
}

/** A voter that hears from a leader ignores whoever asks to replace it. */
function underLease(facts: Facts, node: NodeFacts, before: Inspection): boolean {
  const { checkQuorum, electionTick } = facts.rules;
  return checkQuorum && before.lead !== NONE && (before.role === Role.Leader || node.quiet < electionTick);
}

/** Notes what an arriving message allows its receiver to answer, before it acts; true if it may give its vote. */
export function noteRequest(facts: Facts, node: NodeFacts, message: Message): boolean {
  const { type, term, from } = message;
  const { view } = node;
  if (!isVoteRequest(message)) return false;
  const lastTerm = view.entries.at(-1)?.term ?? node.durable.baseTerm;
  const upToDate = message.logTerm > lastTerm || (message.logTerm === lastTerm && message.index >= view.lastIndex);
  if (!upToDate || (term > view.term && !isTransfer(message) && underLease(facts, node, view))) return false;
  const free = view.vote === from || (view.vote === NONE && view.lead === NONE);
  if (term < view.term || (term === view.term && !free)) return false;
  facts.grantable.add(`${type}:${term}:${node.id}:${from}`);
  return type === MessageType.Vote;
}

/** One vote a term, durable before it is told, and only for a log as recent as one's own (Raft, section 5.2, 5.4.1). */
export function checkVoteAnswer(facts: Facts, node: NodeFacts, { type, term, to, reject }: Message): void {
  if (reject) return;
  const request = type === MessageType.VoteResp ? MessageType.Vote : MessageType.PreVote;
  if (to !== node.id) {
    must(
      facts.grantable.has(`${request}:${term}:${node.id}:${to}`),
      'votes go to recent logs outside a lease',
      () => `${shortId(node.id)} grants ${shortId(to)} term ${term}`,
    );
  }
  if (type === MessageType.VoteResp) noteVote(facts, node, term, to);
}

function noteVote(facts: Facts, node: NodeFacts, term: number, to: string): void {
  const { hardState } = node.durable;
  must(
    hardState.term > term || (hardState.term === term && hardState.vote === to),
    'durable before answering',
    () => `${shortId(node.id)} tells its vote of term ${term} early`,
  );
  const key = `${term}:${node.id}`;
  const given = facts.votes.get(key);
  must(given === undefined || given === to, 'one vote a term', () => `${shortId(node.id)} votes twice in ${term}`);
  facts.votes.set(key, to);
}

/** Notes answers that reach a candidate. */
export function noteAnswer(node: NodeFacts, { type, term, from, reject }: Message): void {
  if (reject) return;
  if (type === MessageType.VoteResp) node.granted.add(`${term}:${from}`);
  if (type === MessageType.PreVoteResp) node.preGranted.set(from, Math.max(term, node.preGranted.get(from) ?? 0));
}

export function checkRoles(facts: Facts, node: NodeFacts, cause: Cause, before: Inspection, after: Inspection): void {
  if (after.role === Role.Leader && (before.role !== Role.Leader || before.term !== after.term)) {
    checkWin(facts, node, after);
  }
  const stands = after.role === Role.Candidate || (after.role === Role.Leader && before.term < after.term);
  if (stands && before.term < after.term) checkCandidacy(facts, node, cause, after);
  if (isStanding(after) && !isStanding(before)) checkMayStand(node, after);
  must(
    after.role !== Role.PreCandidate || after.term === before.term,
    'a pre-candidate starts no term',
    () => `${shortId(node.id)} moves to ${after.term}`,
  );
  if (isStanding(after) && cause.kind === 'tick' && (after.term > before.term || !isStanding(before))) {
    must(
      node.quiet + cause.count >= facts.rules.electionTick,
      'patience with a leader',
      () => `${shortId(node.id)} stands after ${node.quiet} + ${cause.count} ticks`,
    );
  }
}

export function isStanding({ role }: Inspection): boolean {
  return role === Role.Candidate || role === Role.PreCandidate;
}

function checkWin(facts: Facts, node: NodeFacts, after: Inspection): void {
  const { term, id } = after;
  const other = facts.leaders.get(term);
  must(other === undefined || other === id, 'election safety', () => `two leaders in term ${term}`);
  facts.leaders.set(term, id);
  facts.topLeaderTerm = Math.max(facts.topLeaderTerm, term);
  const { hardState } = node.durable;
  must(
    isQuorum(node.members, (voter) =>
      voter === id ? hardState.term === term && hardState.vote === id : node.granted.has(`${term}:${voter}`),
    ),
    'an election is won by votes of voters',
    () => `${shortId(id)} leads term ${term} by ${[...node.granted].join()} in ${JSON.stringify(node.members)}`,
  );
  checkCompleteness(facts, node, after);
  must(
    after.entries.at(-1)?.term === term,
    'a leader begins with an entry of its own',
    () => `${shortId(id)} in ${term}`,
  );
  node.leadTicks = 0;
  node.ticksTaken = 0;
  node.ticksBefore = 0;
  node.membersSince = 0;
  node.transferTicks = 0;
  node.contacts.clear();
}

/** With pre-vote only a quorum that agrees makes a node raise the term, or a leader that departs. */
function checkCandidacy(facts: Facts, node: NodeFacts, cause: Cause, { term, id }: Inspection): void {
  if (!facts.rules.preVote) return;
  if (cause.kind === 'message' && cause.message.type === MessageType.TimeoutNow) return;
  // Grants name the term that was asked for. As in etcd, late ones of the round before count, and so do those of a
  // round that a crash made the node forget.
  const asked = new Set<NodeId>();
  for (const [voter, granted] of node.preGranted) if (granted >= term - 1) asked.add(voter);
  must(
    isQuorum(node.members, (voter) => voter === id || asked.has(voter)),
    'no candidate without pre-votes',
    () => `${shortId(id)} stands in term ${term}`,
  );
}

function checkMayStand(node: NodeFacts, after: Inspection): void {
  const name = shortId(node.id);
  must(isVoter(node.members, node.id), 'only voters stand', () => `${name} stands`);
  const pending = after.entries.some(
    ({ type, index }) => type !== EntryType.Normal && index > after.applied && index <= after.commit,
  );
  must(!pending, 'no candidate before it applied changes of members', () => `${name} stands`);
}

/** Terms compared (A8), and what every role does with requests and leaders of its term. */
export function checkMessage(
  facts: Facts,
  node: NodeFacts,
  message: Message,
  before: Inspection,
  after: Inspection,
): void {
  const { type, term, from } = message;
  if (term === 0 || from === node.id) return;
  const name = `${shortId(node.id)} on a message of term ${term}`;
  const isStill = before.term === after.term && before.vote === after.vote && before.role === after.role;
  if (isVoteRequest(message) && term > before.term && !isTransfer(message) && underLease(facts, node, before)) {
    must(isStill, 'a lease protects its leader', () => name);
    return;
  }
  if (type === MessageType.PreVote) {
    must(isStill && before.lead === after.lead, 'a pre-vote changes nothing', () => name);
  } else if (term < before.term) {
    const same = isStill && before.commit === after.commit && before.lastIndex === after.lastIndex;
    must(same && before.lead === after.lead, 'old terms change nothing', () => name);
  } else if (type !== MessageType.PreVoteResp || message.reject) {
    must(after.term >= term, 'higher terms are adopted', () => name);
  }
  const fromLeader = type === MessageType.App || type === MessageType.Heartbeat || type === MessageType.Snap;
  if (fromLeader && term >= before.term) {
    must(after.role === Role.Follower && after.lead === from, 'leaders are followed', () => name);
  }
}
