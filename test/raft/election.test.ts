import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/raft/core.ts';
import { becomeLeader, handleVoteRequest } from '../../src/raft/election.ts';
import { MessageType, NONE, type NodeId, nodeId, Role } from '../../src/raft/index.ts';
import { step } from '../../src/raft/step.ts';
import { tick } from '../../src/raft/ticks.ts';
import { Cluster } from './cluster.ts';
import { coreOf, entries, lead, message, N1, N2, N3, N4, N5, takeMessages, termsOf } from './helper.ts';

const { App, AppResp, Beat, Heartbeat, HeartbeatResp, Hup, PreVote, PreVoteResp, TimeoutNow, Vote, VoteResp } =
  MessageType;
const ROLES = [Role.Follower, Role.PreCandidate, Role.Candidate, Role.Leader];

function ids(count: number): NodeId[] {
  return Array.from({ length: count }, (_, i) => nodeId(i + 1));
}

/** Brings a node to a role without changing its log. */
function inRole(role: Role, term: number): Core {
  const core = coreOf(N1, { voters: [N1, N2, N3], hardState: { term: term - 1 } }, { preVote: false });
  core.becomeFollower(term, role === Role.Follower ? N3 : NONE);
  if (role === Role.PreCandidate) core.becomePreCandidate();
  if (role === Role.Candidate || role === Role.Leader) {
    core.term = term - 1;
    core.becomeCandidate();
  }
  if (role === Role.Leader) core.startLeading();
  return core;
}

