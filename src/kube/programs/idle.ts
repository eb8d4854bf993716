import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';
import { untilStopped } from '../component/process.ts';
import { coredns } from './coredns.ts';

/**
 * A program whose work the simulation does elsewhere (kube-proxy, pause): it runs until it is told to stop. Several images
 * share it; called by the name of one that answers probes, it is that one.
 */
export function* idle(process: Process): Task<number> {
  return process.argv[0] === 'coredns' ? yield* coredns(process) : yield* untilStopped(process);
}
