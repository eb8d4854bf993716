// One worker: runs the seeds of one bundle until a checker notices the planted bug.
import { parentPort, workerData } from 'node:worker_threads';

const { module, maxSeeds } = workerData;
const { runSeed } = await import(module);
let killer;
let seed = 0;
for (; seed < maxSeeds && killer === undefined; seed++) {
  try {
    killer = runSeed(seed);
  } catch (error) {
    killer = `throws ${error instanceof Error ? `${error.name}: ${error.message.split('\n', 1)[0]}` : String(error)}`;
  }
  // A sign of life: how many seeds are done.
  parentPort.postMessage(seed + 1);
}
parentPort.postMessage({ killer, seeds: seed });