describe('starting', () => {
  it('a node starts as a follower without a leader', () => {
    expect(coreOf(N1)).toMatchObject({ role: Role.Follower, lead: NONE, term: 0 });
  });

  it.each([Role.Follower, Role.Candidate])(
    'after its timeout, role %i stands for election in the next term',
    (role) => {
      const core = inRole(role, 2);
      for (let i = 0; i < 2 * core.config.electionTick - 1; i++) tick(core);
      const sent = takeMessages(core);
      expect(core).toMatchObject({ role: Role.Candidate, vote: N1 });
      expect(core.tracker.votes.get(N1)).toBe(true);
      expect(sent.slice(-2)).toMatchObject([
        { type: Vote, to: N2, term: core.term, index: 0, logTerm: 0 },
        { type: Vote, to: N3, term: core.term },
      ]);
    },
  );

  it('the election timeout is the tick count plus jitter, drawn at every change of role but to pre-candidate', () => {
    let draws = 0;
    const core = coreOf(N1, {}, { electionJitter: (ticks) => draws++ % ticks });
    const drawn = new Set<number>();
    for (let i = 0; i < 20; i++) {
      core.becomeFollower(i, NONE);
      drawn.add(core.randomizedElectionTimeout);
    }
    expect([...drawn].sort((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    const before = draws;
    core.becomePreCandidate();
    expect(draws).toBe(before);
    core.becomeCandidate();
    expect(draws).toBe(before + 1);
  });

  it('jitter outside [0, electionTick) is fatal', () => {
    expect(() => coreOf(N1, {}, { electionJitter: () => 10 })).toThrow('election jitter');
    expect(() => coreOf(N1, {}, { electionJitter: () => 0.5 })).toThrow('election jitter');
  });

  it('nodes with different timeouts elect exactly one leader', () => {
    const cluster = new Cluster(ids(5));
    for (const [i, member] of [...cluster.members.values()].entries()) member.raft.setRandomizedElectionTimeout(10 + i);
    for (let i = 0; i < 12; i++) for (const id of cluster.members.keys()) cluster.tick(id);
    expect(cluster.leaders()).toEqual([N1]);
  });
});

describe('winning', () => {
  it.each([
    [1, 0, 0, Role.Leader],
    [3, 2, 0, Role.Leader],
    [3, 1, 0, Role.Leader],
    [5, 4, 0, Role.Leader],
    [5, 3, 0, Role.Leader],
    [5, 2, 0, Role.Leader],
    [3, 0, 2, Role.Follower],
    [5, 0, 4, Role.Follower],
    [5, 0, 3, Role.Follower],
    [5, 1, 3, Role.Follower],
    [3, 0, 0, Role.Candidate],
    [5, 1, 0, Role.Candidate],
    [5, 0, 1, Role.Candidate],
    [5, 0, 2, Role.Candidate],
    [7, 3, 3, Role.Leader],
    [7, 2, 4, Role.Follower],
  ])('of %i nodes, %i others for and %i against: role %i', (size, granted, rejected, role) => {
    const core = coreOf(N1, { voters: ids(size) });
    step(core, message(Hup, N1));
    takeMessages(core);
    const voters = ids(size).slice(1);
    for (const id of voters.slice(0, granted)) step(core, message(VoteResp, id, { term: 1 }));
    for (const id of voters.slice(granted, granted + rejected))
      step(core, message(VoteResp, id, { term: 1, reject: true }));
    expect([core.role, core.term]).toEqual([role, 1]);
  });

  it('the own vote counts only once it is durable', () => {
    const core = coreOf(N1, { voters: [N1] });
    step(core, message(Hup, N1));
    expect(core.role).toBe(Role.Candidate);
    takeMessages(core);
    expect(core.role).toBe(Role.Leader);
  });

  it('only the first vote of a node counts', () => {
    const core = coreOf(N1, { voters: ids(5) });
    step(core, message(Hup, N1));
    takeMessages(core);
    for (let i = 0; i < 3; i++) step(core, message(VoteResp, N2, { term: 1 }));
    expect(core.role).toBe(Role.Candidate);
    step(core, message(VoteResp, N3, { term: 1 }));
    expect(core.role).toBe(Role.Leader);
  });

  it('votes of learners and strangers are never decisive', () => {
    const core = coreOf(N1, { voters: [N1, N2, N3], learners: [N4] });
    step(core, message(Hup, N1));
    takeMessages(core);
    for (const id of [N4, N5]) step(core, message(VoteResp, id, { term: 1 }));
    expect(core.role).toBe(Role.Candidate);
  });

  it('a candidate ignores pre-votes, a pre-candidate votes', () => {
    const candidate = coreOf(N1, { voters: [N1, N2, N3] }, { preVote: true });
    step(candidate, message(Hup, N1));
    takeMessages(candidate);
    step(candidate, message(VoteResp, N2));
    expect(candidate.role).toBe(Role.PreCandidate);
    // The own pre-vote arrives late, when the election proper is under way.
    step(candidate, message(PreVoteResp, N2, { term: 1 }));
    expect(candidate.role).toBe(Role.Candidate);
    step(candidate, message(PreVoteResp, N1, { term: 1 }));
    step(candidate, message(PreVoteResp, N3, { term: 1 }));
    expect(candidate.role).toBe(Role.Candidate);
    takeMessages(candidate);
    step(candidate, message(VoteResp, N2, { term: 1 }));
    expect(candidate.role).toBe(Role.Leader);
  });

  it('a late vote for itself after losing means nothing', () => {
    const core = coreOf(N1, { voters: [N1, N2, N3] });
    step(core, message(Hup, N1));
    for (const id of [N2, N3]) step(core, message(VoteResp, id, { term: 1, reject: true }));
    expect(core.role).toBe(Role.Follower);
    takeMessages(core);
    expect([core.role, core.term]).toEqual([Role.Follower, 1]);
  });

  it('a leader appends an empty entry and tells everyone', () => {
    const core = coreOf(N1, { terms: [1, 2], hardState: { term: 2 } });
    step(core, message(Hup, N1));
    takeMessages(core);
    step(core, message(VoteResp, N2, { term: 3 }));
    expect(core.pendingConfIndex).toBe(2);
    const sent = takeMessages(core);
    expect(sent.filter(({ type }) => type === App)).toMatchObject([
      { to: N2, index: 2, logTerm: 2, entries: [{ term: 3, index: 3, data: null }] },
      { to: N3, index: 2, logTerm: 2 },
    ]);
    expect(core.tracker.progress.get(N1)).toMatchObject({ match: 3, recentActive: true });
    expect(core.tracker.progress.get(N2)).toMatchObject({ match: 0, recentActive: false });
  });
});

describe('voting', () => {
  // Own log: terms 2, 2. Index and term of the candidate's last entry, own vote; whether it is denied.
  it.each([
    [0, 0, NONE, true],
    [0, 1, NONE, true],
    [0, 2, NONE, true],
    [0, 3, NONE, false],
    [1, 2, NONE, true],
    [1, 3, NONE, false],
    [2, 1, NONE, true],
    [2, 2, NONE, false],
    [2, 3, NONE, false],
    [3, 1, NONE, true],
    [3, 2, NONE, false],
    [3, 2, N2, false],
    [3, 2, N1, true],
  ])('for a log that ends at index %i term %i, having voted for %s: denied %s', (index, logTerm, vote, reject) => {
    for (const type of [Vote, PreVote]) {
      const core = coreOf(N1, { terms: [2, 2] });
      core.term = Math.max(2, logTerm);
      core.vote = vote;
      step(core, message(type, N2, { term: core.term, index, logTerm }));
      expect(takeMessages(core)).toMatchObject([{ reject, term: core.term, to: N2 }]);
      expect(core.vote).toBe(type === Vote && !reject ? N2 : vote);
    }
  });

  it.each(ROLES)('in role %i, a vote of a higher term is granted', (role) => {
    const core = inRole(role, 2);
    takeMessages(core);
    step(core, message(Vote, N2, { term: 3, logTerm: 3, index: 42 }));
    expect(takeMessages(core)).toMatchObject([{ type: VoteResp, to: N2, reject: false, term: 3 }]);
    expect(core).toMatchObject({ role: Role.Follower, term: 3, vote: N2, lead: NONE, electionElapsed: 0 });
  });

  it.each(ROLES)('in role %i, a pre-vote of a higher term is granted and changes nothing', (role) => {
    const core = inRole(role, 2);
    takeMessages(core);
    const { term, vote } = core;
    step(core, message(PreVote, N2, { term: 3, logTerm: 3, index: 42 }));
    expect(takeMessages(core)).toMatchObject([{ type: PreVoteResp, to: N2, reject: false, term: 3 }]);
    expect(core).toMatchObject({ role, term, vote });
  });

  it.each([Role.Leader, Role.Candidate])('in role %i, another candidate of the same term is denied', (role) => {
    const core = inRole(role, 2);
    takeMessages(core);
    handleVoteRequest(core, message(Vote, N2, { term: 2, logTerm: 9, index: 9 }));
    expect(takeMessages(core)).toMatchObject([{ reject: true, term: 2 }]);
  });

  it('a pre-vote of a lower term is answered with the own term', () => {
    const core = inRole(Role.Follower, 5);
    step(core, message(PreVote, N2, { term: 3, logTerm: 9, index: 9 }));
    expect(takeMessages(core)).toMatchObject([{ type: PreVoteResp, reject: true, term: 5 }]);
  });

  it('learners and nodes outside the configuration vote like everyone', () => {
    for (const start of [{ voters: [N2, N3], learners: [N1] }, { voters: [N2, N3] }]) {
      const core = coreOf(N1, start);
      step(core, message(Vote, N2, { term: 1, logTerm: 1, index: 1 }));
      expect(takeMessages(core)).toMatchObject([{ type: VoteResp, reject: false }]);
    }
  });
});

describe('terms', () => {
  it.each(ROLES)('in role %i, a higher term makes a follower, of the sender only if it leads', (role) => {
    const byApp = inRole(role, 2);
    step(byApp, message(App, N2, { term: 3 }));
    expect(byApp).toMatchObject({ role: Role.Follower, term: 3, lead: N2 });
    const byResponse = inRole(role, 2);
    step(byResponse, message(AppResp, N2, { term: 3, index: 1 }));
    expect(byResponse).toMatchObject({ role: Role.Follower, term: 3, lead: NONE, vote: NONE });
  });

  it('a message of a lower term does not reach the role', () => {
    const core = inRole(Role.Follower, 2);
    step(core, message(App, N2, { term: 1, entries: entries(1, 1), commit: 1 }));
    expect(core).toMatchObject({ lead: N3, term: 2 });
    expect(core.log.lastIndex()).toBe(0);
    expect(takeMessages(core)).toEqual([]);
  });

  it.each([
    [App, true],
    [Heartbeat, true],
    [MessageType.Snap, false],
  ])('with pre-vote or check-quorum, a leader of the past is told the term by message type %i: %s', (type, told) => {
    for (const options of [{ preVote: true }, { checkQuorum: true }, {}]) {
      const core = coreOf(N1, { hardState: { term: 4 } }, options);
      step(core, message(type, N2, { term: 2 }));
      const expected = told && Object.keys(options).length > 0 ? [{ type: AppResp, to: N2, term: 4, index: 0 }] : [];
      expect(takeMessages(core)).toMatchObject(expected);
    }
  });

  it.each([Role.Candidate, Role.PreCandidate])('in role %i, a leader of the same term is followed', (role) => {
    for (const type of [App, Heartbeat]) {
      const core = inRole(role, 2);
      step(core, message(type, N3, { term: 2 }));
      expect(core).toMatchObject({ role: Role.Follower, term: 2, lead: N3 });
    }
  });

  it.each([
    [Role.Leader, 'becomeCandidate', 'invalid transition [leader -> candidate]'],
    [Role.Leader, 'becomePreCandidate', 'invalid transition [leader -> pre-candidate]'],
    [Role.Follower, 'startLeading', 'invalid transition [follower -> leader]'],
  ] as const)('from role %i, %s is illegal', (role, method, error) => {
    const core = inRole(role, 2);
    expect(() => core[method]()).toThrow(error);
  });

  it('pre-candidates keep term, vote, timeout and progress', () => {
    const core = inRole(Role.Follower, 2);
    core.vote = N3;
    core.electionElapsed = 7;
    core.becomePreCandidate();
    expect(core).toMatchObject({ term: 2, vote: N3, electionElapsed: 7, lead: NONE });
  });
});

describe('who may campaign', () => {
  it('not a learner, not one outside, not a leader', () => {
    const learner = coreOf(N1, { voters: [N2, N3], learners: [N1] });
    for (let i = 0; i < 50; i++) tick(learner);
    step(learner, message(Hup, N1));
    step(learner, message(TimeoutNow, N2));
    expect(learner).toMatchObject({ role: Role.Follower, term: 0, electionElapsed: 50 });
    const outside = coreOf(N1, { voters: [N2, N3] });
    step(outside, message(Hup, N1));
    expect(outside.role).toBe(Role.Follower);
    const leader = coreOf(N1);
    lead(leader);
    step(leader, message(Hup, N1));
    expect(leader).toMatchObject({ role: Role.Leader, term: 1 });
  });

  it('ticks count on, so one that becomes promotable campaigns with its next tick', () => {
    const cluster = new Cluster([N1, N2], {}, () => ({ voters: [N1], learners: [N2] }));
    cluster.campaign(N1);
    for (let i = 0; i < 30; i++) cluster.at(N2).raft.tick();
    expect(cluster.role(N2)).toBe(Role.Follower);
    cluster.unwatch();
    cluster.at(N2).raft.applyConfChange({
      version: 2,
      transition: 0,
      changes: [{ type: 0, nodeId: N2 }],
      context: null,
    });
    cluster.at(N2).raft.tick();
    expect(cluster.role(N2)).toBe(Role.Candidate);
  });
});

describe('clusters', () => {
  for (const preVote of [false, true]) {
    describe(preVote ? 'with pre-vote' : 'without pre-vote', () => {
      it.each([
        [3, [], Role.Leader],
        [3, [N2], Role.Leader],
        [3, [N2, N3], preVote ? Role.PreCandidate : Role.Candidate],
        [4, [N2, N3], preVote ? Role.PreCandidate : Role.Candidate],
        [5, [N2, N3], Role.Leader],
      ] as const)('of %i nodes, with %j down: role %i', (size, down, role) => {
        const cluster = new Cluster(ids(size), { preVote });
        cluster.loses = ({ to }) => (down as readonly NodeId[]).includes(to);
        cluster.campaign(N1);
        expect(cluster.role(N1)).toBe(role);
        expect(cluster.raft(N1).basicStatus().term).toBe(role === Role.PreCandidate ? 0 : 1);
      });

      it('every node can lead in turn', () => {
        const cluster = new Cluster(ids(3), { preVote });
        for (const id of ids(3)) {
          cluster.campaign(id);
          expect(cluster.leaders()).toEqual([id]);
        }
      });

      it('uncommitted entries of a loser give way to those of the leader', () => {
        // Nodes 1 and 2 have an entry of term 1; node 3 won term 2 alone and has entries nobody else has.
        const logs: Record<NodeId, number[]> = { [N1]: [1], [N2]: [1], [N3]: [2], [N4]: [], [N5]: [] };
        const cluster = new Cluster(ids(5), { preVote }, (id) => ({
          terms: logs[id]!,
          hardState: id === N3 ? { term: 2, vote: N3 } : id === N4 || id === N5 ? { term: 2, vote: N3 } : { term: 1 },
        }));
        // The first attempt at term 2 fails, since a majority voted in it before.
        cluster.campaign(N1);
        cluster.campaign(N1);
        expect(cluster.leaders()).toEqual([N1]);
        for (const { storage } of cluster.members.values()) {
          const list = storage.entries(1, storage.lastIndex() + 1, 1e9);
          expect(termsOf(list as never)).toEqual([1, 3]);
        }
      });

      it('a candidate with the shorter log never wins, with pre-vote it does not even depose', () => {
        const cluster = new Cluster(ids(3), { preVote });
        cluster.loses = ({ from, to }) => (from === N1 && to === N3) || (from === N3 && to === N1);
        cluster.campaign(N1);
        cluster.campaign(N3);
        expect(cluster.role(N1)).toBe(Role.Leader);
        // The rejection of a pre-vote carries the voter's term; one of a vote leaves the count pending.
        expect(cluster.role(N3)).toBe(preVote ? Role.Follower : Role.Candidate);
        cluster.heal();
        cluster.campaign(N3);
        // Its log lacks the leader's entry: it can depose, not win.
        expect(cluster.leaders()).toEqual(preVote ? [N1] : []);
        cluster.campaign(N1);
        expect(cluster.leaders()).toEqual([N1]);
      });
    });
  }

  it('a follower that was cut off deposes the leader when it returns; with pre-vote it does not', () => {
    for (const preVote of [false, true]) {
      const cluster = new Cluster(ids(3), { preVote, checkQuorum: true });
      cluster.campaign(N1);
      cluster.isolate(N3);
      cluster.tick(N3, 10);
      cluster.tick(N3, 10);
      cluster.heal();
      cluster.tick(N1);
      const { term } = cluster.raft(N1).basicStatus();
      expect(cluster.leaders()).toEqual(preVote ? [N1] : []);
      expect(term).toBe(preVote ? 1 : 3);
    }
  });
});

describe('check-quorum', () => {
  it('a leader stays while a quorum answers, and steps down when none does', () => {
    const core = coreOf(N1, { voters: ids(3) }, { checkQuorum: true });
    lead(core);
    for (let i = 0; i < 11; i++) {
      step(core, message(HeartbeatResp, N2, { term: core.term }));
      tick(core);
    }
    expect(core.role).toBe(Role.Leader);
    for (let i = 0; i < 20; i++) tick(core);
    expect(core).toMatchObject({ role: Role.Follower, term: 1, lead: NONE });
  });

  it('voters in contact with a leader ignore candidates, until an election timeout has passed', () => {
    const cluster = new Cluster(ids(3), { checkQuorum: true, electionJitter: () => 9 });
    cluster.campaign(N1);
    expect(cluster.leaders()).toEqual([N1]);
    cluster.campaign(N3);
    expect(cluster.role(N3)).toBe(Role.Candidate);
    for (let i = 0; i < 10; i++) cluster.at(N2).raft.tick();
    cluster.campaign(N3);
    expect(cluster.leaders()).toEqual([N3]);
  });

  it('the first election is not held up, since nobody knows a leader', () => {
    const cluster = new Cluster(ids(3), { checkQuorum: true });
    cluster.campaign(N3);
    expect(cluster.leaders()).toEqual([N3]);
  });

  it('a candidate stuck at a higher term frees itself: its answer deposes the leader', () => {
    const cluster = new Cluster(ids(3), { checkQuorum: true });
    cluster.campaign(N1);
    cluster.isolate(N1);
    cluster.campaign(N3);
    cluster.campaign(N3);
    cluster.heal();
    const stuck = cluster.raft(N3).basicStatus().term;
    expect(cluster.role(N1)).toBe(Role.Leader);
    cluster.tick(N1);
    expect(cluster.role(N1)).toBe(Role.Follower);
    expect(cluster.raft(N1).basicStatus().term).toBe(stuck);
  });

  it('a node that its own configuration excludes does not campaign', () => {
    const cluster = new Cluster(ids(2), { checkQuorum: true });
    cluster.unwatch();
    cluster.raft(N2).applyConfChange({ version: 2, transition: 0, changes: [{ type: 1, nodeId: N2 }], context: null });
    cluster.tick(N2, 30);
    expect(cluster.role(N2)).toBe(Role.Follower);
    cluster.campaign(N1);
    expect(cluster.raft(N2).basicStatus().lead).toBe(N1);
  });
});

describe('pre-vote', () => {
  it('a pre-candidate at a higher term with a shorter log does not block the others', () => {
    // Rolling change of the option: node 3 campaigned without pre-vote and is ahead in term, behind in log.
    const cluster = new Cluster([], {});
    for (const id of ids(3)) {
      cluster.add(
        id,
        {
          voters: ids(3),
          terms: id === N3 ? [1] : [1, 1],
          hardState: id === N3 ? { term: 3 } : { term: 1 },
        },
        { preVote: true },
      );
    }
    cluster.campaign(N3);
    expect(cluster.leaders()).toEqual([]);
    // The rejection tells node 1 the term, so that its next attempt counts.
    cluster.campaign(N1);
    cluster.campaign(N1);
    expect(cluster.leaders()).toEqual([N1]);
  });

  it('a denied pre-vote of a higher term makes a follower of that term', () => {
    const core = coreOf(N1, {}, { preVote: true });
    step(core, message(Hup, N1));
    takeMessages(core);
    step(core, message(PreVoteResp, N2, { term: 7, reject: true }));
    expect(core).toMatchObject({ role: Role.Follower, term: 7, lead: NONE });
  });
});

it('only leaders send heartbeats, to everyone else, whatever else is to be sent', () => {
  for (const role of ROLES) {
    const core = inRole(role, 2);
    takeMessages(core);
    step(core, message(Beat, N1));
    const sent = takeMessages(core);
    expect(sent.map(({ type, to }) => [type, to])).toEqual(
      role === Role.Leader
        ? [
            [Heartbeat, N2],
            [Heartbeat, N3],
          ]
        : [],
    );
  }
});

it('becomeLeader cannot be refused for size', () => {
  const core = coreOf(N1, {}, { maxUncommittedSizeBytes: 1 });
  core.becomeCandidate();
  expect(becomeLeader(core)).toBeNull();
});
