import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/raft/core.ts';
import {
  type Behaviour,
  type Config,
  MessageType,
  NONE,
  type NodeId,
  type ReadOnlyOption,
} from '../../src/raft/index.ts';
import { unstamped } from '../../src/raft/message.ts';
import { step } from '../../src/raft/step.ts';
import { Cluster } from './cluster.ts';
import { bytes, coreOf, lead, message, N1, N2, N3, N4, takeMessages, text } from './helper.ts';

const { AppResp, Heartbeat, HeartbeatResp, ReadIndex, ReadIndexResp } = MessageType;
const BEHAVIOURS: readonly Behaviour[] = ['3.6', '3.7'];

function ask(cluster: Cluster, id: NodeId, context: string): void {
  cluster.raft(id).readIndex(bytes(context));
  cluster.settle();
}

function readsOf(cluster: Cluster, id: NodeId): [number, string][] {
  return cluster.at(id).reads.map(({ index, requestContext }) => [index, text(requestContext)]);
}

function leaderThatCommitted(options: Partial<Config>): Core {
  const core = coreOf(N1, {}, options);
  lead(core);
  step(core, message(AppResp, N2, { term: 1, index: 1 }));
  takeMessages(core);
  return core;
}

function request(core: Core, context: string): void {
  step(core, message(ReadIndex, NONE, { entries: [unstamped(bytes(context))] }));
}

for (const behaviour of BEHAVIOURS) {
  describe(`as ${behaviour}`, () => {
    it.each([
      ['safe', N1],
      ['safe', N2],
      ['safe', N4],
      ['lease-based', N1],
      ['lease-based', N2],
      ['lease-based', N4],
    ] as const)('%s reads are answered at node %s, learners included', (readOnly: ReadOnlyOption, id) => {
      const cluster = new Cluster([N1, N2, N3, N4], { behaviour, readOnly, checkQuorum: true }, () => ({
        voters: [N1, N2, N3],
        learners: [N4],
      }));
      cluster.campaign(N1);
      for (let i = 0; i < 3; i++) {
        cluster.propose(N1, `p${i}`);
        ask(cluster, id, `r${i}`);
      }
      expect(readsOf(cluster, id)).toEqual([
        [2, 'r0'],
        [3, 'r1'],
        [4, 'r2'],
      ]);
    });

    it('safe reads wait for a quorum, lease-based ones do not', () => {
      for (const readOnly of ['safe', 'lease-based'] as const) {
        const cluster = new Cluster([N1, N2, N3], { behaviour, readOnly, checkQuorum: true });
        cluster.campaign(N1);
        cluster.isolate(N1);
        ask(cluster, N1, 'r');
        expect(readsOf(cluster, N1)).toEqual(readOnly === 'safe' ? [] : [[1, 'r']]);
      }
    });

    it('a new leader postpones reads until it has committed in its term, then answers all', () => {
      const cluster = new Cluster([N1, N2, N3], { behaviour }, () => ({
        terms: [1, 1],
        hardState: { term: 1, commit: 1 },
      }));
      cluster.loses = ({ type }) => type === MessageType.App;
      cluster.campaign(N1);
      // The others learn of the leader by heartbeat only.
      cluster.tick(N1);
      ask(cluster, N1, 'a');
      ask(cluster, N2, 'b');
      expect(cluster.raft(N1).inspect().postponedReads).toBe(2);
      cluster.heal();
      cluster.tick(N1);
      expect(readsOf(cluster, N1)).toEqual([[3, 'a']]);
      expect(readsOf(cluster, N2)).toEqual([[3, 'b']]);
      expect(cluster.raft(N1).inspect()).toMatchObject({ postponedReads: 0, unconfirmedReads: 0 });
    });

    it('a deposed leader answers none of the reads it was asked', () => {
      const cluster = new Cluster([N1, N2, N3], { behaviour });
      cluster.campaign(N1);
      cluster.isolate(N1);
      ask(cluster, N1, 'stale');
      cluster.campaign(N2);
      cluster.propose(N2, 'new');
      cluster.heal();
      cluster.tick(N2);
      expect(readsOf(cluster, N1)).toEqual([]);
      expect(cluster.raft(N1).inspect().unconfirmedReads).toBe(0);
    });

    it('a follower without a leader drops the question', () => {
      const core = coreOf(N1, {}, { behaviour });
      request(core, 'r');
      expect(takeMessages(core)).toEqual([]);
    });

    it('a follower passes an old leader’s readers on to the new one', () => {
      const cluster = new Cluster([N1, N2, N3], { behaviour });
      cluster.campaign(N1);
      cluster.campaign(N2);
      cluster.unwatch();
      // Node 3 still believes in node 1, which knows better.
      cluster.raft(N1).step(message(ReadIndex, N3, { to: N1, entries: [unstamped(bytes('r'))] }));
      cluster.settle();
      expect(readsOf(cluster, N3)).toEqual([[2, 'r']]);
    });

    it('one voter answers by itself', () => {
      const cluster = new Cluster([N1], { behaviour });
      cluster.campaign(N1);
      ask(cluster, N1, 'r');
      expect(readsOf(cluster, N1)).toEqual([[1, 'r']]);
    });

    it('an answer confirms all reads asked before the heartbeat it answers', () => {
      const core = leaderThatCommitted({ behaviour });
      for (const context of ['a', 'b', 'c']) request(core, context);
      const marks = takeMessages(core)
        .filter(({ to }) => to === N2)
        .map(({ context }) => context);
      step(core, message(HeartbeatResp, N2, { term: 1, context: marks[1]! }));
      expect(core.readStates.map(({ requestContext }) => text(requestContext))).toEqual(['a', 'b']);
      step(core, message(HeartbeatResp, N2, { term: 1, context: marks[0]! }));
      expect(core.readStates).toHaveLength(2);
      step(core, message(HeartbeatResp, N2, { term: 1, context: marks[2]! }));
      expect(core.readStates).toHaveLength(3);
      expect(core.reads.waiting()).toBe(0);
      expect(core.reads.heartbeatMark()).toBeNull();
    });

    it('a lost heartbeat is made up for by the next, which carries the last mark', () => {
      const core = leaderThatCommitted({ behaviour });
      request(core, 'a');
      request(core, 'b');
      takeMessages(core);
      step(core, message(MessageType.Beat, N1));
      const [beat] = takeMessages(core);
      expect(beat).toMatchObject({ type: Heartbeat, to: N2 });
      step(core, message(HeartbeatResp, N3, { term: 1, context: beat!.context }));
      expect(core.readStates).toHaveLength(2);
    });

    it('answers without a mark, of learners or of strange length confirm nothing', () => {
      const core = coreOf(N1, { voters: [N1, N2, N3], learners: [N4] }, { behaviour });
      lead(core);
      step(core, message(AppResp, N2, { term: 1, index: 1 }));
      takeMessages(core);
      request(core, 'a');
      const [beat] = takeMessages(core);
      step(core, message(HeartbeatResp, N2, { term: 1 }));
      step(core, message(HeartbeatResp, N2, { term: 1, context: new Uint8Array(0) }));
      step(core, message(HeartbeatResp, N4, { term: 1, context: beat!.context }));
      step(core, message(HeartbeatResp, N2, { term: 1, context: new Uint8Array(3) }));
      expect(core.readStates).toEqual([]);
    });
  });
}

it('a response with other than one entry is not taken', () => {
  const core = coreOf(N1);
  step(core, message(ReadIndexResp, N2, { index: 4 }));
  expect(core.readStates).toEqual([]);
});
