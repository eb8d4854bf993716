import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Mutant, MutantSuite, SeedRunner } from './mutant.ts';
import { ROOT } from './planted.ts';

/** The mutant of that name; undefined stands for code without one. */
export function mutantNamed(suite: MutantSuite, name: string | undefined): Mutant | undefined {
  const mutant = suite.mutants.find((one) => one.name === name);
  if (name !== undefined && mutant === undefined) throw new Error(`no mutant ${name}`);
  return mutant;
}

/** What the first seed that notices anything notices. */
export function killerOf(runSeed: SeedRunner, maxSeeds: number): string | undefined {
  for (let seed = 0; seed < maxSeeds; seed++) {
    const killer = runSeed(seed);
    if (killer !== undefined) return killer;
  }
  return undefined;
}

/** Every mutant has a name of its own, and its text is in its file once. */
export async function expectPlantable({ mutants }: MutantSuite): Promise<void> {
  for (const { name, file, find } of mutants) {
    const source = await readFile(join(ROOT, file), 'utf8');
    expect(source.split(find), name).toHaveLength(2);
  }
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
}
