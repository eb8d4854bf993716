import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/raft/core.ts';
import {
  type ConfState,
  EMPTY_CONF_STATE,
  type MemoryStorage,
  MessageType,
  NONE,
  ProgressState,
  RaftError,
  Role,
  type Snapshot,
  type Storage,
  StorageError,
} from '../../src/raft/index.ts';
import { step } from '../../src/raft/step.ts';
import { Cluster } from './cluster.ts';
import { bytes, coreOf, entry, lead, message, N1, N2, N3, N4, progressOf, type Start, takeMessages } from './helper.ts';

const { App, AppResp, HeartbeatResp, Prop, Snap, SnapStatus } = MessageType;

function snapshot(index: number, term: number, members: Partial<ConfState> = { voters: [N1, N2, N3] }): Snapshot {
  return { index, term, confState: { ...EMPTY_CONF_STATE, ...members }, data: null };
}

function receive(core: Core, given: Snapshot): ReturnType<typeof takeMessages> {
  step(core, message(Snap, N2, { term: Math.max(core.term, 1), snapshot: given }));
  return takeMessages(core);
}

/** A leader whose log starts after a snapshot at index 11. */
function leaderAfterSnapshot(): Core {
  const core = coreOf(N1, { voters: [] });
  receive(core, snapshot(11, 11, { voters: [N1, N2] }));
  const { storage } = core.config;
  (storage as MemoryStorage).applySnapshot(snapshot(11, 11, { voters: [N1, N2] }));
  step(core, message(MessageType.StorageAppendResp, NONE, { snapshot: snapshot(11, 11, { voters: [N1, N2] }) }));
  core.term = 11;
  lead(core);
  return core;
}

describe('a follower', () => {
  it('takes log and members over from a snapshot', () => {
    const core = coreOf(N1, { voters: [N1, N2] });
    const [answer] = receive(core, snapshot(11, 11, { voters: [N1, N2], learners: [N3] }));
    expect(answer).toMatchObject({ type: AppResp, to: N2, index: 11, reject: false });
    expect([core.log.lastIndex(), core.log.lastTerm(), core.log.committed]).toEqual([11, 11, 11]);
    expect(core.tracker.members).toMatchObject({ incoming: [N1, N2], learners: [N3] });
    expect(core.promotable()).toBe(false);
    expect(core.log.hasNextCommitted(true)).toBe(false);
    // The same again brings nothing.
    expect(receive(core, snapshot(11, 11))).toMatchObject([{ index: 11 }]);
    expect(core.log.unstable.snapshot?.index).toBe(11);
  });

  it('takes over joint members, its own role included', () => {
    const joint = coreOf(N1, { voters: [N1, N2] });
    receive(joint, snapshot(11, 11, { voters: [N2, N3], votersOutgoing: [N1, N2], learnersNext: [N1] }));
    expect(joint.tracker.members).toMatchObject({ incoming: [N2, N3], outgoing: [N1, N2], learnersNext: [N1] });
    expect(joint.isLearner).toBe(false);
    const demoted = coreOf(N3, { voters: [N1, N2, N3] });
    receive(demoted, snapshot(11, 11, { voters: [N1, N2], learners: [N3] }));
    expect(demoted.isLearner).toBe(true);
    const promoted = coreOf(N3, { voters: [N1, N2], learners: [N3] });
    receive(promoted, snapshot(11, 11));
    expect(promoted.isLearner).toBe(false);
  });

  it('ignores one that it is not a member of, or that is no longer news', () => {
    const stranger = coreOf(N4, { voters: [] });
    expect(receive(stranger, snapshot(11, 11))).toMatchObject([{ index: 0 }]);
    const ahead = coreOf(N1, { terms: [1, 1, 1], hardState: { commit: 3, term: 1 } });
    expect(receive(ahead, snapshot(2, 1))).toMatchObject([{ index: 3 }]);
    expect(ahead.log.unstable.snapshot).toBeNull();
  });

  it('that has the entry already only commits, and keeps its members', () => {
    const core = coreOf(N1, { terms: [1, 1, 1], hardState: { commit: 1, term: 1 } });
    expect(receive(core, snapshot(2, 1, { voters: [N1, N2] }))).toMatchObject([{ index: 2 }]);
    expect(core.log.committed).toBe(2);
    expect(core.log.lastIndex()).toBe(3);
    expect(core.tracker.members.incoming).toEqual([N1, N2, N3]);
  });

  it('refuses members that cannot be built, without a trace', () => {
    const core = coreOf(N1);
    const bad = snapshot(11, 11, { learners: [N1] });
    expect(step(core, message(Snap, N2, { term: 1, snapshot: bad }))).toBe(RaftError.Malformed);
    expect(core.log.committed).toBe(0);
    expect(core.tracker.members.incoming).toEqual([N1, N2, N3]);
  });

  it('an absent snapshot is an empty one', () => {
    const core = coreOf(N1);
    expect(step(core, message(Snap, N2, { term: 1 }))).toBeNull();
    expect(takeMessages(core)).toMatchObject([{ type: AppResp, index: 0 }]);
  });
});

