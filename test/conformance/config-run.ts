import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generateCases } from './generate-run.ts';
import { patchCases } from './patch-run.ts';
import { templateCases } from './template-run.ts';

export interface ConformanceCase {
  readonly name: string;
  /** Empty when it passed; otherwise what differs, as a diff where texts are compared. */
  readonly failure: string;
  /** Why it was not tried. */
  readonly skipped?: string;
}

export interface ConformanceReport {
  readonly cases: readonly ConformanceCase[];
  readonly passed: number;
  readonly failed: number;
  /** One line a case, and `N passed, N failed` at the end. */
  readonly text: string;
}

/**
 * Runs the config cases at and below a folder: `patch-cases.tsv` files with their trees beside them, `templates` of a
 * release, and folders named after a contract (`v1.9`) with any of `{base,overrides}-{controlplane,worker}.yaml`.
 */
export function runConfigConformance(dir: string): ConformanceReport {
  const cases = collect(dir);
  const failed = cases.filter((one) => one.failure !== '').length;
  const passed = cases.filter((one) => one.failure === '' && one.skipped === undefined).length;
  return { cases, passed, failed, text: `${cases.map(caseLine).join('\n')}\n${passed} passed, ${failed} failed\n` };
}

function caseLine({ name, failure, skipped }: ConformanceCase): string {
  if (skipped !== undefined) return `skip ${name}: ${skipped}`;
  return failure === '' ? `ok   ${name}` : `FAIL ${name}\n${failure.trimEnd()}`;
}

function collect(dir: string): ConformanceCase[] {
  const cases = [...patchCases(dir), ...generateCases(dir), ...templateCases(dir)];
  for (const name of readdirSync(dir).sort()) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) cases.push(...collect(path));
  }
  return cases;
}

/** Whether a folder can be looked at, for a message instead of a stack trace. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
