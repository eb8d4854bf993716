import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Mutant } from './mutant.ts';

/** Why a mutant cannot be planted: its source has moved on. */
export class StaleMutant extends Error {}

/** Bundles `entry` with the mutant in place (or without one) and returns the code of an ES module. */
export async function plant(root: string, entry: string, mutant: Mutant | undefined): Promise<string> {
  let planted = mutant === undefined;
  const result = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutant',
        setup(hooks) {
          if (mutant === undefined) return;
          const path = join(root, mutant.file);
          hooks.onLoad({ filter: /\.ts$/ }, async (args) => {
            if (args.path !== path) return undefined;
            const source = await readFile(path, 'utf8');
            const pieces = source.split(mutant.find);
            if (pieces.length !== 2)
              throw new StaleMutant(`${mutant.name}: its text occurs ${pieces.length - 1} times in ${mutant.file}`);
            planted = true;
            return { contents: pieces.join(mutant.replace), loader: 'ts' };
          });
        },
      },
    ],
  });
  if (!planted) throw new StaleMutant(`${mutant?.name}: ${mutant?.file} is not part of ${entry}`);
  return result.outputFiles[0]!.text;
}
