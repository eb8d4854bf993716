import type { Clock } from '../../platform/clock.ts';
import { anyChange, type Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { isTransient } from '../client/client.ts';
import { KubeError } from '../objects/errors.ts';

/** Runs `pass` whenever one of the sources changed, and at least every `periodUs`; what failed or was refused is tried again. */
export function* onChange(
  clock: Clock,
  sources: readonly Notifier[],
  periodUs: number,
  pass: () => Task<void>,
  retryUs = RETRY_US,
): Task<never> {
  const seen = sources.map(() => -1);
  for (;;) {
    sources.forEach((source, index) => {
      seen[index] = source.version;
    });
    let failed = false;
    try {
      yield* pass();
    } catch (error) {
      if (!(error instanceof KubeError) && !isTransient(error)) throw error;
      failed = true;
    }
    if (failed) yield* clock.sleep(retryUs);
    else yield* anyChange(clock, periodUs, sources, seen);
  }
}

const RETRY_US = 1_000_000;
