import {
  describeIndex,
  describeQuorum,
  jointCommitted,
  jointVote,
  majorityCommitted,
  majorityVote,
  type NodeId,
  nodeId,
  voteResultName,
} from '../../../src/raft/index.ts';
import { type Case, numberOf, ScriptError } from './script.ts';

/** Runs a case of the quorum scripts (reference/raft.md B13). */
export function runQuorumCase(test: Case): string {
  const incoming: number[] = [];
  const outgoing: number[] = [];
  let joint = false;
  let values: readonly string[] = [];
  for (const arg of test.args) {
    if (arg.key === 'cfg') incoming.push(...arg.values.map(numberOf));
    else if (arg.key === 'cfgj') {
      joint = true;
      if (arg.values.join() !== 'zero') outgoing.push(...arg.values.map(numberOf));
    } else if (arg.key === 'idx' || arg.key === 'votes') values = arg.values;
    else throw new ScriptError(`unknown arg ${arg.key}`);
  }
  // In the order of the text, each id once.
  const ids = [...new Set([...incoming, ...outgoing])];
  if (values.length !== ids.length) {
    return mismatch(ids, values);
  }
  const given = new Map<NodeId, string>();
  ids.forEach((id, i) => {
    if (values[i] !== '_') given.set(nodeId(id), values[i]!);
  });
  const voters = { incoming: sorted(incoming), outgoing: sorted(outgoing) };
  if (test.command === 'committed') return committed(voters, joint, given);
  if (test.command === 'vote') return vote(voters, joint, given);
  throw new ScriptError(`unknown command ${test.command}`);
}

/** As recorded: the voters as a set, votes as numbers, 0 for what is not known. */
function mismatch(ids: readonly number[], values: readonly string[]): string {
  const numbers = values.map((value) => ({ y: '2', n: '1', _: '0' })[value] ?? value);
  const voters = [...ids].sort((a, b) => a - b).map((id) => `${id}:{}`);
  return `error: mismatched input (explicit or _) for voters map[${voters.join(' ')}]: [${numbers.join(' ')}]`;
}

function sorted(ids: readonly number[]): NodeId[] {
  return [...new Set(ids)].map(nodeId).sort();
}

interface Voters {
  readonly incoming: readonly NodeId[];
  readonly outgoing: readonly NodeId[];
}

/** The definition, by counting: the highest index that a majority has reached. */
function byCounting(voters: readonly NodeId[], acked: ReadonlyMap<NodeId, number>): number {
  if (voters.length === 0) return Number.MAX_SAFE_INTEGER;
  const reached = (index: number): boolean =>
    voters.filter((id) => (acked.get(id) ?? 0) >= index).length > voters.length / 2;
  return Math.max(0, ...[...acked.values()].filter(reached));
}

function committed({ incoming, outgoing }: Voters, joint: boolean, given: ReadonlyMap<NodeId, string>): string {
  const acked = new Map<NodeId, number>();
  for (const [id, text] of given) {
    const index = numberOf(text);
    if (index === 0) throw new ScriptError('use _ for no index, not 0');
    acked.set(id, index);
  }
  const index = joint ? jointCommitted({ incoming, outgoing }, acked) : majorityCommitted(incoming, acked);
  let text = describeQuorum(sortedUnion(incoming, outgoing), acked);
  const check = (value: number, how: string): void => {
    if (value !== index) text += `${describeIndex(value)} <-- ${how}\n`;
  };
  if (joint) {
    check(Math.min(byCounting(incoming, acked), byCounting(outgoing, acked)), 'via alternative computation');
    check(jointCommitted({ incoming: outgoing, outgoing: incoming }, acked), 'via symmetry');
  } else {
    check(byCounting(incoming, acked), 'via alternative computation');
    check(jointCommitted({ incoming, outgoing: [] }, acked), 'via zero-joint quorum');
    check(jointCommitted({ incoming, outgoing: incoming }, acked), 'via self-joint quorum');
  }
  return `${text}${describeIndex(index)}\n`;
}

function vote({ incoming, outgoing }: Voters, joint: boolean, given: ReadonlyMap<NodeId, string>): string {
  const votes = new Map<NodeId, boolean>();
  for (const [id, text] of given) {
    if (text !== 'y' && text !== 'n') throw new ScriptError(`unknown vote ${text}`);
    votes.set(id, text === 'y');
  }
  const result = joint ? jointVote({ incoming, outgoing }, votes) : majorityVote(incoming, votes);
  const mirrored = jointVote({ incoming: outgoing, outgoing: incoming }, votes);
  const note = joint && mirrored !== result ? `${voteResultName(mirrored)} <-- via symmetry\n` : '';
  return `${note}${voteResultName(result)}\n`;
}

function sortedUnion(a: readonly NodeId[], b: readonly NodeId[]): NodeId[] {
  return [...new Set([...a, ...b])].sort();
}
