import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';
import { untilStopped } from '../component/process.ts';

/** A program whose work the simulation does elsewhere (kube-proxy, pause, installer): it runs until it is told to stop. */
export function* idle(process: Process): Task<number> {
  return yield* untilStopped(process);
}
