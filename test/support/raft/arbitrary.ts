import fc from 'fast-check';
import { drawPlan } from './draw.ts';
import type { Plan } from './plan.ts';

/** Random plans that shrink: fast-check leaves out steps of a drawn plan, and works on the numbers no further. */
export function arbitraryPlan(length: number): fc.Arbitrary<Plan> {
  return fc.noShrink(fc.integer({ min: 0, max: 0x7fffffff })).chain((seed) => {
    const plan = drawPlan(seed, length);
    return fc.subarray([...plan.steps], { minLength: 0 }).map((steps) => ({ ...plan, steps }));
  });
}
