import { NO_MEMBERS } from '../tracker.ts';
import { type ConfChangeSingle, ConfChangeType, type ConfState, type NodeId } from '../types.ts';
import { type Base, type Changed, enterJoint, simpleChange } from './changer.ts';

function changes(type: ConfChangeType, ids: readonly NodeId[]): ConfChangeSingle[] {
  return ids.map((nodeId) => ({ type, nodeId }));
}

/**
 * Builds the configuration a conf state describes by the changes that lead to it from nothing
 * (reference/raft.md A15.7). An error text if no changes do.
 */
export function restoreMembers(confState: ConfState, start: Pick<Base, 'lastIndex' | 'newInflights'>): Changed {
  const { AddNode, AddLearnerNode, RemoveNode } = ConfChangeType;
  const outgoing = changes(AddNode, confState.votersOutgoing);
  const incoming = [
    ...changes(RemoveNode, confState.votersOutgoing),
    ...changes(AddNode, confState.voters),
    ...changes(AddLearnerNode, confState.learners),
    ...changes(AddLearnerNode, confState.learnersNext),
  ];
  let base: Base = { ...start, members: NO_MEMBERS, progress: new Map() };
  for (const change of outgoing.length === 0 ? incoming : outgoing) {
    const next = simpleChange(base, [change]);
    if (typeof next === 'string') return next;
    base = { ...start, ...next };
  }
  return outgoing.length === 0 ? base : enterJoint(base, confState.autoLeave, incoming);
}

/** Whether two conf states name the same members, in whatever order. */
export function sameConfState(a: ConfState, b: ConfState): boolean {
  const same = (x: readonly NodeId[], y: readonly NodeId[]): boolean =>
    x.length === y.length && [...x].sort().join() === [...y].sort().join();
  return (
    same(a.voters, b.voters) &&
    same(a.learners, b.learners) &&
    same(a.votersOutgoing, b.votersOutgoing) &&
    same(a.learnersNext, b.learnersNext) &&
    a.autoLeave === b.autoLeave
  );
}
