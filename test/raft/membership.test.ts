import { describe, expect, it } from 'vitest';
import { confChangeEntry } from '../../src/raft/confchange/codec.ts';
import type { Core } from '../../src/raft/core.ts';
import {
  type AnyConfChange,
  type ConfChange,
  type ConfChangeSingle,
  ConfChangeTransition,
  ConfChangeType,
  type Config,
  type Entry,
  EntryType,
  MessageType,
  NONE,
  type NodeId,
  Role,
} from '../../src/raft/index.ts';
import { applyConfChange } from '../../src/raft/membership.ts';
import { unstamped } from '../../src/raft/message.ts';
import { step } from '../../src/raft/step.ts';
import { Cluster } from './cluster.ts';
import { bytes, coreOf, lead, message, N1, N2, N3, N4, progressOf, type Start, takeMessages } from './helper.ts';

const { AddNode, AddLearnerNode, RemoveNode } = ConfChangeType;
const { App, AppResp, CheckQuorum, Hup, Prop, TimeoutNow } = MessageType;

function v2(
  changes: readonly ConfChangeSingle[],
  transition: ConfChangeTransition = ConfChangeTransition.Auto,
): AnyConfChange {
  return { version: 2, transition, changes, context: null };
}

const add = (nodeId: NodeId): ConfChangeSingle => ({ type: AddNode, nodeId });
const learn = (nodeId: NodeId): ConfChangeSingle => ({ type: AddLearnerNode, nodeId });
const remove = (nodeId: NodeId): ConfChangeSingle => ({ type: RemoveNode, nodeId });

function v1({ type, nodeId }: ConfChangeSingle): ConfChange {
  return { version: 1, id: NONE, type, nodeId, context: null };
}

function leaderOf(start: Start = {}, options: Partial<Config> = {}): Core {
  const core = coreOf(N1, start, options);
  lead(core);
  return core;
}

function propose(core: Core, ...changes: (AnyConfChange | null)[]): void {
  step(core, message(Prop, N1, { entries: changes.map((change) => confChangeEntry(change, '3.7')) }));
}

function lastTypes(core: Core, count: number): EntryType[] {
  const list = core.log.entries(core.log.lastIndex() + 1 - count, Number.MAX_SAFE_INTEGER);
  return typeof list === 'string' ? [] : list.map(({ type }) => type);
}

describe('proposing', () => {
  it('a second change while one is pending becomes an empty entry, and succeeds all the same', () => {
    const core = leaderOf({ voters: [N1, N2] });
    propose(core, v1(add(N3)));
    expect(core.pendingConfIndex).toBe(2);
    propose(core, v1(add(N4)));
    expect(core.pendingConfIndex).toBe(2);
    expect(lastTypes(core, 2)).toEqual([EntryType.ConfChange, EntryType.Normal]);
    const [, replaced] = core.log.entries(2, Number.MAX_SAFE_INTEGER) as readonly {
      data: unknown;
      typePresent: boolean;
    }[];
    expect(replaced).toMatchObject({ data: null, typePresent: true });
  });

  it('two in one message: the first stands in the way of the second', () => {
    const core = leaderOf({ voters: [N1, N2] });
    propose(core, v1(add(N3)), v2([add(N4)]));
    expect(lastTypes(core, 2)).toEqual([EntryType.ConfChange, EntryType.Normal]);
  });

  it('is refused while joint unless it leaves, and leaving is refused unless joint', () => {
    const core = leaderOf({ voters: [N1] });
    takeMessages(core);
    core.log.appliedTo(1, 0);
    propose(core, v2([]));
    expect(lastTypes(core, 1)).toEqual([EntryType.Normal]);
    applyConfChange(core, v2([add(N2)], ConfChangeTransition.JointExplicit));
    propose(core, v2([add(N3)]));
    expect(lastTypes(core, 1)).toEqual([EntryType.Normal]);
    propose(core, v2([], ConfChangeTransition.JointExplicit));
    expect(lastTypes(core, 1)).toEqual([EntryType.ConfChangeV2]);
  });

  it('with validation off, everything is taken', () => {
    const core = leaderOf({ voters: [N1, N2] }, { disableConfChangeValidation: true });
    propose(core, v1(add(N3)), v1(add(N4)), v2([]));
    expect(lastTypes(core, 3)).toEqual([EntryType.ConfChange, EntryType.ConfChange, EntryType.ConfChangeV2]);
    expect(core.pendingConfIndex).toBe(4);
  });

  it('a new leader takes none until what was in its log is applied', () => {
    const core = leaderOf({ voters: [N1, N2], terms: [1, 1], hardState: { term: 1, commit: 1 } });
    expect(core.pendingConfIndex).toBe(2);
    propose(core, v1(add(N3)));
    expect(lastTypes(core, 1)).toEqual([EntryType.Normal]);
    core.log.commitTo(2);
    core.log.appliedTo(2, 0);
    propose(core, v1(add(N3)));
    expect(lastTypes(core, 1)).toEqual([EntryType.ConfChange]);
  });

  it('refused for size, it still blocks the next until that index is applied', () => {
    const core = leaderOf({ voters: [N1, N2] }, { maxUncommittedSizeBytes: 10 });
    step(core, message(Prop, N1, { entries: [unstamped(new Uint8Array(10))] }));
    propose(core, v1(add(N3)));
    expect(core.log.lastIndex()).toBe(2);
    expect(core.pendingConfIndex).toBe(3);
  });
});

