import type { Clock } from './clock.ts';
import type { Resume, Task } from './task.ts';
import { nothingToCancel, wait } from './task.ts';
import { Waiting } from './waiting.ts';

/** Something that happens many times and that tasks or callbacks may wait for: a level with a version, not a queue. */
export class Notifier {
  #version = 0;
  #waiting = new Waiting();
  #listeners = new Set<() => void>();

  get version(): number {
    return this.#version;
  }

  notify(): void {
    this.#version++;
    this.#waiting.wake();
    if (this.#listeners.size > 0) for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` at every notification until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Waits for the next notification, or returns at once when there was one after version `seen`. */
  changed(seen: number = this.#version): Task<void> {
    return wait<void>((resume) => {
      if (this.#version !== seen) {
        resume();
        return nothingToCancel;
      }
      return this.#waiting.add(resume);
    });
  }

  /** Waits until `holds` says true, which is asked at once and after each notification. */
  *until(holds: () => boolean): Task<void> {
    for (;;) {
      const seen = this.#version;
      if (holds()) return;
      yield* this.changed(seen);
    }
  }
}

/**
 * Waits for the next notification by any of the sources after the versions `seen`, at most `limitUs`. One wait and one
 * timer, where a race would take a task for each source.
 */
export function anyChange(
  clock: Clock,
  limitUs: number,
  sources: readonly Notifier[],
  seen: readonly number[],
): Task<void> {
  return wait<void>((resume) => {
    if (sources.some((source, index) => source.version !== seen[index])) {
      resume();
      return nothingToCancel;
    }
    const stop = (): void => {
      timer.cancel();
      for (const forget of listening) forget();
    };
    const end = (): void => {
      stop();
      resume();
    };
    const timer = clock.after(limitUs, end);
    const listening = sources.map((source) => source.listen(end));
    return stop;
  });
}

/** A value that is set once; everybody who waits for it gets it. */
export class Once<T> {
  #value: T | undefined;
  #set = false;
  #notifier = new Notifier();

  get isSet(): boolean {
    return this.#set;
  }

  /** Sets the value; later calls are no-ops. */
  set(value: T): void {
    if (this.#set) return;
    this.#set = true;
    this.#value = value;
    this.#notifier.notify();
  }

  peek(): T | undefined {
    return this.#value;
  }

  *get(): Task<T> {
    while (!this.#set) yield* this.#notifier.changed();
    return this.#value as T;
  }
}

/** Mutual exclusion between tasks, first come, first served. */
export class Mutex {
  #held = false;
  #queue: { granted: boolean; resume: Resume<void> }[] = [];

  /** Runs `body` while holding the lock. */
  *with<T>(body: () => Task<T>): Task<T> {
    const ticket = { granted: false, resume: (): void => {} };
    try {
      yield* this.#acquire(ticket);
      return yield* body();
    } finally {
      // A ticket may be granted although its task was cancelled before it ran again: it must pass the lock on.
      if (ticket.granted) this.#release();
    }
  }

  #acquire(ticket: { granted: boolean; resume: Resume<void> }): Task<void> {
    return wait<void>((resume) => {
      ticket.resume = resume;
      if (!this.#held) {
        this.#held = true;
        ticket.granted = true;
        resume();
        return nothingToCancel;
      }
      this.#queue.push(ticket);
      return () => {
        this.#queue = this.#queue.filter((other) => other !== ticket);
      };
    });
  }

  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#held = false;
      return;
    }
    next.granted = true;
    next.resume();
  }
}
