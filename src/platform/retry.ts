import type { Clock } from './clock.ts';
import { TimeoutError } from './errors.ts';
import type { Random } from './random.ts';
import type { Task } from './task.ts';

export interface RetryOptions {
  /** Give up after this long. */
  readonly limitUs: number;
  /** Pause before try `attempt` (1 = before the second try). */
  readonly pauseUs: (attempt: number) => number;
  /** True when an error is worth another try; others are thrown at once. Default: all are. */
  readonly retryable?: (error: unknown) => boolean;
  readonly onError?: (error: unknown, attempt: number) => void;
}

/** Tries until success, an error not worth retrying, or the limit; then throws TimeoutError with the last error as cause. */
export function* retry<T>(clock: Clock, options: RetryOptions, attempt: (n: number) => Task<T>): Task<T> {
  const deadlineUs = clock.monotonicUs() + options.limitUs;
  for (let n = 1; ; n++) {
    try {
      return yield* attempt(n);
    } catch (error) {
      if (options.retryable !== undefined && !options.retryable(error)) throw error;
      options.onError?.(error, n);
      const pauseUs = options.pauseUs(n);
      if (clock.monotonicUs() + pauseUs > deadlineUs) {
        const last = error instanceof Error ? error.message : String(error);
        const expired = new TimeoutError(`gave up after ${n} attempts: ${last}`);
        expired.cause = error;
        throw expired;
      }
      yield* clock.sleep(pauseUs);
    }
  }
}

/** Pauses that grow: base, base × factor, … capped, each ± `jitterPercent`. */
export function exponentialPause(
  random: Random,
  baseUs: number,
  factor: number,
  capUs: number,
  jitterPercent: number,
): (attempt: number) => number {
  return (attempt) => {
    let pauseUs = baseUs;
    for (let i = 1; i < attempt && pauseUs < capUs; i++) pauseUs = Math.round(pauseUs * factor);
    pauseUs = Math.min(pauseUs, capUs);
    const spreadUs = Math.floor((pauseUs * jitterPercent) / 100);
    return spreadUs === 0 ? pauseUs : pauseUs - spreadUs + random.int(0, 2 * spreadUs);
  };
}
