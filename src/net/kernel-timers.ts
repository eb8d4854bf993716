import type { Timer } from '../platform/clock.ts';
import type { NetScheduler } from './deps.ts';

interface KernelTimer extends Timer {
  readonly callback: () => void;
  timer: Timer | undefined;
}

/** Timers that belong to one kernel: they wait while it is frozen and end with it. */
export class KernelTimers {
  readonly #scheduler: NetScheduler;
  #active = new Set<KernelTimer>();
  /** Due while the machine stood still, in the order in which they were due. */
  #late = new Set<KernelTimer>();
  #held = false;
  #ended = false;

  constructor(scheduler: NetScheduler) {
    this.#scheduler = scheduler;
  }

  schedule(delayUs: number, callback: () => void): Timer {
    const entry: KernelTimer = {
      callback,
      timer: undefined,
      cancel: () => {
        entry.timer?.cancel();
        this.#active.delete(entry);
        this.#late.delete(entry);
      },
    };
    if (this.#ended) return entry;
    this.#active.add(entry);
    entry.timer = this.#scheduler.schedule(delayUs, () => this.#due(entry));
    return entry;
  }

  #due(entry: KernelTimer): void {
    this.#active.delete(entry);
    if (this.#held) this.#late.add(entry);
    else entry.callback();
  }

  hold(): void {
    this.#held = true;
  }

  /** Lets everything run that became due meanwhile. */
  release(): void {
    this.#held = false;
    for (const entry of [...this.#late]) {
      if (!this.#late.delete(entry)) continue;
      entry.callback();
    }
  }

  end(): void {
    this.#ended = true;
    for (const entry of this.#active) entry.timer?.cancel();
    this.#active.clear();
    this.#late.clear();
  }
}
