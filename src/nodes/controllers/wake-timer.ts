import type { ControllerContext } from '../../cosi/index.ts';
import type { Clock, Timer } from '../../platform/clock.ts';

/** Asks a controller for a pass later; each wish replaces the one before it. */
export class WakeTimer {
  #clock: Clock;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  afterUs(durationUs: number, context: ControllerContext): void {
    this.cancel();
    this.#timer = this.#clock.after(durationUs, () => context.queueReconcile());
  }

  /** When half the life of something that was issued now is over. */
  atHalfLife(hours: number, context: ControllerContext): void {
    this.afterUs(Math.floor((hours * 3_600_000_000) / 2), context);
  }

  cancel(): void {
    this.#timer?.cancel();
  }
}
