import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/raft/core.ts';
import {
  type Config,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  nodeId,
  ProgressState,
  RaftError,
  Role,
} from '../../src/raft/index.ts';
import { unstamped } from '../../src/raft/message.ts';
import { maybeCommit } from '../../src/raft/replication.ts';
import { step } from '../../src/raft/step.ts';
import { tick } from '../../src/raft/ticks.ts';
import { Cluster } from './cluster.ts';
import {
  coreOf,
  entries,
  entry,
  lead,
  message,
  N1,
  N2,
  N3,
  N4,
  N5,
  progressOf,
  type Start,
  takeMessages,
  termsOf,
} from './helper.ts';

const { App, AppResp, Heartbeat, HeartbeatResp, Prop, Unreachable } = MessageType;
const { Probe, Replicate, Snapshot } = ProgressState;

function leaderOf(start: Start = {}, options: Partial<Config> = {}): Core {
  const core = coreOf(N1, start, options);
  lead(core);
  return core;
}

function propose(core: Core, ...sizes: number[]): RaftError | null {
  return step(
    core,
    message(Prop, N1, { entries: sizes.map((size) => unstamped(size === 0 ? null : new Uint8Array(size))) }),
  );
}

function ack(core: Core, from: NodeId, index: number): RaftError | null {
  return step(core, message(AppResp, from, { term: core.term, index }));
}

function appends(messages: readonly Message[], to: NodeId): Message[] {
  return messages.filter((one) => one.type === App && one.to === to);
}

function allTerms(core: Core): number[] {
  const list = core.log.entries(core.log.firstIndex(), Number.MAX_SAFE_INTEGER);
  return typeof list === 'string' ? [] : termsOf(list);
}

