/** Load and validate a 30 KB config in 15 ms or less once warm; the best of several runs is what counts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { validate } from '../../src/config/validate/validate.ts';

const FILE = join(import.meta.dirname, '../../../shared/corpus/configs/012.yaml');
const LIMIT_MS = 15;

test.skipIf(!existsSync(FILE))('loads and validates 30 KB fast', () => {
  const text = readFileSync(FILE, 'utf8');
  expect(text.length).toBeGreaterThan(30_000);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 30; run++) {
    const start = performance.now();
    const loaded = loadConfig(text);
    if ('config' in loaded) {
      validate(loaded.config, { mode: 'metal' });
    }
    best = Math.min(best, performance.now() - start);
  }
  expect(best).toBeLessThanOrEqual(LIMIT_MS);
});
