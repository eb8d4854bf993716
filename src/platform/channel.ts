import type { Resume, Task } from './task.ts';
import { wait } from './task.ts';
import { Waiting } from './waiting.ts';

/** What `receive` gives after a channel was closed and drained. */
export const END = Symbol('end of channel');
export type End = typeof END;

/** A bounded or unbounded first-in-first-out queue between tasks (and from plain callbacks into tasks). */
export class Channel<T> {
  readonly #capacity: number;
  #items: T[] = [];
  #head = 0;
  /** Woken on every item; each takes its item when it runs, so an item is never lost to a receiver that was cancelled. */
  readonly #receivers = new Waiting();
  #senders: { item: T; resume: Resume<boolean> }[] = [];
  /** Takes items as they come, while {@link each} waits. */
  #consumer: { readonly take: (item: T) => void; readonly end: () => void } | undefined;
  #closed = false;

  /** `capacity` bounds how many items wait in the channel; {@link offer} refuses beyond it. */
  constructor(capacity = Number.MAX_SAFE_INTEGER) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Puts an item in without waiting; false when the channel is full or closed. */
  offer(item: T): boolean {
    if (this.#closed) return false;
    if (this.#consumer !== undefined) {
      this.#consumer.take(item);
      return true;
    }
    if (this.size >= this.#capacity) return false;
    this.#items.push(item);
    this.#receivers.wake();
    return true;
  }

  /** Puts an item in, waiting while the channel is full; false when it was closed. */
  *send(item: T): Task<boolean> {
    if (this.offer(item)) return true;
    if (this.#closed) return false;
    return yield* wait<boolean>((resume) => {
      const sender = { item, resume };
      this.#senders.push(sender);
      return () => {
        this.#senders = this.#senders.filter((other) => other !== sender);
      };
    });
  }

  /** Takes an item out without waiting; undefined when there is none. */
  poll(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head]!;
    this.#head++;
    if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    const sender = this.#senders.shift();
    if (sender !== undefined) {
      this.#items.push(sender.item);
      sender.resume(true);
    }
    return item;
  }

  /** Waits for an item; {@link END} once the channel is closed and empty. */
  *receive(): Task<T | End> {
    while (this.size === 0) {
      if (this.#closed) return END;
      yield* this.#receivers.woken();
    }
    return this.poll() as T;
  }

  /**
   * Hands every item to `take` in the very call that puts it in, without a turn of the task for each; returns once the
   * channel is closed and empty. Throws what `take` throws; items after that stay in the channel.
   */
  *each(take: (item: T) => void): Task<void> {
    yield* wait<void>((resume, fail) => {
      const leave = (): void => {
        this.#consumer = undefined;
      };
      const taking = (item: T): void => {
        try {
          take(item);
        } catch (error) {
          leave();
          fail(error);
        }
      };
      this.#consumer = { take: taking, end: resume };
      while (this.#consumer !== undefined && this.size > 0) taking(this.poll()!);
      if (this.#closed) resume();
      return leave;
    });
    this.#consumer = undefined;
  }

  /** No more items. Waiting receivers get {@link END}, waiting senders false. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#consumer?.end();
    this.#receivers.wake();
    for (const sender of this.#senders.splice(0)) sender.resume(false);
  }
}
