import type { Timer } from '../../platform/clock.ts';
import type { NetKernel } from '../kernel.ts';

/** A timer that is put off with every packet: it looks at its due time when it fires, so that putting it off is free. */
export class LazyTimer {
  readonly #kernel: NetKernel;
  readonly #onDue: () => void;
  #dueUs: number | undefined;
  #timer: Timer | undefined;
  #firesAtUs = 0;

  constructor(kernel: NetKernel, onDue: () => void) {
    this.#kernel = kernel;
    this.#onDue = onDue;
  }

  get pending(): boolean {
    return this.#dueUs !== undefined;
  }

  /** Due after `delayUs`, whatever it was before. */
  arm(delayUs: number): void {
    this.#dueUs = this.#kernel.nowUs() + delayUs;
    if (this.#timer !== undefined && this.#firesAtUs <= this.#dueUs) return;
    this.#timer?.cancel();
    this.#start(delayUs);
  }

  disarm(): void {
    this.#dueUs = undefined;
  }

  /** For the end of the device: nothing stays in the queue. */
  end(): void {
    this.#dueUs = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #start(delayUs: number): void {
    this.#firesAtUs = this.#kernel.nowUs() + delayUs;
    this.#timer = this.#kernel.schedule(delayUs, () => this.#fired());
  }

  #fired(): void {
    this.#timer = undefined;
    if (this.#dueUs === undefined) return;
    const leftUs = this.#dueUs - this.#kernel.nowUs();
    if (leftUs > 0) {
      this.#start(leftUs);
      return;
    }
    this.#dueUs = undefined;
    this.#onDue();
  }
}
