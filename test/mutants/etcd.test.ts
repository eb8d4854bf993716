import { describe, expect, it } from 'vitest';
import { etcdSuite } from './etcd.ts';
import type { SeedRunner } from './mutant.ts';
import { PlantedBundles } from './planted.ts';
import { expectPlantable, killerOf, mutantNamed } from './suite-checks.ts';

const bundles = new PlantedBundles();
/** How many seeds a commit has time for; each of these bugs falls within a few. */
const SEEDS = 30;

async function killed(name: string | undefined, seeds: number): Promise<string | undefined> {
  const mutant = mutantNamed(etcdSuite, name);
  const { runSeed } = await bundles.load<{ runSeed: SeedRunner }>(etcdSuite.entry, mutant);
  return killerOf(runSeed, seeds);
}

describe('planted bugs of etcd', () => {
  it.each([
    ['etcd-leader-reads-at-once', 'linearizable'],
    ['etcd-lease-not-detached', 'applied as specified'],
    ['etcd-watch-lost-in-snapshot', 'watch: reliable'],
    ['etcd-watch-progress-in-future', 'watch: bookmarkable'],
  ])('%s breaks the guarantee: %s', async (name, guarantee) => {
    expect(await killed(name, SEEDS)).toBe(guarantee);
  });

  it('code without one breaks none', async () => {
    expect(await killed(undefined, 6)).toBeUndefined();
  });

  it('each still finds its text, once', () => expectPlantable(etcdSuite));

  it('many come from the history of real bugs', () => {
    const historical = etcdSuite.mutants.filter(({ source }) => /\bG\d/.test(source));
    expect(historical.length).toBeGreaterThanOrEqual(20);
  });
});
