import type { Violation } from '../../src/lab/engine/result.ts';
import { runScenario } from '../../src/lab/engine/run.ts';
import { scenarioFromText } from '../../src/runner/scenario-file.ts';
import { patchOf, TROUBLE } from './cluster/trouble.ts';
import type { SeedRunner } from './mutant.ts';

const PATCHES: ReadonlyMap<string, string> = new Map(
  ['cp-1', 'cp-2', 'cp-3'].map((name) => [`${name}.yaml`, patchOf(name)]),
);

/** What the scenario of troubles gives until a guarantee of interest is broken. */
export function runTrouble(
  seed: number,
  ofInterest: (guarantee: string) => boolean,
): { readonly violations: readonly Violation[]; readonly reasons: readonly string[] } {
  const { scenario, deps } = scenarioFromText(TROUBLE, 'trouble.yaml', (path) => PATCHES.get(path));
  return runScenario(scenario, { seed, stopAtViolation: ofInterest }, deps);
}

export const runSeed: SeedRunner = (seed) => {
  const { violations, reasons } = runTrouble(seed, () => true);
  return violations[0]?.guarantee ?? reasons[0];
};