describe('a leader', () => {
  it('sends one where its log does not reach back, once the peer has answered something', () => {
    const core = leaderAfterSnapshot();
    const peer = progressOf(core, N2);
    peer.match = 0;
    peer.next = core.log.firstIndex();
    step(core, message(AppResp, N2, { term: core.term, index: peer.next - 1, reject: true, rejectHint: 0 }));
    expect(takeMessages(core)).toMatchObject([{ type: Snap, to: N2, snapshot: { index: 11 } }]);
    expect(peer).toMatchObject({ state: ProgressState.Snapshot, pendingSnapshot: 11, next: 12 });
  });

  it('does not send one to a peer that has not answered', () => {
    const core = leaderAfterSnapshot();
    const peer = progressOf(core, N2);
    peer.next = 1;
    peer.recentActive = false;
    peer.flowPaused = false;
    step(core, message(Prop, N1, { entries: [entry(0, 0, bytes('x'))] }));
    expect(takeMessages(core)).toEqual([]);
    step(core, message(HeartbeatResp, N2, { term: core.term }));
    expect(takeMessages(core)).toMatchObject([{ type: Snap }]);
  });

  it('sends nothing else meanwhile', () => {
    const core = leaderAfterSnapshot();
    progressOf(core, N2).becomeSnapshot(11);
    step(core, message(Prop, N1, { entries: [entry(0, 0, bytes('x'))] }));
    expect(takeMessages(core)).toEqual([]);
  });

  it.each([
    [true, 1],
    [false, 12],
  ])('is told the outcome (failed: %s), goes on at %i, and waits for an answer', (reject, next) => {
    const core = leaderAfterSnapshot();
    const peer = progressOf(core, N2);
    peer.next = 1;
    peer.becomeSnapshot(11);
    step(core, message(SnapStatus, N2, { reject }));
    expect(peer).toMatchObject({ state: ProgressState.Probe, pendingSnapshot: 0, next, flowPaused: true });
    // Told twice, it means nothing.
    peer.flowPaused = false;
    step(core, message(SnapStatus, N2, { reject }));
    expect(peer.flowPaused).toBe(false);
  });

  it('an acknowledgement within reach of the log ends the wait, snapshot or not', () => {
    const core = leaderAfterSnapshot();
    const peer = progressOf(core, N2);
    peer.next = 1;
    peer.becomeSnapshot(11);
    step(core, message(AppResp, N2, { term: core.term, index: 11 }));
    expect(peer).toMatchObject({ state: ProgressState.Replicate, pendingSnapshot: 0, match: 11 });
    expect(takeMessages(core).filter(({ type }) => type === App)).toMatchObject([
      { index: 11, entries: [{ index: 12 }] },
    ]);
  });

  it('tries again later when there is no snapshot yet', () => {
    const core = leaderAfterSnapshot();
    const peer = progressOf(core, N2);
    const { storage } = core.config as { storage: Storage };
    storage.snapshot = () => StorageError.SnapshotTemporarilyUnavailable;
    peer.next = 1;
    step(core, message(HeartbeatResp, N2, { term: core.term }));
    expect(takeMessages(core)).toEqual([]);
    expect(peer.state).toBe(ProgressState.Probe);
  });
});

describe('clusters', () => {
  it('a node that slept through a compaction catches up by snapshot', () => {
    const cluster = new Cluster([N1, N2, N3]);
    cluster.campaign(N1);
    cluster.isolate(N3);
    for (let i = 0; i < 50; i++) cluster.propose(N1, `p${i}`);
    const leader = cluster.at(N1);
    const confState = leader.raft.status().config;
    leader.storage.createSnapshot(leader.raft.basicStatus().applied, confState, null);
    leader.storage.compact(leader.raft.basicStatus().applied);
    cluster.heal();
    for (let i = 0; i < 3; i++) cluster.tick(N1);
    expect(cluster.trace.some(({ type, to }) => type === Snap && to === N3)).toBe(true);
    cluster.propose(N1, 'last');
    expect(cluster.appliedTexts(N3)).toEqual(['last']);
    expect(cluster.raft(N3).basicStatus()).toMatchObject({ commit: cluster.raft(N1).basicStatus().commit });
  });

  it('a learner is brought up by snapshot too', () => {
    const start: Start = { voters: [N1], learners: [N2] };
    const cluster = new Cluster([N1, N2], {}, () => start);
    cluster.isolate(N2);
    cluster.campaign(N1);
    cluster.propose(N1, 'a');
    const leader = cluster.at(N1);
    leader.storage.createSnapshot(2, leader.raft.status().config, null);
    leader.storage.compact(2);
    cluster.heal();
    for (let i = 0; i < 3; i++) cluster.tick(N1);
    expect(cluster.raft(N2).inspect()).toMatchObject({ commit: 2, isLearner: true, role: Role.Follower });
  });
});