describe('a proposal', () => {
  it('is appended and sent on, and commits with a quorum only', () => {
    const core = leaderOf();
    ack(core, N2, 1);
    ack(core, N3, 1);
    takeMessages(core);
    propose(core, 4);
    expect(core.log.committed).toBe(1);
    const sent = takeMessages(core);
    expect(appends(sent, N2)).toMatchObject([{ index: 1, logTerm: 1, commit: 1, entries: [{ term: 1, index: 2 }] }]);
    ack(core, N2, 2);
    expect(core.log.committed).toBe(2);
    expect(appends(takeMessages(core), N3)).toMatchObject([{ commit: 2, entries: [] }]);
  });

  it.each([
    [1, [], true],
    [3, [], false],
    [3, [N2], true],
    [3, [N2, N3], true],
    [5, [], false],
    [5, [N2], false],
    [5, [N2, N3], true],
    [5, [N2, N3, N4, N5], true],
  ] as const)('of a cluster of %i, acknowledged by %j: committed %s', (size, from, committed) => {
    const voters = Array.from({ length: size }, (_, i) => nodeId(i + 1));
    const core = leaderOf({ voters });
    for (const { id } of core.tracker.all) if (id !== N1) ack(core, id, 1);
    propose(core, 4);
    takeMessages(core);
    for (const id of from) ack(core, id, 2);
    expect(core.log.committed === 2).toBe(committed);
  });

  it('counts on the own log only once that is durable', () => {
    const core = leaderOf({ voters: [N1] });
    propose(core, 4);
    expect(progressOf(core, N1).match).toBe(1);
    takeMessages(core);
    expect(progressOf(core, N1).match).toBe(2);
    expect(core.log.committed).toBe(2);
  });

  it('commits everything before it, but nothing of an earlier term by itself', () => {
    const cluster = new Cluster([N1, N2, N3], {}, () => ({ terms: [1, 1, 2], hardState: { term: 2, commit: 1 } }));
    cluster.loses = ({ type }) => type === App;
    cluster.campaign(N1);
    expect(cluster.raft(N1).basicStatus().commit).toBe(1);
    cluster.heal();
    cluster.tick(N1);
    for (const id of [N1, N2, N3]) expect(cluster.raft(id).basicStatus().commit).toBe(4);
  });

  // Own and others' match, terms of the log, current term; where that commits.
  it.each([
    [[1], [1], 1, 1],
    [[1], [1], 2, 0],
    [[2], [1, 2], 2, 2],
    [[1], [2], 2, 1],
    [[2, 1, 1], [1, 2], 1, 1],
    [[2, 1, 1], [1, 1], 2, 0],
    [[2, 1, 2], [1, 2], 2, 2],
    [[2, 1, 2], [1, 1], 2, 0],
    [[2, 1, 1, 1], [1, 2], 1, 1],
    [[2, 1, 1, 2], [1, 2], 1, 1],
    [[2, 1, 2, 2], [1, 2], 2, 2],
    [[2, 1, 2, 2], [1, 1], 2, 0],
  ])('matches %j on terms %j in term %i commit up to %i', (matches, terms, term, expected) => {
    const core = coreOf(N1, { voters: matches.map((_, i) => nodeId(i + 1)), terms, hardState: { term } });
    for (const [i, match] of matches.entries()) progressOf(core, nodeId(i + 1)).match = match;
    maybeCommit(core);
    expect(core.log.committed).toBe(expected);
  });

  it('reaches the leader from any node, unless forwarding is off', () => {
    const cluster = new Cluster([N1, N2, N3]);
    expect(cluster.raft(N2).propose(new Uint8Array(1))).toBe(RaftError.ProposalDropped);
    cluster.campaign(N1);
    cluster.propose(N2, 'from 2');
    expect(cluster.appliedTexts(N3)).toEqual(['from 2']);
    const off = new Cluster([N1, N2, N3], { disableProposalForwarding: true });
    off.campaign(N1);
    expect(off.raft(N2).propose(new Uint8Array(1))).toBe(RaftError.ProposalDropped);
    expect(off.raft(N1).propose(new Uint8Array(1))).toBeNull();
  });

  it('without entries is illegal on a leader, and dropped by candidates', () => {
    expect(() => step(leaderOf(), message(Prop, N1))).toThrow('1 stepped empty MsgProp');
    const candidate = coreOf(N1);
    candidate.becomeCandidate();
    expect(propose(candidate, 1)).toBe(RaftError.ProposalDropped);
  });

  it('several in one message are appended together', () => {
    const core = leaderOf();
    expect(propose(core, 1, 2, 3)).toBeNull();
    expect(core.log.lastIndex()).toBe(4);
  });
});

describe('learners', () => {
  it('get everything and count for nothing', () => {
    const cluster = new Cluster([N1, N2], {}, () => ({ voters: [N1], learners: [N2] }));
    cluster.campaign(N1);
    cluster.propose(N1, 'a');
    expect(cluster.appliedTexts(N2)).toEqual(['a']);
    const core = leaderOf({ voters: [N1, N2], learners: [N3] });
    ack(core, N3, 1);
    expect(core.log.committed).toBe(0);
  });
});

