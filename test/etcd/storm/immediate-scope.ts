import type { Suspension, Task, TaskContext, TaskScope } from '../../../src/platform/task.ts';

/** Runs tasks on the stack of whoever starts or resumes them. */
export function immediateScope(): TaskScope {
  const drive = (task: Task<unknown>, step: () => IteratorResult<Suspension<unknown>, unknown>): void => {
    const { done, value } = step();
    if (done === true) return;
    (value as Suspension<unknown>)(
      (result) => drive(task, () => task.next(result)),
      (error) => drive(task, () => task.throw(error)),
      {} as TaskContext,
    );
  };
  return {
    spawn: (_name: string, body: () => Task<unknown>) => {
      const task = body();
      drive(task, () => task.next());
      return { cancel: () => {} };
    },
  } as unknown as TaskScope;
}
