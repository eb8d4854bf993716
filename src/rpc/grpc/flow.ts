import { Channel, END } from '../../platform/channel.ts';
import type { Task } from '../../platform/task.ts';
import { Waiting } from '../../platform/waiting.ts';
import type { Payload } from './payload.ts';

/** Bytes a stream may send before the reader returns credit (gRPC's initial window). */
export const STREAM_WINDOW_BYTES = 65_535;

/** A reader returns credit in portions of at least this much. */
const CREDIT_PORTION_BYTES = 16_384;

/**
 * Messages that wait for credit. A message goes out whole as soon as there is any credit at all and may leave a debt,
 * so that one larger than the window is not stuck.
 */
export class Outbox {
  readonly #write: (payload: Payload) => void;
  /** Called whenever nothing is left to write. */
  readonly #onEmpty: () => void;
  #queue: Payload[] = [];
  #creditBytes = STREAM_WINDOW_BYTES;
  #open = false;
  readonly #waiting = new Waiting();

  constructor(write: (payload: Payload) => void, onEmpty: () => void) {
    this.#write = write;
    this.#onEmpty = onEmpty;
  }

  get size(): number {
    return this.#queue.length;
  }

  push(payload: Payload): void {
    if (this.#open && this.#queue.length === 0 && this.#creditBytes > 0) {
      this.#creditBytes -= payload.sizeBytes;
      this.#write(payload);
      this.#emptied();
      return;
    }
    this.#queue.push(payload);
    if (this.#open) this.#flush();
  }

  /** Takes the first message out to be written together with something else. */
  takeFirst(): Payload | null {
    const first = this.#queue.shift();
    if (first === undefined) return null;
    this.#creditBytes -= first.sizeBytes;
    return first;
  }

  /** Undoes {@link takeFirst}. */
  putBack(first: Payload): void {
    this.#queue.unshift(first);
    this.#creditBytes += first.sizeBytes;
  }

  /** From now on messages are written as credit allows. */
  open(): void {
    this.#open = true;
    this.#flush();
  }

  credit(bytes: number): void {
    this.#creditBytes += bytes;
    if (this.#open) this.#flush();
  }

  /** Drops what waits; nobody waits any longer. */
  abandon(): void {
    this.#queue = [];
    this.#open = false;
    this.#waiting.wake();
  }

  /** Waits until everything is written and there is credit for more, or the stream has ended. */
  *drained(ended: () => boolean): Task<void> {
    while (!ended() && (this.#queue.length > 0 || this.#creditBytes <= 0)) {
      yield* this.#waiting.woken();
    }
  }

  #flush(): void {
    let written = 0;
    while (written < this.#queue.length && this.#creditBytes > 0) {
      const payload = this.#queue[written++]!;
      this.#creditBytes -= payload.sizeBytes;
      this.#write(payload);
    }
    if (written > 0) this.#queue = this.#queue.slice(written);
    if (this.#queue.length === 0) this.#emptied();
  }

  #emptied(): void {
    this.#onEmpty();
    if (this.#creditBytes > 0) this.#waiting.wake();
  }
}

/** Messages that arrived and wait for the reader; reading returns credit to the sender in portions. */
export class Inbox {
  readonly #messages = new Channel<Payload>();
  readonly #returnCredit: (bytes: number) => void;
  #readBytes = 0;

  constructor(returnCredit: (bytes: number) => void) {
    this.#returnCredit = returnCredit;
  }

  put(payload: Payload): void {
    this.#messages.offer(payload);
  }

  /** Nothing more arrives; what is there can still be read. */
  end(): void {
    this.#messages.close();
  }

  /** Nothing more is read, not even what is there. */
  drop(): void {
    while (this.#messages.poll() !== undefined);
    this.#messages.close();
  }

  /** The next message, or undefined at the end. */
  *take(): Task<Payload | undefined> {
    const payload = yield* this.#messages.receive();
    if (payload === END) return undefined;
    this.#taken(payload);
    return payload;
  }

  /** Hands every message to `take` at the moment at which it arrives, until the end. Throws what `take` throws. */
  each(take: (payload: Payload) => void): Task<void> {
    return this.#messages.each((payload) => {
      this.#taken(payload);
      take(payload);
    });
  }

  #taken(payload: Payload): void {
    this.#readBytes += payload.sizeBytes;
    if (this.#readBytes < CREDIT_PORTION_BYTES || this.#messages.closed) return;
    this.#returnCredit(this.#readBytes);
    this.#readBytes = 0;
  }
}
