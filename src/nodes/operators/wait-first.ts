import { race } from '../../platform/combinators.ts';
import type { Task } from '../../platform/task.ts';

/** Waits for the first of several texts; the others are given up. */
export function firstOf(tasks: Readonly<Record<string, Task<string>>>): Task<string> {
  return race<string>(tasks);
}
