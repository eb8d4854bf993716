import { END } from '../../platform/channel.ts';
import type { Process } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';

/** A program whose work the simulation does elsewhere (kube-proxy, pause): it runs until it is told to stop. */
export function* idle(process: Process): Task<number> {
  for (;;) {
    const signal = yield* process.signals.receive();
    if (signal === END || signal === 'SIGTERM' || signal === 'SIGINT') return 0;
  }
}
