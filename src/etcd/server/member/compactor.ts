import type { Clock } from '../../../platform/clock.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import type { MvccStore } from '../mvcc/store.ts';

/** Removes what compactions left behind, in batches with pauses, one compaction after the other (reference/etcd.md A2.1). */
export class Compactor {
  readonly #clock: Clock;
  readonly #store: () => MvccStore;
  readonly #batchLimit: number;
  readonly #pauseUs: number;
  readonly #onFinished: (revision: number) => void;
  readonly #wake = new Notifier();
  readonly #progress = new Notifier();
  #queue: number[] = [];

  constructor(
    clock: Clock,
    store: () => MvccStore,
    options: { readonly batchLimit: number; readonly pauseUs: number; readonly onFinished: (revision: number) => void },
  ) {
    this.#clock = clock;
    this.#store = store;
    this.#batchLimit = options.batchLimit;
    this.#pauseUs = options.pauseUs;
    this.#onFinished = options.onFinished;
  }

  /** Queues the physical part of a compaction that was scheduled. */
  schedule(revision: number): void {
    this.#queue.push(revision);
    this.#wake.notify();
  }

  /** Waits until nothing is left to remove. */
  *idle(): Task<void> {
    while (this.#queue.length > 0) yield* this.#progress.changed();
  }

  /** Runs until the task is cancelled. */
  *run(): Task<never> {
    for (;;) {
      const seen = this.#wake.version;
      while (this.#queue.length > 0) {
        yield* this.#compact(this.#queue[0]!);
        this.#queue.shift();
        this.#progress.notify();
      }
      yield* this.#wake.changed(seen);
    }
  }

  *#compact(revision: number): Task<void> {
    const store = this.#store();
    if (revision <= store.finishedCompaction) return;
    let from: number | null = null;
    for (;;) {
      from = store.compactStep(revision, from, this.#batchLimit);
      if (from === null) break;
      yield* this.#clock.sleep(this.#pauseUs);
      // A snapshot replaced the store: its own compactions count now.
      if (store !== this.#store()) return;
    }
    this.#onFinished(revision);
  }
}
