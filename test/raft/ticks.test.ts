import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Config, MessageType, NONE, RawNode } from '../../src/raft/index.ts';
import { byTier } from '../support/tier.ts';
import { configOf, message, N1, N2, N3, storageWith } from './helper.ts';

const RUNS = byTier(500, 2_000, 5_000);

/** What a node shows after some ticks, messages it would send included. */
function observe(raft: RawNode): unknown {
  const { msgs, ...rest } = { msgs: raft.hasReady(), ...raft.inspect() };
  return [msgs, rest];
}

function nodes(options: Partial<Config>, voters = [N1, N2, N3]): [RawNode, RawNode] {
  const make = () => {
    let draws = 0;
    const electionJitter = (ticks: number): number => {
      draws += 3;
      return draws % ticks;
    };
    return new RawNode(configOf(N1, storageWith({ voters }), { electionJitter, ...options }));
  };
  return [make(), make()];
}

const action = fc.oneof(
  fc.record({ kind: fc.constant('tick' as const), count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('vote' as const), count: fc.constant(0) }),
  fc.record({ kind: fc.constant('heartbeat' as const), count: fc.constant(0) }),
  fc.record({ kind: fc.constant('transfer' as const), count: fc.constant(0) }),
);

describe('tickN', () => {
  it('ends where as many single ticks end', () => {
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom([N1], [N1, N2, N3], [N2, N3]),
        (actions, checkQuorum, preVote, heartbeatTick, voters) => {
          const [many, single] = nodes({ checkQuorum, preVote, heartbeatTick }, [...voters]);
          for (const { kind, count } of actions) {
            if (kind === 'tick') {
              many.tickN(count);
              for (let i = 0; i < count; i++) single.tick();
            }
            for (const raft of [many, single]) {
              const { term } = raft.basicStatus();
              if (kind === 'vote') raft.step(message(MessageType.VoteResp, N2, { term }));
              if (kind === 'heartbeat') raft.step(message(MessageType.Heartbeat, N2, { term: term + 1 }));
              if (kind === 'transfer') raft.transferLeader(N3);
            }
            expect(observe(many)).toEqual(observe(single));
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('ticks before the announced one only count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.boolean(), (start, checkQuorum) => {
        const [raft] = nodes({ checkQuorum });
        raft.tickN(start);
        while (raft.hasReady()) {
          raft.ready();
          raft.advance();
        }
        const until = raft.ticksUntilAction();
        for (let i = 1; i < until; i++) {
          raft.tick();
          expect(raft.hasReady()).toBe(false);
        }
        raft.tick();
        expect(raft.hasReady()).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('a node that may not campaign has nothing to wait for', () => {
    const raft = new RawNode(configOf(N1, storageWith({ voters: [N2], learners: [N1] })));
    expect(raft.ticksUntilAction()).toBe(Infinity);
    raft.tickN(1_000_000_000);
    expect(raft.basicStatus()).toMatchObject({ term: 0, vote: NONE });
  });
});
