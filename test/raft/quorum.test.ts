import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeIndex,
  describeJoint,
  describeQuorum,
  INFINITE_INDEX,
  jointCommitted,
  jointVote,
  majorityCommitted,
  majorityVote,
  type NodeId,
  nodeId,
  VoteResult,
} from '../../src/raft/index.ts';
import { byTier } from '../support/tier.ts';
import { N1, N2, N3 } from './helper.ts';

const RUNS = byTier(5_000, 20_000, 50_000);

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { maxLength: 11 }).map((list) => list.map(nodeId).sort());
const known = fc.array(fc.option(fc.nat(6), { nil: undefined }), { minLength: 11, maxLength: 11 });

/** The definition: the highest index that more than half of the voters have reached. */
function byCounting(voters: readonly NodeId[], acked: ReadonlyMap<NodeId, number>): number {
  if (voters.length === 0) return INFINITE_INDEX;
  for (let index = 6; index > 0; index--) {
    if (voters.filter((id) => (acked.get(id) ?? 0) >= index).length * 2 > voters.length) return index;
  }
  return 0;
}

function mapOf<T>(values: readonly (T | undefined)[]): Map<NodeId, T> {
  const map = new Map<NodeId, T>();
  values.forEach((value, i) => {
    if (value !== undefined) map.set(nodeId(i + 1), value);
  });
  return map;
}

describe('committed index', () => {
  it('equals the definition by counting, for each half and for both', () => {
    fc.assert(
      fc.property(ids, ids, known, (incoming, outgoing, values) => {
        const acked = mapOf(values);
        expect(majorityCommitted(incoming, acked)).toBe(byCounting(incoming, acked));
        const both = Math.min(byCounting(incoming, acked), byCounting(outgoing, acked));
        expect(jointCommitted({ incoming, outgoing }, acked)).toBe(both);
        expect(jointCommitted({ incoming: outgoing, outgoing: incoming }, acked)).toBe(both);
      }),
      { numRuns: RUNS },
    );
  });

  it('an index is committed exactly when a vote for it would be won', () => {
    fc.assert(
      fc.property(ids, ids, known, fc.integer({ min: 1, max: 6 }), (incoming, outgoing, values, index) => {
        const acked = mapOf(values);
        const votes = mapOf(values.map((value) => (value ?? 0) >= index));
        const won = jointVote({ incoming, outgoing }, votes) === VoteResult.Won;
        expect(jointCommitted({ incoming, outgoing }, acked) >= index).toBe(won);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('votes', () => {
  it('an outcome is pending exactly when the missing votes could still turn it', () => {
    const votes = fc.array(fc.option(fc.boolean(), { nil: undefined }), { minLength: 11, maxLength: 11 });
    fc.assert(
      fc.property(ids, ids, votes, (incoming, outgoing, values) => {
        const voters = { incoming, outgoing };
        const filled = (by: boolean) => mapOf(values.map((value) => value ?? by));
        const best = jointVote(voters, filled(true));
        const worst = jointVote(voters, filled(false));
        const result = jointVote(voters, mapOf(values));
        if (result === VoteResult.Pending) expect([worst, best]).toEqual([VoteResult.Lost, VoteResult.Won]);
        else expect([worst, best]).toEqual([result, result]);
      }),
      { numRuns: RUNS },
    );
  });

  it('nobody to ask is a win', () => {
    expect(majorityVote([], new Map())).toBe(VoteResult.Won);
  });
});

describe('text', () => {
  it('of a quorum shows how far each voter is', () => {
    const acked = new Map([
      [N1, 101],
      [N3, 100],
    ]);
    expect(describeQuorum([N1, N2, N3], acked)).toBe(
      '       idx\nxx>    101    (id=1)\n?        0    (id=2)\nx>     100    (id=3)\n',
    );
    expect(describeQuorum([], acked)).toBe('<empty majority quorum>');
  });

  it('of voters and indexes', () => {
    expect(describeJoint({ incoming: [N1, nodeId(255)], outgoing: [] })).toBe('(1 ff)');
    expect(describeJoint({ incoming: [N1], outgoing: [N1, N2] })).toBe('(1)&&(1 2)');
    expect(describeIndex(INFINITE_INDEX)).toBe('∞');
  });
});
