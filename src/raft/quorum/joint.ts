import type { NodeId } from '../types.ts';
import { type ById, majorityCommitted, majorityVote, VoteResult } from './majority.ts';

/** A decision needs a majority of each half; an empty outgoing half decides nothing (reference/raft.md A14). */
export interface JointVoters {
  readonly incoming: readonly NodeId[];
  readonly outgoing: readonly NodeId[];
}

export function jointCommitted(voters: JointVoters, acked: ById<number>): number {
  return Math.min(majorityCommitted(voters.incoming, acked), majorityCommitted(voters.outgoing, acked));
}

export function jointVote(voters: JointVoters, votes: ById<boolean>): VoteResult {
  const incoming = majorityVote(voters.incoming, votes);
  const outgoing = majorityVote(voters.outgoing, votes);
  if (incoming === outgoing) return incoming;
  return incoming === VoteResult.Lost || outgoing === VoteResult.Lost ? VoteResult.Lost : VoteResult.Pending;
}
