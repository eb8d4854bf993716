import { idDecimal, unionIds } from './ids.ts';
import { Inflights } from './inflights.ts';
import { describeProgress, type Progress } from './progress.ts';
import { describeJoint, describeVoters } from './quorum/describe.ts';
import { type JointVoters, jointVote } from './quorum/joint.ts';
import { majorityOf, VoteResult } from './quorum/majority.ts';
import type { ConfState, NodeId } from './types.ts';

/** Who takes part: both halves of the voters, learners, and outgoing voters about to become learners (A15.1). */
export interface Members extends JointVoters {
  readonly learners: readonly NodeId[];
  readonly learnersNext: readonly NodeId[];
  readonly autoLeave: boolean;
}

export const NO_MEMBERS: Members = Object.freeze({
  incoming: Object.freeze([]),
  outgoing: Object.freeze([]),
  learners: Object.freeze([]),
  learnersNext: Object.freeze([]),
  autoLeave: false,
});

export type ProgressMap = ReadonlyMap<NodeId, Progress>;

export function isJoint(members: JointVoters): boolean {
  return members.outgoing.length > 0;
}

export function confStateOf(members: Members): ConfState {
  return {
    voters: members.incoming,
    learners: members.learners,
    votersOutgoing: members.outgoing,
    learnersNext: members.learnersNext,
    autoLeave: members.autoLeave,
  };
}

/** `voters=(1 2)&&(1) learners=(3) learners_next=(2) autoleave`. */
export function describeMembers(members: Members): string {
  let text = `voters=${describeJoint(members)}`;
  if (members.learners.length > 0) text += ` learners=${describeVoters(members.learners)}`;
  if (members.learnersNext.length > 0) text += ` learners_next=${describeVoters(members.learnersNext)}`;
  if (members.autoLeave) text += ' autoleave';
  return text;
}

/** One line a node, ascending by id. */
export function describeProgressMap(progress: ProgressMap): string {
  return sorted(progress)
    .map((one) => `${idDecimal(one.id)}: ${describeProgress(one.view())}\n`)
    .join('');
}

/** The members, what is known about each, and the votes of the election under way. */
export class Tracker {
  readonly maxInflightMsgs: number;
  readonly maxInflightBytes: number;
  members: Members = NO_MEMBERS;
  progress: ProgressMap = new Map();
  readonly votes = new Map<NodeId, boolean>();
  /** All progress, ascending by id: the order of every broadcast. */
  all: readonly Progress[] = [];
  private incoming: readonly Progress[] = [];
  private outgoing: readonly Progress[] = [];
  private readonly scratch: number[] = [];

  constructor(maxInflightMsgs: number, maxInflightBytes: number) {
    this.maxInflightMsgs = maxInflightMsgs;
    this.maxInflightBytes = maxInflightBytes;
  }

  newInflights(): Inflights {
    return new Inflights(this.maxInflightMsgs, this.maxInflightBytes);
  }

  install(members: Members, progress: ProgressMap): void {
    this.members = members;
    this.progress = progress;
    this.all = sorted(progress);
    this.incoming = this.all.filter(({ id }) => members.incoming.includes(id));
    this.outgoing = this.all.filter(({ id }) => members.outgoing.includes(id));
  }

  /** Voters of either half, ascending. */
  voterIds(): readonly NodeId[] {
    return unionIds(this.members.incoming, this.members.outgoing);
  }

  isVoter(id: NodeId): boolean {
    return this.members.incoming.includes(id) || this.members.outgoing.includes(id);
  }

  isSingleton(): boolean {
    return this.members.incoming.length === 1 && this.members.outgoing.length === 0;
  }

  /** The highest index that a quorum is known to hold. */
  committed(): number {
    return Math.min(this.majorityMatch(this.incoming), this.majorityMatch(this.outgoing));
  }

  private majorityMatch(half: readonly Progress[]): number {
    for (let i = 0; i < half.length; i++) this.scratch[i] = half[i]!.match;
    return majorityOf(this.scratch, half.length);
  }

  /** Whether a quorum of voters was heard of since the last check. */
  quorumActive(): boolean {
    const active = new Map<NodeId, boolean>();
    for (const one of this.all) if (!one.isLearner) active.set(one.id, one.recentActive);
    return jointVote(this.members, active) === VoteResult.Won;
  }

  /** The first vote of a node counts. */
  recordVote(id: NodeId, granted: boolean): void {
    if (!this.votes.has(id)) this.votes.set(id, granted);
  }

  tallyVotes(): { readonly granted: number; readonly rejected: number; readonly result: VoteResult } {
    let granted = 0;
    let rejected = 0;
    for (const { id, isLearner } of this.all) {
      const vote = isLearner ? undefined : this.votes.get(id);
      if (vote === true) granted++;
      else if (vote === false) rejected++;
    }
    return { granted, rejected, result: jointVote(this.members, this.votes) };
  }
}

function sorted(progress: ProgressMap): Progress[] {
  return [...progress.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