describe('a follower', () => {
  // Log of terms 1, 2 committed up to 1; previous term and index of an empty append.
  it.each([
    [0, 0, 1, false, 0, 0],
    [1, 1, 1, false, 0, 0],
    [2, 2, 2, false, 0, 0],
    [1, 2, 2, true, 1, 1],
    [3, 3, 3, true, 2, 2],
  ])('answers an append after term %i index %i', (logTerm, index, answered, reject, rejectHint, hintTerm) => {
    const core = coreOf(N1, { terms: [1, 2], hardState: { commit: 1 } });
    core.becomeFollower(2, N2);
    step(core, message(App, N2, { term: 2, logTerm, index }));
    expect(takeMessages(core)).toMatchObject([
      { type: AppResp, to: N2, term: 2, index: answered, reject, rejectHint, logTerm: hintTerm },
    ]);
  });

  it.each([
    [2, 2, [3], [1, 2, 3], [3]],
    [1, 1, [3, 4], [1, 3, 4], [3, 4]],
    [0, 0, [1], [1, 2], []],
    [0, 0, [3], [3], [3]],
  ])('after term %i index %i, takes in %j', (logTerm, index, terms, expected, unstable) => {
    const core = coreOf(N1, { terms: [1, 2] });
    core.becomeFollower(2, N2);
    step(core, message(App, N2, { term: 2, logTerm, index, entries: entries(index + 1, ...terms) }));
    expect(allTerms(core)).toEqual(expected);
    expect(termsOf(core.log.unstable.nextEntries())).toEqual(unstable);
  });

  // Log 1, 2: an append, the last index afterwards, the commit index, whether refused.
  it.each([
    [3, 2, 3, [], 2, 0, true],
    [3, 3, 3, [], 2, 0, true],
    [1, 1, 1, [], 2, 1, false],
    [0, 0, 1, [2], 1, 1, false],
    [2, 2, 3, [2, 2], 4, 3, false],
    [2, 2, 4, [2], 3, 3, false],
    [1, 1, 4, [2], 2, 2, false],
    [1, 1, 3, [], 2, 1, false],
    [2, 2, 3, [], 2, 2, false],
  ])('after term %i index %i, commit %i and terms %j', (logTerm, index, commit, terms, last, committed, reject) => {
    const core = coreOf(N1, { terms: [1, 2] });
    core.becomeFollower(2, N2);
    step(core, message(App, N2, { term: 2, logTerm, index, commit, entries: entries(index + 1, ...terms) }));
    expect([core.log.lastIndex(), core.log.committed]).toEqual([last, committed]);
    expect(takeMessages(core)).toMatchObject([{ reject }]);
  });

  it('commits by heartbeat, never back', () => {
    for (const [commit, expected] of [
      [3, 3],
      [1, 2],
    ] as const) {
      const core = coreOf(N1, { terms: [1, 2, 3] });
      core.becomeFollower(2, N2);
      core.log.commitTo(2);
      step(core, message(Heartbeat, N2, { term: 2, commit, context: Uint8Array.of(7) }));
      expect(core.log.committed).toBe(expected);
      expect(takeMessages(core)).toMatchObject([{ type: HeartbeatResp, context: Uint8Array.of(7) }]);
    }
  });

  it('ends up with the leader’s log, whatever it had (figure 7 of the paper)', () => {
    const leaderLog = [1, 1, 1, 4, 4, 5, 5, 6, 6, 6];
    const logs = [
      [1, 1, 1, 4, 4, 5, 5, 6, 6],
      [1, 1, 1, 4],
      [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 6],
      [1, 1, 1, 4, 4, 5, 5, 6, 6, 6, 7, 7],
      [1, 1, 1, 4, 4, 4, 4],
      [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3],
    ];
    for (const terms of logs) {
      const cluster = new Cluster([N1, N2, N3], {}, (id) => ({
        terms: id === N1 ? leaderLog : id === N2 ? terms : [],
        hardState: { term: id === N1 ? 8 : 7 },
      }));
      cluster.campaign(N1);
      cluster.propose(N1, 'x');
      const [a, b] = [N1, N2].map((id) => cluster.raft(id).inspect().entries);
      expect(b).toEqual(a);
      expect(termsOf(b!)).toEqual([...leaderLog, 9, 9]);
    }
  });
});

