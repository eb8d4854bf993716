import { idDecimal, withId, withoutId } from '../ids.ts';
import type { Inflights } from '../inflights.ts';
import { Progress } from '../progress.ts';
import { isJoint, type Members, type ProgressMap } from '../tracker.ts';
import { type ConfChangeSingle, ConfChangeType, NONE, type NodeId } from '../types.ts';

/** What a configuration change yields, or the text of why it cannot be made. */
export type Changed = { readonly members: Members; readonly progress: ProgressMap } | string;

/** Where a change starts from, and what a node new to the configuration starts with. */
export interface Base {
  readonly members: Members;
  readonly progress: ProgressMap;
  readonly lastIndex: number;
  readonly newInflights: () => Inflights;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Configuration changes as pure functions from one configuration to the next (reference/raft.md A15.5). The base
 * is never touched; a refused change leaves no trace.
 */
class Changer {
  readonly members: Mutable<Members>;
  readonly progress: Map<NodeId, Progress>;
  private readonly base: Base;

  constructor(base: Base) {
    this.base = base;
    this.members = { ...base.members };
    this.progress = new Map();
    for (const [id, one] of base.progress) this.progress.set(id, one.clone());
  }

  apply(changes: readonly ConfChangeSingle[]): string | null {
    for (const { type, nodeId } of changes) {
      // etcd turns a change it decided against into one of node 0.
      if (nodeId === NONE) continue;
      if (type === ConfChangeType.AddNode) this.makeVoter(nodeId);
      else if (type === ConfChangeType.AddLearnerNode) this.makeLearner(nodeId);
      else if (type === ConfChangeType.RemoveNode) this.remove(nodeId);
      else if (type !== ConfChangeType.UpdateNode) return `unexpected conf type ${type}`;
    }
    return this.members.incoming.length === 0 ? 'removed all voters' : null;
  }

  private makeVoter(id: NodeId): void {
    const { members } = this;
    const known = this.progress.get(id);
    if (known === undefined) this.init(id, false);
    else known.isLearner = false;
    members.learners = withoutId(members.learners, id);
    members.learnersNext = withoutId(members.learnersNext, id);
    members.incoming = withId(members.incoming, id);
  }

  private makeLearner(id: NodeId): void {
    const { members } = this;
    const known = this.progress.get(id);
    if (known === undefined) {
      this.init(id, true);
      members.learners = withId(members.learners, id);
      return;
    }
    if (known.isLearner) return;
    this.remove(id);
    this.progress.set(id, known);
    // An outgoing voter still votes: it turns learner when the joint configuration ends.
    if (members.outgoing.includes(id)) {
      members.learnersNext = withId(members.learnersNext, id);
    } else {
      known.isLearner = true;
      members.learners = withId(members.learners, id);
    }
  }

  private remove(id: NodeId): void {
    const { members } = this;
    if (!this.progress.has(id)) return;
    members.incoming = withoutId(members.incoming, id);
    members.learners = withoutId(members.learners, id);
    members.learnersNext = withoutId(members.learnersNext, id);
    if (!members.outgoing.includes(id)) this.progress.delete(id);
  }

  private init(id: NodeId, isLearner: boolean): void {
    const { lastIndex, newInflights } = this.base;
    const fresh = new Progress(id, 0, Math.max(lastIndex, 1), newInflights(), isLearner);
    // Else the next check of the quorum could depose a leader that just added a node.
    fresh.recentActive = true;
    this.progress.set(id, fresh);
  }

  leaveJoint(): void {
    const { members } = this;
    for (const id of members.learnersNext) {
      members.learners = withId(members.learners, id);
      this.progress.get(id)!.isLearner = true;
    }
    for (const id of members.outgoing) {
      if (!members.incoming.includes(id) && !members.learners.includes(id)) this.progress.delete(id);
    }
    members.learnersNext = [];
    members.outgoing = [];
    members.autoLeave = false;
  }

  finish(): Changed {
    return checkInvariants(this.members, this.progress) ?? { members: this.members, progress: this.progress };
  }
}

/** Applies changes that replace at most one voter. */
export function simpleChange(base: Base, changes: readonly ConfChangeSingle[]): Changed {
  const invalid = checkInvariants(base.members, base.progress);
  if (invalid !== null) return invalid;
  if (isJoint(base.members)) return "can't apply simple config change in joint config";
  const changer = new Changer(base);
  const refused = changer.apply(changes);
  if (refused !== null) return refused;
  if (symmetricDifference(base.members.incoming, changer.members.incoming) > 1) {
    return 'more than one voter changed without entering joint config';
  }
  return changer.finish();
}

/** Applies any changes to the incoming half, while the voters of before stay as the outgoing half. */
export function enterJoint(base: Base, autoLeave: boolean, changes: readonly ConfChangeSingle[]): Changed {
  const invalid = checkInvariants(base.members, base.progress);
  if (invalid !== null) return invalid;
  if (isJoint(base.members)) return 'config is already joint';
  if (base.members.incoming.length === 0) return "can't make a zero-voter config joint";
  const changer = new Changer(base);
  changer.members.outgoing = base.members.incoming;
  const refused = changer.apply(changes);
  if (refused !== null) return refused;
  changer.members.autoLeave = autoLeave;
  return changer.finish();
}

/** Drops the outgoing half. */
export function leaveJoint(base: Base): Changed {
  const invalid = checkInvariants(base.members, base.progress);
  if (invalid !== null) return invalid;
  if (!isJoint(base.members)) return "can't leave a non-joint config";
  const changer = new Changer(base);
  changer.leaveJoint();
  return changer.finish();
}

/** The text of the first rule that configuration and progress break, or `null`. */
export function checkInvariants(members: Members, progress: ProgressMap): string | null {
  const { incoming, outgoing, learners, learnersNext } = members;
  for (const id of [...incoming, ...outgoing, ...learners, ...learnersNext]) {
    if (!progress.has(id)) return `no progress for ${idDecimal(id)}`;
  }
  for (const id of learnersNext) {
    if (!outgoing.includes(id)) return `${idDecimal(id)} is in LearnersNext, but not Voters[1]`;
    if (progress.get(id)!.isLearner) {
      return `${idDecimal(id)} is in LearnersNext, but is already marked as learner`;
    }
  }
  for (const id of learners) {
    if (outgoing.includes(id)) return `${idDecimal(id)} is in Learners and Voters[1]`;
    if (incoming.includes(id)) return `${idDecimal(id)} is in Learners and Voters[0]`;
    if (!progress.get(id)!.isLearner) return `${idDecimal(id)} is in Learners, but is not marked as learner`;
  }
  if (!isJoint(members)) {
    if (learnersNext.length > 0) return 'cfg.LearnersNext must be nil when not joint';
    if (members.autoLeave) return 'AutoLeave must be false when not joint';
  }
  return null;
}

function symmetricDifference(a: readonly NodeId[], b: readonly NodeId[]): number {
  return a.filter((id) => !b.includes(id)).length + b.filter((id) => !a.includes(id)).length;
}