describe('applying', () => {
  it('a node added starts as active, and is probed at once', () => {
    const core = leaderOf({ voters: [N1] });
    takeMessages(core);
    applyConfChange(core, v1(add(N2)));
    expect(progressOf(core, N2)).toMatchObject({ recentActive: true, match: 0, next: 1 });
    expect(takeMessages(core)).toMatchObject([{ type: App, to: N2 }]);
    step(core, message(CheckQuorum, N1));
    expect(core.role).toBe(Role.Leader);
    step(core, message(CheckQuorum, N1));
    expect(core.role).toBe(Role.Follower);
  });

  it('adding a voter again, or updating, changes nothing', () => {
    const core = leaderOf({ voters: [N1, N2] });
    const before = core.tracker.members;
    applyConfChange(core, v1(add(N2)));
    applyConfChange(core, v1({ type: ConfChangeType.UpdateNode, nodeId: N2 }));
    applyConfChange(core, v1(add(NONE)));
    expect(core.tracker.members).toEqual(before);
  });

  it('learners can be added, promoted, and made of voters', () => {
    const core = coreOf(N1, { voters: [N1, N2] });
    applyConfChange(core, v1(learn(N3)));
    expect(core.tracker.members.learners).toEqual([N3]);
    applyConfChange(core, v1(add(N3)));
    expect(core.tracker.members).toMatchObject({ incoming: [N1, N2, N3], learners: [] });
    applyConfChange(core, v1(learn(N1)));
    expect(core.isLearner).toBe(true);
    expect(core.promotable()).toBe(false);
  });

  it('removing all voters is fatal', () => {
    const core = coreOf(N1, { voters: [N1] });
    expect(() => applyConfChange(core, v1(remove(N1)))).toThrow('removed all voters');
  });

  it('a smaller quorum commits what waited', () => {
    const core = leaderOf({ voters: [N1, N2] });
    expect(core.log.committed).toBe(0);
    applyConfChange(core, v1(remove(N2)));
    expect(core.log.committed).toBe(1);
  });

  it('a leader that removes itself goes on, without counting itself or taking proposals', () => {
    const core = leaderOf({ voters: [N1, N2, N3] });
    applyConfChange(core, v1(remove(N1)));
    expect(core.role).toBe(Role.Leader);
    expect(step(core, message(Prop, N1, { entries: [unstamped(bytes('x'))] }))).not.toBeNull();
    step(core, message(AppResp, N2, { term: 1, index: 1 }));
    expect(core.log.committed).toBe(0);
    step(core, message(AppResp, N3, { term: 1, index: 1 }));
    expect(core.log.committed).toBe(1);
  });

  it.each([remove, learn])('a leader that is to step down does so by its removal or demotion', (change) => {
    const core = leaderOf({ voters: [N1, N2, N3] }, { stepDownOnRemoval: true });
    applyConfChange(core, v1(change(N1)));
    expect(core).toMatchObject({ role: Role.Follower, term: 1, lead: NONE });
  });

  it('a committed change that is not applied stands in the way of an election, even a transfer', () => {
    for (const change of [v1(add(N3)), v2([add(N3)])]) {
      const core = coreOf(N1, { voters: [N1, N2] });
      step(
        core,
        message(App, N2, { term: 1, commit: 1, entries: [{ ...confChangeEntry(change, '3.7'), term: 1, index: 1 }] }),
      );
      takeMessages(core);
      step(core, message(Hup, N1));
      step(core, message(TimeoutNow, N2, { term: 1 }));
      expect(core.role).toBe(Role.Follower);
      core.log.appliedTo(1, 0);
      step(core, message(Hup, N1));
      expect(core.role).toBe(Role.Candidate);
    }
  });
});