describe('a rejection', () => {
  // Leader's and follower's terms, the hint the follower gives, where the leader tries next.
  it.each([
    [[1, 2, 2, 4, 4, 4, 4], [1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3], 0, 3, 7, 2, 3],
    [[1, 2, 2, 3, 4, 4, 4, 5], [1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3], 0, 3, 8, 3, 4],
    [[1, 1, 1, 1], [1, 2, 2, 4], 0, 1, 1, 1, 1],
    [[1, 1, 1, 1, 1, 1], [1, 2, 2, 4], 0, 1, 1, 1, 1],
    [[1, 1, 1, 1], [1, 2, 2, 4, 4, 4], 0, 1, 1, 1, 1],
    [[1, 1, 1, 4, 5], [1, 1, 1, 4], 0, 4, 4, 4, 4],
    [[2, 5, 5, 5, 5, 5, 5, 5, 5], [2, 4, 4, 4, 4, 4], 0, 4, 6, 2, 1],
    [[2, 2, 2, 2, 2], [2, 4, 4, 4, 4, 4, 4, 4], 0, 2, 1, 2, 1],
    [[1, 1, 3], [1, 1, 3, 3, 3], 5, 0, 3, 1, 2],
  ])('leader %j, follower %j', (leaderTerms, followerTerms, compacted, hintTerm, hint, nextTerm, nextIndex) => {
    const last = leaderTerms[leaderTerms.length - 1]!;
    const leader = coreOf(N1, { terms: leaderTerms, hardState: { term: last - 1, commit: leaderTerms.length } });
    leader.log.appliedTo(leaderTerms.length, 0);
    lead(leader);
    const start = { terms: followerTerms, hardState: { term: last, vote: N1 } };
    const follower = coreOf(N2, start);
    if (compacted > 0) (follower.config.storage as unknown as { compact(i: number): void }).compact(compacted);
    step(follower, message(Heartbeat, N1));
    const [heartbeatAnswer] = takeMessages(follower);
    step(leader, heartbeatAnswer!);
    const [probe] = takeMessages(leader);
    expect(probe!.type).toBe(App);
    step(follower, probe!);
    const [rejection] = takeMessages(follower);
    expect(rejection).toMatchObject({ reject: true, logTerm: hintTerm, rejectHint: hint });
    step(leader, rejection!);
    expect(takeMessages(leader)[0]).toMatchObject({ type: App, logTerm: nextTerm, index: nextIndex });
  });

  it('out of date changes nothing, nor lowers next to what is acknowledged', () => {
    const core = leaderOf({ terms: [1, 1], hardState: { term: 1 } });
    ack(core, N2, 3);
    takeMessages(core);
    step(core, message(AppResp, N2, { term: core.term, index: 2, reject: true, rejectHint: 0 }));
    expect(progressOf(core, N2)).toMatchObject({ match: 3, next: 4, state: Replicate });
    expect(takeMessages(core)).toEqual([]);
  });
});

describe('an answer to an append, to a leader with log 1, 1, 2', () => {
  // Index, reject; match and next afterwards, appends sent to all, with which previous index and commit.
  it.each([
    [3, true, 0, 3, 0, 0, 0],
    [2, true, 0, 2, 1, 1, 0],
    [3, false, 3, 4, 2, 3, 3],
    [0, false, 0, 4, 1, 0, 0],
  ])('index %i, reject %s', (index, reject, match, next, count, prev, commit) => {
    const core = leaderOf({ terms: [1, 1], hardState: { term: 1 } });
    // What a new leader assumes: next is what it sends first.
    expect(progressOf(core, N2)).toMatchObject({ match: 0, next: 3 });
    step(core, message(AppResp, N2, { term: core.term, index, reject, rejectHint: index }));
    expect(progressOf(core, N2)).toMatchObject({ match, next });
    const sent = takeMessages(core);
    // To the other peer, in Probe and waiting, nothing but what a commit brings.
    expect(sent.filter(({ to }) => to === N2)).toHaveLength(Math.min(count, 1));
    for (const one of appends(sent, N2)) expect([one.index, one.commit]).toEqual([prev, commit]);
  });
});

