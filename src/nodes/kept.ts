import { Notifier } from '../platform/signal.ts';

/** A log in memory that keeps at least its newest `limit` items. Positions count from the first item there ever was. */
export class Kept<T> {
  readonly added = new Notifier();
  readonly #limit: number;
  #items: T[] = [];
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length > 2 * this.#limit) {
      this.#dropped += this.#items.length - this.#limit;
      this.#items = this.#items.slice(-this.#limit);
    }
    this.added.notify();
  }

  /** Position behind the newest item. */
  get end(): number {
    return this.#dropped + this.#items.length;
  }

  /** Oldest position that can still be read. */
  get start(): number {
    return this.#dropped;
  }

  /** Undefined when it is gone or not there yet. */
  at(position: number): T | undefined {
    return this.#items[position - this.#dropped];
  }

  /** Everything at and behind `position`, now or later, to be read once. */
  from(position: number): Unread<T> {
    return new Unread(this, position);
  }
}

/** What one reader has not read: each iteration goes on where the one before ended, up to what is there by then. */
export class Unread<T> implements Iterable<T> {
  #log: Kept<T>;
  #position: number;

  constructor(log: Kept<T>, position: number) {
    this.#log = log;
    this.#position = position;
  }

  *[Symbol.iterator](): Generator<T, void> {
    this.#position = Math.max(this.#position, this.#log.start);
    while (this.#position < this.#log.end) {
      const item = this.#log.at(this.#position++);
      // A reader that pauses between items may be overtaken by what is dropped.
      if (item !== undefined) yield item;
    }
  }
}
