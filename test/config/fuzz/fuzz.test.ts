/** No input, however damaged, gives anything but a result or a located error. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byTier } from '../../support/tier.ts';
import { controlPlane, worker } from '../support.ts';
import { damaged, shaped } from './mutate.ts';
import { outcomeProblem } from './outcome.ts';

const TOTAL = byTier(5_000, 30_000, 100_000);
const CORPUS = join(import.meta.dirname, '../../../../shared/corpus/configs');

/** Small files: a mutation of a short text hits something more often, and it is quicker. */
function seeds(): string[] {
  const files = existsSync(CORPUS) ? readdirSync(CORPUS).filter((name) => name.endsWith('.yaml')) : [];
  const texts = files.map((name) => readFileSync(join(CORPUS, name), 'utf8')).filter((text) => text.length < 6_000);
  return [worker(), controlPlane(), ...texts];
}

function prove(inputs: fc.Arbitrary<string>, numRuns: number): void {
  fc.assert(
    fc.property(inputs, fc.nat(2), (text, pick) => {
      expect(outcomeProblem(text, pick)).toBe('');
    }),
    { numRuns },
  );
}

describe('damaged input', () => {
  test('changed bytes of real files', { timeout: 1_800_000 }, () => {
    prove(damaged(seeds()), Math.floor(TOTAL * 0.6));
  });

  test('documents of the right shape with odd values', { timeout: 1_800_000 }, () => {
    prove(shaped(), Math.floor(TOTAL * 0.3));
  });

  test('arbitrary text', { timeout: 600_000 }, () => {
    prove(fc.string({ unit: 'binary', maxLength: 60 }), Math.ceil(TOTAL * 0.1));
  });

  test('nesting without end', () => {
    const deep = 100_000;
    const volume = 'apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: a\nprovisioning:\n  diskSelector:\n    match: ';
    const expressions = ['('.repeat(deep), '!'.repeat(deep), `a${'.b'.repeat(deep)}`, `true${' || true'.repeat(deep)}`];
    const texts = [
      `a: ${'['.repeat(deep)}`,
      `machine: ${'{a: '.repeat(deep)}`,
      '- '.repeat(deep),
      '? '.repeat(deep),
      Array.from({ length: 1_000 }, (_, column) => `${' '.repeat(column)}a:`).join('\n'),
      ...expressions.map((expression) => `${volume}${JSON.stringify(expression)}\n`),
    ];
    expect(texts.map((text) => outcomeProblem(text, 0))).toEqual(texts.map(() => ''));
  });
});
