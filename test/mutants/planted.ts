import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { Mutant } from './mutant.ts';
import { plant } from './plant.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Bundles with planted bugs in a folder that lives as long as the test file. */
export class PlantedBundles {
  #folder = '';

  constructor() {
    beforeAll(async () => {
      // Inside the project, so that packages are found from there.
      const cache = join(ROOT, '.cache');
      await mkdir(cache, { recursive: true });
      this.#folder = await mkdtemp(join(cache, 'planted-'));
    });
    afterAll(() => rm(this.#folder, { recursive: true, force: true }));
  }

  /** Path of the bundle of `entry` with the mutant in place, or without one; those of one mutant lie side by side. */
  async file(entry: string, mutant: Mutant | undefined): Promise<string> {
    const folder = join(this.#folder, mutant?.name ?? 'unchanged');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${basename(entry, '.ts')}.mjs`);
    await writeFile(path, await plant(ROOT, entry, mutant));
    return path;
  }

  /** Its exports. */
  async load<T>(entry: string, mutant: Mutant | undefined): Promise<T> {
    return (await import(pathToFileURL(await this.file(entry, mutant)).href)) as T;
  }
}
