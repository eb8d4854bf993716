import { describe, expect, it } from 'vitest';
import { ConfChangeType, MessageType, NONE, type NodeId, RaftError, Role } from '../../src/raft/index.ts';
import { isTransferContext } from '../../src/raft/message.ts';
import { step } from '../../src/raft/step.ts';
import { Cluster } from './cluster.ts';
import { bytes, coreOf, message, N1, N2, N3, N4, takeMessages } from './helper.ts';

const { App, TimeoutNow, TransferLeader, Vote } = MessageType;

function clusterLedBy1(options: ConstructorParameters<typeof Cluster>[1] = {}): Cluster {
  const cluster = new Cluster([N1, N2, N3], options);
  cluster.campaign(N1);
  return cluster;
}

function transfer(cluster: Cluster, to: NodeId, asking: NodeId = N1): void {
  cluster.raft(asking).transferLeader(to);
  cluster.settle();
}

describe('leadership goes over', () => {
  it('to a node that is up to date, and back', () => {
    const cluster = clusterLedBy1();
    transfer(cluster, N2);
    expect(cluster.leaders()).toEqual([N2]);
    expect(cluster.raft(N1).basicStatus()).toMatchObject({ role: Role.Follower, lead: N2 });
    transfer(cluster, N1, N2);
    expect(cluster.leaders()).toEqual([N1]);
  });

  it('despite leases and pre-vote: the votes are forced, and asked for at once', () => {
    const cluster = clusterLedBy1({ checkQuorum: true, preVote: true });
    transfer(cluster, N3);
    expect(cluster.leaders()).toEqual([N3]);
    const votes = cluster.trace.filter(({ type, from }) => type === Vote && from === N3);
    expect(votes.every(({ context }) => isTransferContext(context))).toBe(true);
    expect(cluster.trace.some(({ type, from }) => type === MessageType.PreVote && from === N3)).toBe(false);
  });

  it('when a follower asks, by way of the leader', () => {
    const cluster = clusterLedBy1();
    transfer(cluster, N2, N3);
    expect(cluster.leaders()).toEqual([N2]);
    const forwarded = cluster.trace.find(({ type }) => type === TransferLeader);
    expect(forwarded).toMatchObject({ from: N2, to: N1, term: 1 });
  });

  it('to a slow node, after it has caught up', () => {
    const cluster = clusterLedBy1();
    cluster.isolate(N3);
    cluster.propose(N1, 'a');
    cluster.heal();
    transfer(cluster, N3);
    // Its window still waits for what was lost; a heartbeat's answer gets it going.
    cluster.tick(N1);
    expect(cluster.leaders()).toEqual([N3]);
  });

  it('to a node that needs a snapshot first', () => {
    const cluster = clusterLedBy1();
    cluster.isolate(N3);
    cluster.propose(N1, 'a');
    const leader = cluster.at(N1);
    leader.storage.createSnapshot(2, leader.raft.status().config, null);
    leader.storage.compact(2);
    cluster.heal();
    transfer(cluster, N3);
    expect(cluster.trace.some(({ type, to }) => type === MessageType.Snap && to === N3)).toBe(true);
    expect(cluster.leaders()).toEqual([N3]);
  });
});

describe('while it is under way', () => {
  function stuckOn3(options: ConstructorParameters<typeof Cluster>[1] = {}): Cluster {
    const cluster = clusterLedBy1(options);
    cluster.isolate(N3);
    transfer(cluster, N3);
    expect(cluster.raft(N1).basicStatus().leadTransferee).toBe(N3);
    return cluster;
  }

  it('proposals are dropped', () => {
    const cluster = stuckOn3();
    expect(cluster.raft(N1).propose(bytes('x'))).toBe(RaftError.ProposalDropped);
  });

  it('an election timeout ends it', () => {
    const cluster = stuckOn3();
    cluster.tick(N1, 9);
    expect(cluster.raft(N1).basicStatus().leadTransferee).toBe(N3);
    cluster.tick(N1);
    expect(cluster.raft(N1).basicStatus()).toMatchObject({ leadTransferee: NONE, role: Role.Leader, term: 1 });
    expect(cluster.raft(N1).propose(bytes('x'))).toBeNull();
  });

  it('the same again does not start the clock anew', () => {
    const cluster = stuckOn3();
    cluster.tick(N1, 5);
    transfer(cluster, N3);
    cluster.tick(N1, 5);
    expect(cluster.raft(N1).basicStatus().leadTransferee).toBe(NONE);
  });

  it('another target takes its place, and itself as target ends it', () => {
    const other = stuckOn3();
    transfer(other, N2);
    expect(other.leaders()).toEqual([N2]);
    const self = stuckOn3();
    transfer(self, N1);
    expect(self.raft(N1).basicStatus()).toMatchObject({ leadTransferee: NONE, role: Role.Leader });
  });

  it('a candidate of a higher term ends it', () => {
    const cluster = stuckOn3();
    cluster.campaign(N2);
    expect(cluster.leaders()).toEqual([N2]);
    expect(cluster.raft(N1).basicStatus().leadTransferee).toBe(NONE);
  });

  it.each([ConfChangeType.RemoveNode, ConfChangeType.AddLearnerNode])(
    'the target’s removal or demotion ends it (change type %i)',
    (type) => {
      const cluster = stuckOn3();
      cluster.unwatch();
      cluster.raft(N1).applyConfChange({ version: 1, id: NONE, type, nodeId: N3, context: null });
      expect(cluster.raft(N1).basicStatus().leadTransferee).toBe(NONE);
    },
  );
});

describe('nothing happens', () => {
  it('for a learner, an unknown node, or the leader itself', () => {
    const cluster = new Cluster([N1, N2, N3], {}, () => ({ voters: [N1, N2], learners: [N3] }));
    cluster.campaign(N1);
    for (const id of [N3, N4, N1]) transfer(cluster, id);
    expect(cluster.raft(N1).basicStatus()).toMatchObject({ role: Role.Leader, leadTransferee: NONE });
    expect(cluster.trace.some(({ type }) => type === TimeoutNow)).toBe(false);
  });

  it('without a leader to ask', () => {
    const core = coreOf(N1);
    step(core, message(TransferLeader, N2));
    expect(takeMessages(core)).toEqual([]);
  });

  it('when a removed node is told to time out', () => {
    const core = coreOf(N1, { voters: [N2, N3] });
    step(core, message(TimeoutNow, N2, { term: 1 }));
    expect(core.role).toBe(Role.Follower);
  });
});

it('the word is passed again when the target acknowledges again', () => {
  const cluster = clusterLedBy1();
  cluster.loses = ({ type, to }) => type === TimeoutNow || (type === App && to === N3);
  cluster.propose(N1, 'x');
  cluster.heal();
  transfer(cluster, N3);
  cluster.tick(N1);
  expect(cluster.leaders()).toEqual([N3]);
});
