import type { Clock, Timer } from '../platform/clock.ts';
import { type Task, wait } from '../platform/task.ts';
import type { HostExecutor } from './executor.ts';

const LONGEST_TIMEOUT_MS = 2_000_000_000;

/** Real time, with real timers. */
export class HostClock implements Clock {
  readonly #executor: HostExecutor;
  readonly #startNs = process.hrtime.bigint();
  readonly #timers = new Set<HostTimer>();

  constructor(executor: HostExecutor) {
    this.#executor = executor;
  }

  nowUs(): number {
    return Math.round((performance.timeOrigin + performance.now()) * 1_000);
  }

  monotonicUs(): number {
    return Number((process.hrtime.bigint() - this.#startNs) / 1_000n);
  }

  after(delayUs: number, callback: () => void): Timer {
    const dueUs = this.monotonicUs() + delayUs;
    const timer = new HostTimer(this, dueUs, () => {
      this.#timers.delete(timer);
      this.#executor.enter(callback);
    });
    this.#timers.add(timer);
    timer.arm();
    return {
      cancel: () => {
        timer.disarm();
        this.#timers.delete(timer);
      },
    };
  }

  sleep(durationUs: number): Task<void> {
    return wait<void>((resume) => {
      const timer = this.after(durationUs, resume);
      return () => timer.cancel();
    });
  }

  /** No timer fires any more. */
  stop(): void {
    for (const timer of this.#timers) timer.disarm();
    this.#timers.clear();
  }
}

/** Node's timers count whole milliseconds, may fire early by a fraction of one, and overflow after 24 days. */
class HostTimer {
  readonly #clock: HostClock;
  readonly #dueUs: number;
  readonly #fire: () => void;
  #timeout: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(clock: HostClock, dueUs: number, fire: () => void) {
    this.#clock = clock;
    this.#dueUs = dueUs;
    this.#fire = fire;
  }

  arm(): void {
    const leftUs = this.#dueUs - this.#clock.monotonicUs();
    if (leftUs <= 0) this.#immediate = setImmediate(this.#fire);
    else this.#timeout = setTimeout(() => this.#check(), Math.min(Math.ceil(leftUs / 1_000), LONGEST_TIMEOUT_MS));
  }

  #check(): void {
    if (this.#clock.monotonicUs() >= this.#dueUs) this.#fire();
    else this.arm();
  }

  disarm(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
}
