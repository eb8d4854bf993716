import {
  type Inspection,
  type Message,
  MessageType,
  NONE,
  ProgressState,
  type ProgressView,
  Role,
} from '../../../../src/raft/index.ts';
import { holds } from '../disk.ts';
import { type Cause, type Facts, must, type NodeFacts, shortId } from './facts.ts';
import { termIn } from './log.ts';
import { isQuorum, isVoter } from './members.ts';

/** What a leader believes about its peers is true (A12). */
export function checkProgress(facts: Facts, node: NodeFacts, cause: Cause, after: Inspection): void {
  if (after.role !== Role.Leader) return;
  const before = node.view;
  // A change of members may take a peer away and bring it back.
  const stays = before.role === Role.Leader && before.term === after.term && cause.kind === 'message';
  for (const peer of after.progress) {
    const text = (): string => `${shortId(node.id)} about ${shortId(peer.id)}: ${JSON.stringify(peer)}`;
    must(peer.match < peer.next, 'progress: match below next', text);
    must(peer.next <= after.lastIndex + 1 || peer.state === ProgressState.Snapshot, 'progress: next in the log', text);
    checkWindow(facts, peer, text);
    checkMatch(facts, after, peer, text);
    const known = stays ? before.progress.find(({ id }) => id === peer.id) : undefined;
    must(known === undefined || known.match <= peer.match, 'progress: match never falls', text);
  }
}

/** More than any entry's data here, so that one message more than the limit is allowed for. */
const LARGEST_DATA_BYTES = 64;

function checkWindow({ rules }: Facts, peer: ProgressView, text: () => string): void {
  const largest = Math.max(rules.maxSizePerMsgBytes, LARGEST_DATA_BYTES);
  must(peer.inflightMsgs <= rules.maxInflightMsgs, 'progress: window of messages', text);
  must(peer.inflightMsgs > 0 || peer.inflightBytes === 0, 'progress: window of bytes', text);
  must(peer.inflightBytes < rules.maxInflightBytes + largest, 'progress: window of bytes', text);
}

function checkMatch(facts: Facts, leader: Inspection, peer: ProgressView, text: () => string): void {
  const durable = facts.nodes.get(peer.id)?.durable;
  if (durable === undefined || durable.hardState.term > leader.term || peer.match < leader.firstIndex) return;
  // Of itself a new leader assumes all: entries of earlier terms do not count before one of its own does.
  if (peer.id === leader.id && termIn(leader, peer.match) < leader.term) return;
  must(holds(durable, peer.match, termIn(leader, peer.match)), 'acknowledged is durable', text);
}

/** Notes who a leader hears from. */
export function noteContact(node: NodeFacts, { type, term, from }: Message): void {
  const { view } = node;
  if (view.role !== Role.Leader || term !== view.term) return;
  if (type !== MessageType.AppResp && type !== MessageType.HeartbeatResp) return;
  node.contacts.set(from, Math.max(node.leadTicks, node.contacts.get(from) ?? 0));
}

export function checkLeaderTime(facts: Facts, node: NodeFacts, cause: Cause, after: Inspection): void {
  if (after.role !== Role.Leader) {
    node.transferTicks = 0;
    return;
  }
  const { electionTick, checkQuorum } = facts.rules;
  const name = shortId(node.id);
  const ticks = cause.kind === 'tick' ? cause.count : 0;
  const { leadTransferee } = after;
  const begins = leadTransferee !== NONE && leadTransferee !== node.view.leadTransferee;
  // A transfer that begins starts the count to the next check anew: until then all that was heard stays fresh.
  if (begins) {
    for (const [id, at] of node.contacts) node.contacts.set(id, at + electionTick);
    node.membersSince += electionTick;
  }
  node.leadTicks += ticks;
  if (ticks > 0) node.lastStride = ticks;
  if (ticks > 0 && checkQuorum && node.leadTicks - node.membersSince > 2 * electionTick) {
    const heard = (id: string): boolean => {
      const at = node.contacts.get(id);
      return id === node.id || (at !== undefined && at > node.leadTicks - 2 * electionTick - ticks);
    };
    must(isQuorum(node.members, heard), 'a leader without a quorum resigns', () => name);
  }
  const isWrong = leadTransferee !== NONE && isVoter(node.members, node.id) && !isVoter(node.members, leadTransferee);
  must(!isWrong, 'transfers go to voters', () => `${name} to ${shortId(leadTransferee)}`);
  node.transferTicks = begins || leadTransferee === NONE ? 0 : node.transferTicks + ticks;
  must(node.transferTicks <= electionTick, 'a transfer ends in time', () => name);
}

/** A leader refuses payload beyond its quota, and nothing else (A18). */
export function checkQuota(facts: Facts, node: NodeFacts, cause: Cause, before: Inspection): void {
  if (cause.kind !== 'propose' || before.role !== Role.Leader || node.inheritedPayload) return;
  const { maxUncommittedSizeBytes: max } = facts.rules;
  let waiting = 0;
  for (const { index, data, term } of before.entries) {
    if (index <= before.applied || term !== before.term || data === null) continue;
    waiting += data instanceof Uint8Array ? data.length : data.sizeBytes;
  }
  const tooMuch = waiting > 0 && cause.sizeBytes > 0 && waiting + cause.sizeBytes > max;
  const isFree = before.leadTransferee === NONE && before.progress.some(({ id }) => id === node.id);
  must(
    (cause.result !== null) === (tooMuch || !isFree),
    'proposals are taken or refused by rule',
    () => `${shortId(node.id)} has ${waiting} bytes, gets ${cause.sizeBytes}: ${cause.result}`,
  );
}

/** Messages only a leader sends. */
export function checkFromLeader(facts: Facts, node: NodeFacts, message: Message): void {
  const { type, to, term } = message;
  const { view } = node;
  if (view.role !== Role.Leader || view.term !== term) return;
  // A message may leave long after it was meant: rules of a transfer hold while it is under way.
  const transfers = type === MessageType.TimeoutNow && view.leadTransferee === to;
  const peer = facts.nodes.get(to)?.durable;
  if (peer === undefined) return;
  const text = (): string => `${shortId(node.id)} to ${shortId(to)}`;
  if (type === MessageType.Heartbeat && peer.hardState.term <= term && message.commit >= view.firstIndex) {
    must(holds(peer, message.commit, termIn(view, message.commit)), 'heartbeats commit what is acknowledged', text);
  } else if (type === MessageType.Snap) {
    const answeredAt = node.contacts.get(to) ?? -Infinity;
    // It may have waited to leave since the Ready before. With a check of the quorum, what was heard before the last
    // check does not count any more.
    const since = facts.rules.checkQuorum
      ? node.ticksBefore - 2 * facts.rules.electionTick - node.lastStride
      : -Infinity;
    must(answeredAt > since, 'snapshots go to peers that answer', text);
    const { index, term: snapTerm } = message.snapshot!;
    const known = facts.committed.get(index);
    must(index <= facts.commitIndex && (known?.entry.term ?? snapTerm) === snapTerm, 'snapshots hold commits', text);
  } else if (transfers) {
    must(isVoter(node.members, to), 'transfers go to voters', text);
    // It was written after the Ready before the one it leaves with, when the log reached at least so far.
    const last = node.lastBefore;
    const full = peer.hardState.term > term || last > view.lastIndex || last < view.firstIndex;
    must(full || holds(peer, last, termIn(view, last)), 'transfers go to full logs', text);
  }
}
