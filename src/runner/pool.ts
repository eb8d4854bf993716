import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CheckSpec, SeedOutcome } from './seed-run.ts';

/** What a worker thread starts with: a module, or the text of one. */
export interface WorkerEntry {
  readonly script: string | URL;
  readonly isSource: boolean;
}

/** Runs seeds on one thread per core; `onOutcome` sees them as they end, in any order. */
export async function runSeeds(
  spec: CheckSpec,
  seeds: readonly number[],
  options: {
    readonly worker: WorkerEntry;
    readonly jobs?: number;
    readonly onOutcome: (outcome: SeedOutcome) => boolean;
  },
): Promise<void> {
  const waiting = [...seeds];
  const jobs = Math.min(options.jobs ?? availableParallelism(), seeds.length);
  const workers = Array.from(
    { length: jobs },
    () => new Worker(options.worker.script, { workerData: spec, eval: options.worker.isSource }),
  );
  try {
    await Promise.all(workers.map((worker) => feed(worker, waiting, options.onOutcome)));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Gives a worker seeds until there are none, or until `onOutcome` says that it is enough. */
function feed(worker: Worker, waiting: number[], onOutcome: (outcome: SeedOutcome) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const seed = waiting.shift();
      if (seed === undefined) resolve();
      else worker.postMessage(seed);
    };
    worker.on('message', (outcome: SeedOutcome) => {
      if (!onOutcome(outcome)) waiting.length = 0;
      next();
    });
    worker.on('error', reject);
    next();
  });
}
