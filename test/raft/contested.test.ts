import { describe, expect, it } from 'vitest';
import { type Message, MessageType, RawNode, Role } from '../../src/raft/index.ts';
import { step } from '../../src/raft/step.ts';
import { KeyedRandom } from '../../src/sim/random.ts';
import { Cluster } from './cluster.ts';
import {
  configOf,
  coreOf,
  entries,
  lead,
  message,
  N1,
  N2,
  N3,
  N4,
  N5,
  progressOf,
  storageWith,
  takeMessages,
} from './helper.ts';

const { App, AppResp, Hup, Prop, VoteResp } = MessageType;

/** Elections that several nodes want to win (reference/raft.md C1, C2). */
describe('timeouts', () => {
  it('of five nodes seldom run out in one tick: a conflict in at most three of ten elections', () => {
    const random = new KeyedRandom('timeouts', 'raft-test');
    const elections = 300;
    let conflicts = 0;
    for (let i = 0; i < elections; i++) {
      const timeouts = [N1, N2, N3, N4, N5].map((id) => {
        const electionJitter = (ticks: number): number => random.int(0, ticks - 1);
        const config = configOf(id, storageWith({ voters: [N1, N2, N3, N4, N5] }), { electionJitter });
        return new RawNode(config).ticksUntilAction();
      });
      const first = Math.min(...timeouts);
      expect(first).toBeGreaterThanOrEqual(10);
      expect(Math.max(...timeouts)).toBeLessThan(20);
      if (timeouts.filter((ticks) => ticks === first).length > 1) conflicts++;
    }
    expect(conflicts / elections).toBeLessThan(0.3);
    expect(conflicts).toBeGreaterThan(0);
  });
});

describe('split votes', () => {
  it.each([false, true])('leave terms equal and nobody leading, and the next attempt wins (pre-vote %s)', (preVote) => {
    const cluster = new Cluster([N1, N2, N3], { preVote });
    cluster.campaign(N1);
    cluster.isolate(N1);
    for (const id of [N2, N3]) cluster.raft(id).campaign();
    cluster.settle();
    const states = [N2, N3].map((id) => cluster.raft(id).basicStatus());
    expect(states.map(({ term, role }) => [term, role])).toEqual([
      [2, Role.Candidate],
      [2, Role.Candidate],
    ]);
    cluster.campaign(N2);
    expect(cluster.raft(N2).basicStatus()).toMatchObject({ term: 3, role: Role.Leader });
    expect(cluster.raft(N3).basicStatus()).toMatchObject({ term: 3, role: Role.Follower, lead: N2 });
  });
});

describe('mixed terms', () => {
  it('do not stand in the way of an election by the node with the lower one', () => {
    const cluster = new Cluster([N1, N2, N3], { preVote: true });
    cluster.campaign(N1);
    cluster.isolate(N3);
    cluster.propose(N1, 'missed');
    // Node 2 wins a term that node 3 hears nothing of.
    cluster.campaign(N2);
    expect(cluster.role(N2)).toBe(Role.Leader);
    cluster.raft(N3).campaign();
    cluster.settle();
    expect(cluster.raft(N3).basicStatus()).toMatchObject({ term: 1, role: Role.PreCandidate });
    cluster.isolate(N2);
    cluster.campaign(N3);
    cluster.campaign(N1);
    expect(cluster.leaders()).toEqual([N1, N2]);
    expect(cluster.raft(N1).basicStatus().term).toBe(3);
    expect(cluster.raft(N3).basicStatus()).toMatchObject({ term: 3, lead: N1 });
    cluster.heal();
    cluster.tick(N1);
    expect(cluster.leaders()).toEqual([N1]);
  });
});

describe('a node that leads again', () => {
  it('counts no acknowledgement of its own log from the term it led before', () => {
    const proposal = (count: number): Message => message(Prop, N1, { entries: entries(0, ...Array(count).fill(0)) });
    const core = coreOf(N1);
    lead(core);
    step(core, proposal(4));
    const late = core.msgsAfterAppend.find(({ to }) => to === N1)!;
    expect([late.type, late.term, late.index]).toEqual([AppResp, 1, 5]);
    core.msgsAfterAppend = [];
    // Another leader replaces those entries, then this node wins once more and appends as many.
    step(core, message(App, N2, { term: 2, index: 1, logTerm: 1, entries: entries(2, 2) }));
    step(core, message(Hup, N1));
    takeMessages(core);
    step(core, message(VoteResp, N2, { term: 3 }));
    step(core, proposal(3));
    expect([core.role, core.log.lastIndex(), progressOf(core, N1).match]).toEqual([Role.Leader, 6, 2]);
    step(core, late);
    expect(progressOf(core, N1).match).toBe(2);
    step(core, { ...late, term: 3 });
    expect(progressOf(core, N1).match).toBe(5);
  });
});