describe('a probe', () => {
  it('sends one append until an answer or a heartbeat’s answer', () => {
    const core = leaderOf({ voters: [N1, N2] });
    const peer = progressOf(core, N2);
    expect(peer).toMatchObject({ state: Probe, flowPaused: true });
    for (let i = 0; i < 3; i++) propose(core, 10);
    expect(appends(takeMessages(core), N2)).toEqual([]);
    tick(core);
    expect(peer.flowPaused).toBe(true);
    step(core, message(HeartbeatResp, N2, { term: 1 }));
    expect(appends(takeMessages(core), N2)).toHaveLength(1);
    expect(peer.flowPaused).toBe(true);
    ack(core, N2, 1);
    expect(peer).toMatchObject({ state: Replicate, flowPaused: false });
    // All that waited, in one message.
    expect(appends(takeMessages(core), N2)).toMatchObject([{ entries: [{ index: 2 }, { index: 3 }, { index: 4 }] }]);
  });

  it('in Replicate sends each proposal at once, ahead of the answers', () => {
    const core = leaderOf({ voters: [N1, N2] });
    ack(core, N2, 1);
    takeMessages(core);
    for (let i = 0; i < 10; i++) propose(core, 10);
    expect(appends(takeMessages(core), N2)).toHaveLength(10);
    expect(progressOf(core, N2)).toMatchObject({ match: 1, next: 12 });
  });

  it('in Snapshot nothing is sent', () => {
    const core = leaderOf({ voters: [N1, N2] });
    progressOf(core, N2).becomeSnapshot(10);
    for (let i = 0; i < 10; i++) propose(core, 10);
    expect(takeMessages(core)).toEqual([]);
  });

  it('follows a report that a message could not be sent', () => {
    const core = leaderOf({ voters: [N1, N2] });
    ack(core, N2, 1);
    for (let i = 0; i < 5; i++) propose(core, 10);
    expect(progressOf(core, N2).next).toBe(7);
    step(core, message(Unreachable, N2));
    expect(progressOf(core, N2)).toMatchObject({ state: Probe, match: 1, next: 2 });
    progressOf(core, N2).becomeSnapshot(9);
    step(core, message(Unreachable, N2));
    expect(progressOf(core, N2).state).toBe(Snapshot);
  });
});

describe('heartbeats', () => {
  it('tell each peer the commit index up to what it acknowledged', () => {
    const core = leaderOf({ voters: [N1, N2, N3] });
    ack(core, N2, 1);
    takeMessages(core);
    tick(core);
    const commits = takeMessages(core).map(({ type, to, commit }) => [type, to, commit]);
    expect(commits).toEqual([
      [Heartbeat, N2, 1],
      [Heartbeat, N3, 0],
    ]);
    expect(progressOf(core, N3).sentCommit).toBe(0);
  });

  it('are answered by appends only to those that lag', () => {
    const core = leaderOf({ voters: [N1, N2] });
    step(core, message(HeartbeatResp, N2, { term: 1 }));
    expect(appends(takeMessages(core), N2)).toHaveLength(1);
    ack(core, N2, 1);
    takeMessages(core);
    step(core, message(HeartbeatResp, N2, { term: 1 }));
    expect(takeMessages(core)).toEqual([]);
  });
});

