import type { Change } from './event.ts';

export interface RingOptions {
  /** Slots at first; doubles when full until {@link maximum}. */
  readonly initial: number;
  readonly maximum: number;
  /** Slots next to the write position that replay must not touch. */
  readonly gap: number;
}

/** As Talos sets it up (reference/controllers.md A.3). */
export const TALOS_RING: RingOptions = Object.freeze({ initial: 8, maximum: 1024, gap: 4 });

/** The last changes of a collection, by position. */
export class ChangeRing {
  readonly #options: RingOptions;
  #slots: (Change | undefined)[];
  #written = 0;

  constructor(options: RingOptions) {
    this.#options = options;
    this.#slots = new Array<Change | undefined>(options.initial);
  }

  /** Position that the next change will get. */
  get writePosition(): number {
    return this.#written;
  }

  get capacity(): number {
    return this.#slots.length;
  }

  /** Oldest position that replay may start from. */
  get oldestReplayable(): number {
    return Math.max(0, this.#written - this.capacity + (this.#written > this.capacity ? this.#options.gap : 0));
  }

  push(change: Change): void {
    if (this.#written === this.capacity && this.capacity < this.#options.maximum) {
      this.#slots.length = Math.min(this.capacity * 2, this.#options.maximum);
    }
    this.#slots[this.#written % this.capacity] = change;
    this.#written++;
  }

  /** The change at a position, undefined once it was overwritten. */
  at(position: number): Change | undefined {
    if (position >= this.#written || this.#written - position > this.capacity) return undefined;
    return this.#slots[position % this.capacity];
  }
}
