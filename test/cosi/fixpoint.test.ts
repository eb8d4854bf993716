import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NO_OUTPUT,
  type ResourceKind,
  resourceKind,
  type State,
  transformController,
  weak,
} from '../../src/cosi/index.ts';
import { Fatal } from '../../src/platform/errors.ts';
import { byTier } from '../support/tier.ts';
import { TestRandom, TestWorld } from './harness.ts';

interface Num {
  readonly n: number;
}

const RUNS = byTier(60, 500, 2_000);
const STAGES = 5;
const KINDS: readonly ResourceKind<Num>[] = Array.from({ length: STAGES }, (_, i) =>
  resourceKind<Num>('ns', `S${i}s.test.talos.dev`),
);

/** Stage i doubles its input, adds the sum of stage 0 where `mix` says so, and drops multiples of `drop`. */
function compute(stage: number, n: number, sumOfInputs: number): number | undefined {
  if (stage === 2 && n % 3 === 0) return undefined;
  return stage % 2 === 0 ? n * 2 : n + sumOfInputs;
}

function expected(inputs: ReadonlyMap<string, number>): Map<string, number>[] {
  const sum = [...inputs.values()].reduce((a, b) => a + b, 0);
  const stages = [new Map(inputs)];
  for (let stage = 1; stage < STAGES; stage++) {
    const next = new Map<string, number>();
    for (const [id, n] of stages[stage - 1]!) {
      const out = compute(stage, n, sum);
      if (out !== undefined) next.set(id, out);
    }
    stages.push(next);
  }
  return stages;
}

function observed(state: State, stage: number): Map<string, number> {
  return new Map(state.list(KINDS[stage]!).map((resource) => [resource.metadata.id, resource.spec.n]));
}

function chain(stage: number) {
  const sumOf = (inputs: readonly { spec: Num }[]): number => inputs.reduce((sum, input) => sum + input.spec.n, 0);
  return transformController<Num, Num>({
    name: `test.Stage${stage}Controller`,
    input: KINDS[stage - 1]!,
    output: KINDS[stage]!,
    extraInputs: stage === 1 ? [] : [weak(KINDS[0]!)],
    map: (input) => (compute(stage, input.spec.n, 0) === undefined ? NO_OUTPUT : input.metadata.id),
    compute: (input, reader) => ({ n: compute(stage, input.spec.n, sumOf(reader.list(KINDS[0]!)))! }),
  });
}

describe('controllers converge', () => {
  it('to one fixpoint, whatever the order of passes and wherever they crash', () => {
    const operation = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      n: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
      pause: fc.constantFrom(0, 0, 200_000, 5_000_000),
    });
    fc.assert(
      fc.property(fc.integer(), fc.array(operation, { maxLength: 15 }), (seed, operations) => {
        const world = new TestWorld(seed);
        const crashes = new TestRandom(seed + 1);
        let crashesLeft = 20;
        const state = world.state();
        const runtime = world.runtime(state, {
          passDelayUs: () => crashes.int(0, 300_000),
          interrupt: () => {
            if (crashesLeft > 0 && crashes.chance(300_000)) {
              crashesLeft--;
              throw new Fatal('injected');
            }
          },
        });
        for (let stage = 1; stage < STAGES; stage++) runtime.register(chain(stage));
        const inputs = new Map<string, number>();
        for (const { id, n, pause } of operations) {
          const existing = state.get(KINDS[0]!, id);
          if (n !== undefined) {
            state.modify(KINDS[0]!, id, () => ({ n }));
            inputs.set(id, n);
          } else if (existing !== undefined) {
            state.destroy(existing.metadata);
            inputs.delete(id);
          }
          if (pause > 0) world.advance(pause);
        }
        world.advance(3_600_000_000);
        expect(world.escapes).toEqual([]);
        const want = expected(inputs);
        for (let stage = 0; stage < STAGES; stage++) expect(observed(state, stage)).toEqual(want[stage]);
        // At rest: nothing is written any more.
        const versions = world.events.length;
        world.advance(3_600_000_000);
        expect(world.events.length).toBe(versions);
      }),
      { numRuns: RUNS },
    );
  });
});
