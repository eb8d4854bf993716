import { join } from 'node:path';
import type { RunResult } from '../../src/lab/engine/result.ts';
import { type RunOptions, runScenario } from '../../src/lab/engine/run.ts';
import { openScenario } from '../../src/runner/scenario-file.ts';
import { byTier } from '../support/tier.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Ran {
  readonly result: RunResult;
  /** Commands with what they printed, in order. */
  readonly transcript: string;
}

/** Runs a scenario of the package. */
export function run(name: string, options: Partial<RunOptions> = {}): Ran {
  const { scenario, deps } = openScenario(join(ROOT, 'scenarios', `${name}.yaml`));
  const lines: string[] = [];
  const result = runScenario(
    scenario,
    {
      seed: 1,
      ...options,
      watch: {
        ...options.watch,
        onCommand: (line) => lines.push(`$ ${line}`),
        onOutput: (text) => lines.push(text.trimEnd()),
      },
    },
    deps,
  );
  return { result, transcript: lines.join('\n') };
}

/** Seeds of a tier: a few for a commit, many at night. */
export function seeds(commit: number): number[] {
  const count = byTier(commit, commit * 10, 200);
  return Array.from({ length: count }, (_, index) => index + 1);
}
