import type { Clock, Timer } from '../../../src/platform/clock.ts';
import { type Task, wait } from '../../../src/platform/task.ts';

interface Due {
  readonly atUs: number;
  readonly callback: () => void;
}

/** A clock that is moved by hand. */
export class HandClock implements Clock {
  #now = 0;
  #timers: Due[] = [];

  nowUs(): number {
    return this.#now;
  }

  monotonicUs(): number {
    return this.#now;
  }

  after(delayUs: number, callback: () => void): Timer {
    const timer: Due = { atUs: this.#now + delayUs, callback };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  sleep(durationUs: number): Task<void> {
    return wait<void>((resume) => {
      const timer = this.after(durationUs, resume);
      return () => timer.cancel();
    });
  }

  advance(byUs: number): void {
    const end = this.#now + byUs;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atUs <= end).sort((a, b) => a.atUs - b.atUs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = due.atUs;
      due.callback();
    }
    this.#now = end;
  }
}
