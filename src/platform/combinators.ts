import type { Clock, Timer } from './clock.ts';
import { TimeoutError } from './errors.ts';
import type { ForkedTask, Suspension, Task } from './task.ts';
import { nothingToCancel, wait } from './task.ts';

/** Runs tasks side by side; the first to end decides, the others are cancelled (their `finally` may not suspend). */
export function race<T>(tasks: Readonly<Record<string, Task<T>>>): Task<T> {
  return wait<T>((resume, fail, context) => {
    const forks: ForkedTask[] = [];
    let over = false;
    const end = (settle: () => void): void => {
      if (over) return;
      over = true;
      for (const fork of forks) fork.withdraw('cancel');
      settle();
    };
    for (const name of Object.keys(tasks)) {
      if (over) break;
      forks.push(
        context.fork(
          name,
          tasks[name]!,
          (value) => end(() => resume(value)),
          (error) => end(() => fail(error)),
        ),
      );
    }
    return (how) => {
      over = true;
      for (const fork of forks) fork.withdraw(how);
    };
  });
}

/** Runs tasks side by side and waits for all; the first error cancels the rest and is thrown. */
export function all<T>(tasks: readonly Task<T>[]): Task<T[]> {
  return wait<T[]>((resume, fail, context) => {
    const results = new Array<T>(tasks.length);
    const forks: ForkedTask[] = [];
    let left = tasks.length;
    let over = false;
    if (left === 0) resume(results);
    tasks.forEach((task, index) => {
      if (over) return;
      const done = (value: T): void => {
        results[index] = value;
        left--;
        if (left === 0 && !over) resume(results);
      };
      const failed = (error: unknown): void => {
        if (over) return;
        over = true;
        for (const fork of forks) fork.withdraw('cancel');
        fail(error);
      };
      forks.push(context.fork('all', task, done, failed));
    });
    return (how) => {
      over = true;
      for (const fork of forks) fork.withdraw(how);
    };
  });
}

/**
 * Limits a task to `limitUs`; when the time is up it is cancelled (its `finally` may not suspend) and
 * {@link TimeoutError} is thrown. The task runs as part of the calling one, so a limit costs one timer and no task.
 */
export function* timeout<T>(clock: Clock, limitUs: number, task: Task<T>, what = 'operation'): Task<T> {
  const limit = new Limit(clock, limitUs);
  try {
    let step = task.next();
    while (!step.done) {
      let outcome: unknown;
      try {
        outcome = yield* wait(limit.within(step.value));
      } catch (error) {
        step = task.throw(error);
        continue;
      }
      if (outcome === limit) {
        task.return(undefined as T);
        throw new TimeoutError(`${what} timed out after ${limitUs} us`);
      }
      step = task.next(outcome);
    }
    return step.value;
  } finally {
    limit.cancel();
    // Nothing to do when it ended; when the caller is cancelled it unwinds with it.
    for (let step = task.return(undefined as T); !step.done; ) step = task.next(yield* wait(step.value));
  }
}

/** The time limit of one task: one timer over all of its suspensions. */
class Limit {
  readonly #timer: Timer;
  #expired = false;
  /** Ends the current suspension; absent while the task runs or is about to. */
  #expire: (() => void) | undefined;

  constructor(clock: Clock, limitUs: number) {
    this.#timer = clock.after(limitUs, () => {
      this.#expired = true;
      this.#expire?.();
    });
  }

  cancel(): void {
    this.#timer.cancel();
  }

  /** The suspension; its value is this limit when the time is up first. Limits nest, so each has a sign of its own. */
  within(suspension: Suspension<unknown>): Suspension<unknown> {
    return (resume, fail, context) => {
      if (this.#expired) {
        resume(this);
        return nothingToCancel;
      }
      let settled = false;
      const cancel = suspension(
        (value) => {
          settled = true;
          this.#expire = undefined;
          resume(value);
        },
        (error) => {
          settled = true;
          this.#expire = undefined;
          fail(error);
        },
        context,
      );
      if (!settled) {
        this.#expire = () => {
          this.#expire = undefined;
          cancel('cancel');
          resume(this);
        };
      }
      return (how) => {
        this.#expire = undefined;
        if (how === 'kill') this.#timer.cancel();
        cancel(how);
      };
    };
  }
}
