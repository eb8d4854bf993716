import type { Clock } from './clock.ts';
import { TimeoutError } from './errors.ts';
import type { ForkedTask, Task } from './task.ts';
import { wait } from './task.ts';

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

/** Limits a task to `limitUs`; when the time is up it is cancelled and {@link TimeoutError} is thrown. */
export function* timeout<T>(clock: Clock, limitUs: number, task: Task<T>, what = 'operation'): Task<T> {
  const expired = Symbol('expired');
  const outcome = yield* race<T | typeof expired>({
    task: task as Task<T | typeof expired>,
    limit: (function* (): Task<typeof expired> {
      yield* clock.sleep(limitUs);
      return expired;
    })(),
  });
  if (outcome === expired) throw new TimeoutError(`${what} timed out after ${limitUs} us`);
  return outcome as T;
}
