import type { NodeId } from '../types.ts';

/** The index an empty set of voters commits: everything. Prints as infinity. */
export const INFINITE_INDEX = Number.MAX_SAFE_INTEGER;

export const VoteResult = { Pending: 1, Lost: 2, Won: 3 } as const;
export type VoteResult = (typeof VoteResult)[keyof typeof VoteResult];
const NAMES = Object.freeze(['', 'VotePending', 'VoteLost', 'VoteWon']);

export function voteResultName(result: VoteResult): string {
  return NAMES[result]!;
}

/** What each node is known to hold, or to have answered; `undefined` is "nothing known". */
export interface ById<T> {
  get(id: NodeId): T | undefined;
}

/** The quorum's position in `count` values: the highest value that a majority reaches. Sorts them in place. */
export function majorityOf(values: number[], count: number): number {
  if (count === 0) return INFINITE_INDEX;
  // Insertion sort: there are a handful of values, and this runs for every acknowledgement.
  for (let i = 1; i < count; i++) {
    const value = values[i]!;
    let at = i;
    for (; at > 0 && values[at - 1]! > value; at--) values[at] = values[at - 1]!;
    values[at] = value;
  }
  return values[count - (count >> 1) - 1]!;
}

/** The highest index that a majority of `voters` has acknowledged (reference/raft.md A14). */
export function majorityCommitted(voters: readonly NodeId[], acked: ById<number>): number {
  return majorityOf(
    voters.map((id) => acked.get(id) ?? 0),
    voters.length,
  );
}

/** How an election among `voters` stands. */
export function majorityVote(voters: readonly NodeId[], votes: ById<boolean>): VoteResult {
  if (voters.length === 0) return VoteResult.Won;
  let granted = 0;
  let missing = 0;
  for (const id of voters) {
    const vote = votes.get(id);
    if (vote === undefined) missing++;
    else if (vote) granted++;
  }
  const quorum = (voters.length >> 1) + 1;
  if (granted >= quorum) return VoteResult.Won;
  return granted + missing >= quorum ? VoteResult.Pending : VoteResult.Lost;
}
