import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arbitraryPlan } from '../../support/raft/arbitrary.ts';
import { drawPlan } from '../../support/raft/draw.ts';
import { runPlan } from '../../support/raft/run.ts';
import { byTier } from '../../support/tier.ts';

const runs = byTier(600, 20_000, 200_000);

it(`Raft: ${runs} random clusters keep every rule of safety, and make progress once healed`, {
  timeout: 3_600_000,
}, () => {
  fc.assert(
    fc.property(arbitraryPlan(250), (plan) => {
      expect(runPlan(plan)).toBeUndefined();
    }),
    { numRuns: runs, seed: 20_251_130 },
  );
});

it('Raft: long runs keep them too', { timeout: 3_600_000 }, () => {
  for (let seed = 0; seed < runs / 50; seed++) expect(runPlan(drawPlan(`long ${seed}`, 2_000))).toBeUndefined();
});

it('a plan survives being written down, and gives the same run again', () => {
  for (let seed = 0; seed < 20; seed++) {
    const plan = drawPlan(seed);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(drawPlan(seed)).toEqual(plan);
  }
});
