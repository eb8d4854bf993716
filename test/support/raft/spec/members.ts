import {
  type AnyConfChange,
  asV2,
  ConfChangeTransition,
  ConfChangeType,
  type ConfState,
  type NodeId,
} from '../../../../src/raft/index.ts';

type Ids = readonly NodeId[];

const without = (ids: Ids, id: NodeId): Ids => ids.filter((other) => other !== id);
const including = (ids: Ids, id: NodeId): Ids => [...without(ids, id), id].sort();

/** The members after a change, or why it cannot be made: sets and nothing else (reference/raft.md A15.5). */
export function membersAfter(before: ConfState, given: AnyConfChange): ConfState | string {
  const { transition, changes } = asV2(given);
  const joint = before.votersOutgoing.length > 0;
  if (changes.length === 0 && transition === ConfChangeTransition.Auto) {
    if (!joint) return 'nothing to leave';
    const learners = before.learnersNext.reduce(including, before.learners);
    return { voters: before.voters, learners, votersOutgoing: [], learnersNext: [], autoLeave: false };
  }
  if (joint) return 'must leave first';
  const throughJoint = transition !== ConfChangeTransition.Auto || changes.length > 1;
  let after: ConfState = before;
  if (throughJoint) {
    const autoLeave = transition !== ConfChangeTransition.JointExplicit;
    after = { ...before, votersOutgoing: before.voters, autoLeave };
  }
  for (const { type, nodeId } of changes) after = one(after, type, nodeId);
  if (after.voters.length === 0) return 'no voters left';
  const moved = [...after.voters, ...before.voters].filter(
    (id) => after.voters.includes(id) !== before.voters.includes(id),
  );
  return !throughJoint && moved.length > 1 ? 'more than one voter' : after;
}

function one(members: ConfState, type: ConfChangeType, id: NodeId): ConfState {
  const { voters, learners, votersOutgoing, learnersNext } = members;
  const gone = {
    ...members,
    voters: without(voters, id),
    learners: without(learners, id),
    learnersNext: without(learnersNext, id),
  };
  if (type === ConfChangeType.RemoveNode) return gone;
  if (type === ConfChangeType.AddNode) return { ...gone, voters: including(gone.voters, id) };
  if (type !== ConfChangeType.AddLearnerNode) return members;
  return votersOutgoing.includes(id)
    ? { ...gone, learnersNext: including(gone.learnersNext, id) }
    : { ...gone, learners: including(gone.learners, id) };
}

/** Whether those for whom `agrees` holds are a majority of the voters, of each half when joint. */
export function isQuorum(members: ConfState, agrees: (id: NodeId) => boolean): boolean {
  const majority = (half: Ids): boolean => half.length === 0 || half.filter(agrees).length * 2 > half.length;
  return majority(members.voters) && majority(members.votersOutgoing);
}

export function isVoter(members: ConfState, id: NodeId): boolean {
  return members.voters.includes(id) || members.votersOutgoing.includes(id);
}

export function isMember(members: ConfState, id: NodeId): boolean {
  return isVoter(members, id) || members.learners.includes(id);
}
