import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { applyPatches } from '../../src/config/patch/apply.ts';
import { PatchError } from '../../src/config/patch/error.ts';
import { parsePatch } from '../../src/config/patch/load.ts';
import { unifiedDiff } from '../../src/config/text/diff.ts';
import { deepEqual } from '../../src/platform/deep-equal.ts';
import type { ConformanceCase } from './config-run.ts';

/**
 * Cases of a `patch-cases.tsv`: tree, config, patches in order, outcome. An outcome is `error: TEXT` (a part of the
 * message, or nothing after the colon for any) or `equals FILE`, which compares what the documents hold; with
 * `(whole text)` behind it the texts are compared.
 */
export function patchCases(dir: string): ConformanceCase[] {
  const table = join(dir, 'patch-cases.tsv');
  if (!existsSync(table)) return [];
  const [, ...rows] = readFileSync(table, 'utf8').split(/\r?\n/);
  return rows
    .filter((row) => row.trim() !== '' && !row.startsWith('#'))
    .map((row) => {
      const [tree = '', config = '', patches = '', outcome = ''] = row.split('\t').map((cell) => cell.trim());
      const name = `patch ${tree} ${config} ${patches}`;
      try {
        const failure = patchFailure(join(dir, tree, 'patch'), tree, config, patches.split(/[\s,]+/), outcome);
        return { name, failure };
      } catch (error) {
        return { name, failure: `  ${error instanceof Error ? error.message : String(error)}` };
      }
    });
}

function patchFailure(root: string, tree: string, config: string, patches: readonly string[], outcome: string): string {
  const minor = minorOfTree(tree);
  const folder = join(root, dirname(config));
  const actual = textOrError(() => {
    const loaded = patches.map((patch) => parsePatch(readFileSync(patchPath(folder, patch), 'utf8'), { minor }));
    return applyPatches(readFileSync(join(root, config), 'utf8'), loaded, { minor });
  });
  const file = /^equals (\S+)(.*)/.exec(outcome);
  if (file !== null) {
    const expected = readFileSync(join(root, file[1]!), 'utf8');
    return file[2]!.includes('whole text') ? textDiff(actual, expected) : contentDiff(actual, expected);
  }
  const wanted = outcome.replace(/^error:?\s*/, '');
  return actual.startsWith('error: ') && actual.includes(wanted) ? '' : `  expected ${outcome}\n  got      ${actual}`;
}

function patchPath(folder: string, patch: string): string {
  const paths = [patch, `${patch}.yaml`, `${patch}.yml`, `${patch}.json`].map((name) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

/** `v1.11.3`, or `main` for the newest rules. */
function minorOfTree(tree: string): number {
  const match = /^v1\.(\d+)/.exec(tree);
  return match === null ? 15 : Number(match[1]);
}

/** A text, or the error of the config package in its place. */
export function textOrError(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError) return `error: ${error.message}`;
    throw error;
  }
}

/** A unified diff from what is expected to what came; empty when they are equal. */
export function textDiff(actual: string, expected: string): string {
  return unifiedDiff(expected, actual, ['expected', 'got']);
}

/** The diff, unless the documents hold the same. */
function contentDiff(actual: string, expected: string): string {
  const contents = (text: string): unknown => parseAllDocuments(text).map((document) => document.toJS());
  return deepEqual(contents(actual), contents(expected)) ? '' : textDiff(actual, expected);
}
