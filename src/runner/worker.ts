import { parentPort, workerData } from 'node:worker_threads';
import { openScenario } from './scenario-file.ts';
import { type CheckSpec, runSeed } from './seed-run.ts';

/** A thread that runs the seeds it is sent, one after another. */
const spec = workerData as CheckSpec;
const opened = openScenario(spec.file);
parentPort?.on('message', (seed: number) => parentPort?.postMessage(runSeed(opened, spec, seed)));
