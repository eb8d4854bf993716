import type { Task } from './task.ts';

/** A callback that is due once. */
export interface Timer {
  /** Takes it out of the queue at once; a no-op after it fired. */
  cancel(): void;
}

/** Time as one machine sees it. All in integer microseconds. */
export interface Clock {
  /** Wall clock since the Unix epoch; may be wrong, drift, and jump. */
  nowUs(): number;
  /** Time since the kernel of this machine started; never jumps, may drift. */
  monotonicUs(): number;
  /** Calls `callback` once after `delayUs` of monotonic time. For hot paths: no task is involved. */
  after(delayUs: number, callback: () => void): Timer;
  /** Suspends the calling task for `durationUs` of monotonic time; 0 lets others that are ready go first. */
  sleep(durationUs: number): Task<void>;
}

export const MILLISECOND_US = 1_000;
export const SECOND_US = 1_000_000;
export const MINUTE_US = 60_000_000;
export const HOUR_US = 3_600_000_000;