describe('flow control', () => {
  it('batches by size, and stops at the window of messages and of bytes', () => {
    const core = leaderOf(
      { voters: [N1, N2] },
      { maxInflightMsgs: 3, maxSizePerMsgBytes: 2048, maxInflightBytes: 9000 },
    );
    progressOf(core, N2).becomeProbe();
    takeMessages(core);
    for (let i = 0; i < 22; i++) propose(core, i >= 10 && i < 16 ? 5000 : 1000);
    const first = appends(takeMessages(core), N2);
    expect(first.map((one) => one.entries.length)).toEqual([2]);
    const lastOf = (messages: readonly Message[]): number => messages[messages.length - 1]!.entries.at(-1)!.index;
    let index = lastOf(first);
    for (const counts of [[2, 2, 2], [2, 1, 1], [1, 1], [1, 1], [1, 2, 2], [2]]) {
      ack(core, N2, index);
      const sent = appends(takeMessages(core), N2);
      expect(sent.map((one) => one.entries.length)).toEqual(counts);
      index = lastOf(sent);
    }
  });

  it('a full window sends nothing more, and an acknowledgement frees all up to it', () => {
    const core = leaderOf({ voters: [N1, N2] }, { maxInflightMsgs: 8 });
    ack(core, N2, 1);
    takeMessages(core);
    for (let i = 0; i < 8; i++) propose(core, 10);
    expect(appends(takeMessages(core), N2)).toHaveLength(8);
    expect(progressOf(core, N2).inflights.full()).toBe(true);
    for (let i = 0; i < 5; i++) propose(core, 10);
    expect(appends(takeMessages(core), N2)).toEqual([]);
    ack(core, N2, 4);
    expect(progressOf(core, N2).inflights.count).toBe(6);
    expect(appends(takeMessages(core), N2).map((one) => one.entries.length)).toEqual([5]);
    ack(core, N2, 3);
    expect(progressOf(core, N2).inflights.count).toBe(6);
  });

  it('each heartbeat’s answer lets one empty message through a full window', () => {
    const core = leaderOf({ voters: [N1, N2] }, { maxInflightMsgs: 2 });
    ack(core, N2, 1);
    for (let i = 0; i < 4; i++) propose(core, 10);
    takeMessages(core);
    for (let i = 0; i < 3; i++) {
      step(core, message(HeartbeatResp, N2, { term: 1 }));
      expect(appends(takeMessages(core), N2).map((one) => one.entries.length)).toEqual([0]);
      propose(core, 10);
      expect(appends(takeMessages(core), N2)).toEqual([]);
    }
  });

  it('an entry larger than the limit travels alone', () => {
    const core = leaderOf({ voters: [N1, N2] }, { maxSizePerMsgBytes: 0 });
    ack(core, N2, 1);
    for (let i = 0; i < 3; i++) propose(core, 10);
    ack(core, N2, 2);
    expect(appends(takeMessages(core), N2).every((one) => one.entries.length <= 1)).toBe(true);
  });
});

describe('the uncommitted tail', () => {
  it('is limited by payload, apart from the first entry and from empty ones', () => {
    const core = leaderOf({ voters: [N1, N2] }, { maxUncommittedSizeBytes: 100 });
    expect(propose(core, 1000)).toBeNull();
    expect(propose(core, 1)).toBe(RaftError.ProposalDropped);
    expect(propose(core, 0)).toBeNull();
    expect(core.uncommittedSize).toBe(1000);
  });

  it('shrinks as entries are applied, not below zero, and starts anew with each role', () => {
    const core = leaderOf({ voters: [N1] }, { maxUncommittedSizeBytes: 100 });
    propose(core, 60, 30);
    expect(propose(core, 20)).toBe(RaftError.ProposalDropped);
    takeMessages(core);
    const applied = core.log.nextCommitted(true);
    core.log.acceptApplying(3, 0, true);
    step(core, message(MessageType.StorageApplyResp, NONE, { entries: applied }));
    expect(core.uncommittedSize).toBe(0);
    propose(core, 50);
    core.becomeFollower(2, N2);
    expect(core.uncommittedSize).toBe(0);
    step(core, message(MessageType.StorageApplyResp, NONE, { entries: [entry(1, 3, new Uint8Array(500))] }));
    expect(core.uncommittedSize).toBe(0);
  });
});

it('a lagging commit index is told as soon as an acknowledgement shows the way is free', () => {
  const cluster = new Cluster([N1, N2, N3]);
  cluster.campaign(N1);
  cluster.propose(N1, 'a');
  for (const id of [N1, N2, N3]) expect(cluster.raft(id).basicStatus().commit).toBe(2);
  expect(cluster.role(N1)).toBe(Role.Leader);
});
