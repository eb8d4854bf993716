import type { Fail, Resume } from '../../platform/task.ts';
import { NEVER } from './outgoing.ts';
import type { SendQueue } from './send-queue.ts';

interface Waiter {
  readonly bytes: number;
  readonly resume: Resume<void>;
  readonly fail: Fail;
}

/** Tasks that wait until little enough is unacknowledged. */
export class DrainWaiters {
  readonly #queue: SendQueue;
  #waiters: Waiter[] = [];
  /** The acknowledgement that the most modest of them needs; {@link NEVER} without any. */
  wakeSeq = NEVER;

  constructor(queue: SendQueue) {
    this.#queue = queue;
  }

  /** Adds a task; the returned function takes it away. */
  add(bytes: number, resume: Resume<void>, fail: Fail): () => void {
    const waiter = { bytes, resume, fail };
    this.#waiters.push(waiter);
    this.wakeSeq = Math.min(this.wakeSeq, this.#queue.seqThatLeaves(bytes));
    return () => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
    };
  }

  /** Lets those go on whose wish is fulfilled. */
  wake(): void {
    if (this.#waiters.length === 0) return;
    const { queuedBytes } = this.#queue;
    const ready = this.#waiters.filter((waiter) => queuedBytes <= waiter.bytes);
    this.#waiters = this.#waiters.filter((waiter) => queuedBytes > waiter.bytes);
    this.wakeSeq = NEVER;
    for (const waiter of this.#waiters) this.wakeSeq = Math.min(this.wakeSeq, this.#queue.seqThatLeaves(waiter.bytes));
    for (const waiter of ready) waiter.resume();
  }

  /** None is waited for any longer; each is told why unless no reason is given. */
  end(makeError: (() => Error) | undefined): void {
    this.wakeSeq = NEVER;
    for (const waiter of this.#waiters.splice(0)) if (makeError !== undefined) waiter.fail(makeError());
  }
}
