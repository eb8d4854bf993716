import type { Clock, Timer } from '../../../platform/clock.ts';

/** A timer that goes off at instants of a grid only. What is due earlier takes its place; what is due later does not. */
export class GridTimer {
  readonly #clock: Clock;
  readonly #stepUs: number;
  readonly #onDue: () => void;
  #timer: Timer | null = null;
  #dueUs = 0;

  constructor(clock: Clock, stepUs: number, onDue: () => void) {
    this.#clock = clock;
    this.#stepUs = stepUs;
    this.#onDue = onDue;
  }

  /** Due at the first instant at or after `atUs`, and after now. The grid begins at `originUs`; infinite is never. */
  arm(atUs: number, originUs: number): void {
    if (atUs === Number.POSITIVE_INFINITY) return;
    const now = this.#clock.monotonicUs();
    const soonest = Math.floor((now - originUs) / this.#stepUs) + 1;
    const steps = Math.max(soonest, Math.ceil((atUs - originUs) / this.#stepUs));
    const dueUs = originUs + steps * this.#stepUs;
    if (this.#timer !== null && this.#dueUs <= dueUs) return;
    this.#timer?.cancel();
    this.#dueUs = dueUs;
    this.#timer = this.#clock.after(Math.max(0, dueUs - now), () => {
      this.#timer = null;
      this.#onDue();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
