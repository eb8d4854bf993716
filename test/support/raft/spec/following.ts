import {
  EntryType,
  entrySize,
  type Inspection,
  type Message,
  MessageType,
  NONE,
  Role,
} from '../../../../src/raft/index.ts';
import { holds, lastIndexOf } from '../disk.ts';
import { isStanding } from './elections.ts';
import { type Cause, type Facts, must, type NodeFacts, shortId } from './facts.ts';
import { isVoter } from './members.ts';

/** What a node promises to others is on its disk (A5, A24.2, A24.3). */
export function checkDurableAnswer({ id, durable }: NodeFacts, message: Message): void {
  const { type, term, index, reject } = message;
  const isGrantedPreVote = type === MessageType.PreVoteResp && !reject;
  const isAnswer = type === MessageType.AppResp || type === MessageType.VoteResp || type === MessageType.PreVoteResp;
  if (!isAnswer || isGrantedPreVote) return;
  const text = (): string => `${shortId(id)} answers in term ${term}, index ${index}`;
  must(durable.hardState.term >= term, 'durable before answering', text);
  if (type === MessageType.AppResp && !reject && durable.hardState.term === term) {
    must(lastIndexOf(durable) >= index, 'durable before answering', text);
  }
}

/** Append messages: one run of entries within the limit of size (A13, A18). */
export function checkAppend(facts: Facts, node: NodeFacts, message: Message): void {
  if (message.type !== MessageType.App) return;
  const { entries, index, logTerm } = message;
  const text = (): string => `${shortId(node.id)} after ${index}`;
  let size = 0;
  let prevTerm = logTerm;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!;
    const known = facts.registry.get(`${entry.index}:${entry.term}`);
    must(entry.index === index + 1 + i && entry.term >= prevTerm, 'appends are runs of a log', text);
    must(
      known !== undefined && (known.prevTerm === prevTerm || known.prevTerm === 0),
      'appends are runs of a log',
      text,
    );
    size += entrySize(entry);
    prevTerm = entry.term;
  }
  must(entries.length <= 1 || size <= facts.rules.maxSizePerMsgBytes, 'size of an append', text);
}

/** Patience: neither too little (checked where a node stands) nor too much. */
export function checkPatience(
  facts: Facts,
  node: NodeFacts,
  cause: Cause,
  before: Inspection,
  after: Inspection,
): void {
  const stood = isStanding(after) && (after.term > before.term || !isStanding(before));
  const ticks = cause.kind === 'tick' ? cause.count : 0;
  const heard = cause.kind === 'message' && cause.result === null && heardLeader(cause.message, after);
  const repeats = cause.kind === 'message' && cause.result === null && node.mayGrant;
  const voted = repeats || (after.vote !== before.vote && after.vote !== NONE);
  const moved = after.term !== before.term || after.role !== before.role;
  if (heard || voted || moved) node.quiet = Math.min(ticks, after.electionElapsed);
  else node.quiet += ticks;
  const pending = after.entries.some(
    ({ type, index }) => type !== EntryType.Normal && index > after.applied && index <= after.commit,
  );
  const mayStand = isVoter(node.members, node.id) && after.unstableSnapshot === null && !pending;
  // An attempt that is refused counts as one, and a lease with it begins anew.
  if (ticks > 0 && !mayStand && after.electionElapsed < node.quiet) node.quiet = after.electionElapsed;
  if (heard || voted || moved || stood || !mayStand || after.role === Role.Leader) node.idle = 0;
  else if (after.term === before.term && !(isStanding(after) && after.electionElapsed < ticks)) node.idle += ticks;
  else node.idle = 0;
  must(
    node.idle < 2 * facts.rules.electionTick + ticks,
    'a silent leader is replaced',
    () => `${shortId(node.id)} waits ${node.idle} ticks`,
  );
}

/** What a node takes for written is (A11.4). */
export function checkStable({ id, durable }: NodeFacts, after: Inspection): void {
  const last = after.unstableOffset - 1;
  const term = after.entries[last - after.firstIndex]?.term;
  must(
    term === undefined || holds(durable, last, term),
    'what passes for stable is durable',
    () => `${shortId(id)}: ${last}`,
  );
}

/** A follower commits no further than the message vouches for its log (Raft, figure 2). */
export function checkVouched(node: NodeFacts, { type, index, entries, commit }: Message, after: Inspection): void {
  if (type !== MessageType.App) return;
  const vouched = Math.min(commit, index + entries.length);
  must(
    after.commit <= Math.max(node.view.commit, vouched),
    'followers commit what a message vouches for',
    () => `${shortId(node.id)} commits ${after.commit}, ${vouched} is vouched for`,
  );
}

function heardLeader({ type, from, term }: Message, after: Inspection): boolean {
  const fromLeader = type === MessageType.App || type === MessageType.Heartbeat || type === MessageType.Snap;
  return fromLeader && term === after.term && after.lead === from;
}
