import { describe, expect, it } from 'vitest';
import { GUARANTEES } from '../../src/lab/checkers/all.ts';
import { clusterSuite } from './cluster.ts';
import type { runTrouble } from './cluster-entry.ts';
import { PlantedBundles } from './planted.ts';
import { mutantNamed } from './suite-checks.ts';

const bundles = new PlantedBundles();
const BREAKS: readonly (readonly [mutant: string, guarantee: string])[] = [
  ['cluster-vote-of-one', 'one-leader-a-term'],
  ['cluster-wal-without-sync', 'committed-never-lost'],
  ['cluster-learner-founds', 'one-etcd-birth'],
  ['cluster-versions-skip', 'etcd-linearizable'],
  ['cluster-learner-takes-itself-for-voter', 'one-membership'],
  ['cluster-address-kept', 'vip-one-owner'],
  ['cluster-pods-before-etcd', 'control-plane-behind-etcd'],
];

async function brokenBy(name: string | undefined, awaited = ''): Promise<readonly string[]> {
  const mutant = mutantNamed(clusterSuite, name);
  const module = await bundles.load<{ runTrouble: typeof runTrouble }>(clusterSuite.entry, mutant);
  return module.runTrouble(1, (guarantee) => guarantee === awaited).violations.map(({ guarantee }) => guarantee);
}

describe('planted bugs of a cluster', () => {
  it('there is one for every guarantee', () => {
    expect(BREAKS.map(([, guarantee]) => guarantee).toSorted()).toEqual(GUARANTEES.toSorted());
    expect(clusterSuite.mutants.map(({ name }) => name).toSorted()).toEqual(BREAKS.map(([name]) => name).toSorted());
  });

  it.each(BREAKS)('%s makes the checker fire: %s', async (name, guarantee) => {
    expect(await brokenBy(name, guarantee)).toContain(guarantee);
  });

  it('code without one holds every guarantee through the same troubles', async () => {
    expect(await brokenBy(undefined)).toEqual([]);
  });
});