describe('clusters', () => {
  it('grow from one node to three and shrink again', () => {
    const cluster = new Cluster([N1]);
    for (const id of [N2, N3]) cluster.add(id, { voters: [N1] });
    cluster.campaign(N1);
    for (const id of [N2, N3]) {
      cluster.raft(N1).proposeConfChange(v1(add(id)));
      cluster.settle();
    }
    cluster.propose(N1, 'three');
    for (const id of [N1, N2, N3]) expect(cluster.appliedTexts(id)).toEqual(['three']);
    cluster.raft(N1).proposeConfChange(v1(remove(N3)));
    cluster.settle();
    cluster.isolate(N3);
    cluster.propose(N1, 'two');
    expect(cluster.appliedTexts(N2)).toEqual(['three', 'two']);
    expect(cluster.raft(N1).status().config.voters).toEqual([N1, N2]);
  });

  it.each([
    ['automatic', ConfChangeTransition.Auto, [add(N2), learn(N3)], true],
    ['implicit', ConfChangeTransition.JointImplicit, [add(N2)], true],
    ['explicit', ConfChangeTransition.JointExplicit, [add(N2)], false],
    ['automatic, one change', ConfChangeTransition.Auto, [add(N2)], true],
  ] as const)('an %s joint change leaves by itself: %s', (_, transition, changes, leaves) => {
    const cluster = new Cluster([N1]);
    for (const id of [N2, N3]) cluster.add(id, { voters: [N1] });
    cluster.campaign(N1);
    cluster.raft(N1).proposeConfChange(v2(changes, transition));
    cluster.settle();
    const { config } = cluster.raft(N1).inspect();
    expect(config.votersOutgoing).toEqual(leaves ? [] : [N1]);
    expect(config.voters).toEqual([N1, N2]);
    if (!leaves) {
      cluster.raft(N1).proposeConfChange(v2([]));
      cluster.settle();
    }
    for (const id of [N1, N2]) expect(cluster.raft(id).status().config).toMatchObject({ votersOutgoing: [] });
  });

  it('a leader lost before the joint configuration is left: the next one leaves it', () => {
    const cluster = new Cluster([N1, N2, N3]);
    cluster.add(N4, { voters: [N1, N2, N3] });
    cluster.campaign(N1);
    // The change commits and is applied by all, but the entry that would leave gets to nobody.
    const leaves = ({ type, data }: Entry): boolean => type === EntryType.ConfChangeV2 && data === null;
    cluster.loses = ({ entries }) => entries.some(leaves);
    cluster.raft(N1).proposeConfChange(v2([add(N4)], ConfChangeTransition.JointImplicit));
    cluster.settle();
    for (let i = 0; i < 3; i++) cluster.tick(N1);
    expect(cluster.raft(N2).inspect().config).toMatchObject({ votersOutgoing: [N1, N2, N3], autoLeave: true });
    cluster.isolate(N1);
    cluster.campaign(N2);
    expect(cluster.role(N2)).toBe(Role.Leader);
    for (const id of [N2, N3, N4]) {
      expect(cluster.raft(id).inspect().config).toMatchObject({ voters: [N1, N2, N3, N4], votersOutgoing: [] });
    }
  });

  it('adding a node twice yields two entries and one member', () => {
    const cluster = new Cluster([N1]);
    cluster.campaign(N1);
    for (let i = 0; i < 2; i++) {
      cluster.raft(N1).proposeConfChange(v1(add(N2)));
      cluster.settle();
      cluster.add(N2, { voters: [] });
    }
    expect(cluster.raft(N1).status().config.voters).toEqual([N1, N2]);
  });
});
