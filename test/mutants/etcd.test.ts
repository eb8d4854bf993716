import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { etcdSuite } from './etcd.ts';
import type { SeedRunner } from './mutant.ts';
import { PlantedBundles, ROOT } from './planted.ts';

const bundles = new PlantedBundles();
/** How many seeds a commit has time for; each of these bugs falls within a few. */
const SEEDS = 30;

async function killerOf(name: string | undefined, seeds: number): Promise<string | undefined> {
  const mutant = etcdSuite.mutants.find((one) => one.name === name);
  if (name !== undefined && mutant === undefined) throw new Error(`no mutant ${name}`);
  const { runSeed } = await bundles.load<{ runSeed: SeedRunner }>(etcdSuite.entry, mutant);
  for (let seed = 0; seed < seeds; seed++) {
    const killer = runSeed(seed);
    if (killer !== undefined) return killer;
  }
  return undefined;
}

describe('planted bugs of etcd', () => {
  it.each([
    ['etcd-leader-reads-at-once', 'linearizable'],
    ['etcd-lease-not-detached', 'applied as specified'],
    ['etcd-watch-lost-in-snapshot', 'watch: reliable'],
    ['etcd-watch-progress-in-future', 'watch: bookmarkable'],
  ])('%s breaks the guarantee: %s', async (name, guarantee) => {
    expect(await killerOf(name, SEEDS)).toBe(guarantee);
  });

  it('code without one breaks none', async () => {
    expect(await killerOf(undefined, 6)).toBeUndefined();
  });

  it('each still finds its text, once', async () => {
    for (const { name, file, find } of etcdSuite.mutants) {
      const source = await readFile(join(ROOT, file), 'utf8');
      expect(source.split(find), name).toHaveLength(2);
    }
  });

  it('many come from the history of real bugs', () => {
    const historical = etcdSuite.mutants.filter(({ source }) => /\bG\d/.test(source));
    expect(historical.length).toBeGreaterThanOrEqual(20);
    expect(new Set(etcdSuite.mutants.map(({ name }) => name)).size).toBe(etcdSuite.mutants.length);
  });
});
