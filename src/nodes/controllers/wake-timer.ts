import type { ControllerContext } from '../../cosi/index.ts';
import type { Clock, Timer } from '../../platform/clock.ts';
import type { Task } from '../../platform/task.ts';

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

/**
 * The passes of a controller that has a timer, for its `run`: one for each wake-up, until the controller ends. Only a
 * pass that says it succeeded makes the runtime forget the pause before a restart.
 */
export function* timedPasses(
  clock: Clock,
  context: ControllerContext,
  pass: (timer: WakeTimer) => boolean | Task<boolean>,
): Task<void> {
  const timer = new WakeTimer(clock);
  try {
    for (;;) {
      yield* context.wakeUp();
      const result = pass(timer);
      if (typeof result === 'boolean' ? result : yield* result) context.resetRestartBackoff();
    }
  } finally {
    timer.cancel();
  }
}
