import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerEntry } from '../runner/pool.ts';

/** True when the sources run as they are (tsx), false in the bundle. */
const FROM_SOURCES = import.meta.url.endsWith('.ts');

/** The folder of the package: the nearest one above this module with a package.json, in a clone and in an installation. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The bring-up scenario that the package ships. */
export function defaultScenario(): string {
  return join(packageRoot(), 'scenarios', 'bring-up.yaml');
}

/** What a thread of `check` runs. A thread does not inherit the loader that reads TypeScript, so it is given one. */
export function workerEntry(): WorkerEntry {
  if (!FROM_SOURCES) return { script: new URL('./worker.mjs', import.meta.url), isSource: false };
  const url = new URL('../runner/worker.ts', import.meta.url).href;
  const script = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url)}); })`;
  return { script, isSource: true };
}
