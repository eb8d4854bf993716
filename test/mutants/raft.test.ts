import { describe, expect, it } from 'vitest';
import type { Bounds, Explored } from '../support/raft/explore.ts';
import type { SeedRunner } from './mutant.ts';
import { PlantedBundles } from './planted.ts';
import { raftSuite } from './raft.ts';
import { expectPlantable, killerOf, mutantNamed } from './suite-checks.ts';

const bundles = new PlantedBundles();

function planted<T>(entry: string, name: string | undefined): Promise<T> {
  return bundles.load(entry, mutantNamed(raftSuite, name));
}

describe('planted bugs of Raft', () => {
  it.each([
    ['raft-vote-twice', 'one vote a term'],
    ['raft-learners-commit', 'no commit without a quorum of voters'],
    ['raft-config-at-append', 'members follow from what is applied'],
    ['raft-read-without-quorum', 'reads are linearizable'],
  ])('%s breaks the rule: %s', async (name, rule) => {
    const { runSeed } = await planted<{ runSeed: SeedRunner }>(raftSuite.entry, name);
    expect(killerOf(runSeed, raftSuite.maxSeeds)).toBe(rule);
  });

  it('code without one breaks none', async () => {
    const { runSeed } = await planted<{ runSeed: SeedRunner }>(raftSuite.entry, undefined);
    expect(killerOf(runSeed, 100)).toBeUndefined();
  });

  it('the exhaustive search finds them too', async () => {
    const entry = 'test/support/raft/explore.ts';
    const { explore } = await planted<{ explore: (bounds: Bounds) => Explored }>(entry, 'raft-votes-at-once');
    const bounds = { maxTerm: 3, maxIndex: 4, drops: 0, duplicates: 0, crashes: 0, beats: 0 };
    expect(() => explore({ ...bounds, from: 'birth', asyncStorage: true, depth: 4 })).toThrow(
      'durable before answering',
    );
  });

  it('each still finds its text, once', () => expectPlantable(raftSuite));

  it('most come from what surprises about Raft and from the facts of its unit tests', () => {
    const documented = raftSuite.mutants.filter(({ source }) => /^(A24|C[1-5])\b/.test(source));
    expect(documented.length * 2).toBeGreaterThan(raftSuite.mutants.length);
  });
});
