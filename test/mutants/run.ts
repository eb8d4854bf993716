// Plants every known bug and hunts it:  npm run mutants [-- --only AREA] [--sample N] [--name MUTANT]
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Mutant, MutantSuite } from './mutant.ts';
import { plant } from './plant.ts';
import { suites } from './suites.ts';

/** No seed takes so many seconds. They are counted one by one: while the whole process is stopped, none goes by. */
const SEED_LIMIT_SEC = 120;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const scratch = join(root, '.cache', 'mutants');

interface Hunt {
  readonly suite: MutantSuite;
  /** Undefined: the code as it is, which no checker may complain about. */
  readonly mutant: Mutant | undefined;
}

interface Catch {
  readonly killer?: string;
  readonly seeds: number;
}

const { values } = parseArgs({
  options: { only: { type: 'string' }, sample: { type: 'string' }, name: { type: 'string' } },
});
const chosen = suites.filter((suite) => values.only === undefined || suite.area === values.only);
if (chosen.length === 0) {
  console.error(`mutants: no area "${values.only}"; there are ${suites.map((suite) => suite.area).join(', ')}`);
  process.exit(2);
}
await rm(scratch, { recursive: true, force: true });
await mkdir(scratch, { recursive: true });
const hunts = chosen.flatMap((suite): Hunt[] => [
  { suite, mutant: undefined },
  ...sampled(suite).map((mutant) => ({ suite, mutant })),
]);
let passed = 0;
let failed = 0;
await Promise.all([work(), work()]);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Every mutant, or a spread of `--sample N` of them: those that a commit has time for. */
function sampled(suite: MutantSuite): readonly Mutant[] {
  if (values.name !== undefined) return suite.mutants.filter((mutant) => mutant.name === values.name);
  const count = values.sample === undefined ? suite.mutants.length : Number(values.sample);
  const stride = Math.max(1, suite.mutants.length / count);
  return suite.mutants.filter((_mutant, index) => Math.floor(index / stride) !== Math.floor((index - 1) / stride));
}

async function work(): Promise<void> {
  for (let hunt = hunts.shift(); hunt !== undefined; hunt = hunts.shift()) report(hunt, await pursue(hunt));
}

async function pursue({ suite, mutant }: Hunt): Promise<Catch | Error> {
  try {
    const file = join(scratch, `${mutant?.name ?? `${suite.area}-unchanged`}.mjs`);
    await writeFile(file, await plant(root, suite.entry, mutant));
    const maxSeeds = mutant === undefined ? Math.min(50, suite.maxSeeds) : suite.maxSeeds;
    return await hunted(file, maxSeeds);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function hunted(file: string, maxSeeds: number): Promise<Catch> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./hunt.mjs', import.meta.url), {
      workerData: { module: pathToFileURL(file).href, maxSeeds },
    });
    let seeds = 0;
    let silentSec = 0;
    const limit = setInterval(() => {
      if (++silentSec < SEED_LIMIT_SEC) return;
      clearInterval(limit);
      void worker.terminate();
      resolve({ killer: 'no progress: the run never ended', seeds: seeds + 1 });
    }, 1000);
    worker.on('message', (message: Catch | number) => {
      if (typeof message === 'number') {
        seeds = message;
        silentSec = 0;
        return;
      }
      clearInterval(limit);
      void worker.terminate();
      resolve(message);
    });
    worker.once('error', (error) => {
      clearInterval(limit);
      reject(error);
    });
  });
}

function report({ suite, mutant }: Hunt, outcome: Catch | Error): void {
  const name = mutant?.name ?? `${suite.area}: unchanged code`;
  if (outcome instanceof Error) {
    failed++;
    console.log(`✕ ${name}  ${outcome.message}`);
    return;
  }
  const right = mutant === undefined ? outcome.killer === undefined : outcome.killer !== undefined;
  if (right) passed++;
  else failed++;
  const verdict =
    outcome.killer === undefined
      ? `survived ${outcome.seeds} seeds`
      : `${outcome.killer} after ${outcome.seeds} seed${outcome.seeds === 1 ? '' : 's'}`;
  console.log(`${right ? '✓' : '✕'} ${name}  ${verdict}${mutant === undefined ? '' : `  (${mutant.about})`}`);
}
