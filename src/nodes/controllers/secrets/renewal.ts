import type { ControllerContext } from '../../../cosi/index.ts';
import type { Clock, Timer } from '../../../platform/clock.ts';

/** Asks a controller for a pass when half the life of what it issued is over. */
export class Renewal {
  #clock: Clock;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces an earlier wish. */
  after(hours: number, context: ControllerContext): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(Math.floor((hours * 3_600_000_000) / 2), () => context.queueReconcile());
  }

  cancel(): void {
    this.#timer?.cancel();
  }
}
