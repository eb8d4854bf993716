/**
 * A Task is a flow of control that suspends on one primitive and is resumed, failed, cancelled or dropped by whoever
 * holds the other end. Everything a node does is a Task; it can reach nothing but the Platform it was handed.
 */

/** Called at most once by the other end to continue the task with a value. */
export type Resume<T> = (value: T) => void;

/** Called at most once by the other end to continue the task with a thrown error. */
export type Fail = (error: unknown) => void;

/** Why a suspension is withdrawn: `cancel` will unwind the task through `finally`, `kill` will run no line of it. */
export type Withdrawal = 'cancel' | 'kill';

/** Withdraws a suspension. Called at most once, never after the suspension settled. */
export type Cancel = (how: Withdrawal) => void;

/**
 * What a task waits for. Given the two ways to settle it (whichever comes first counts, also synchronously), it
 * starts the wait and returns how to withdraw it. `context` is the task that waits.
 */
export type Suspension<T> = (resume: Resume<T>, fail: Fail, context: TaskContext) => Cancel;

export type Task<T> = Generator<Suspension<unknown>, T, unknown>;

/** A running child of a task, as combinators such as race hold it. */
export interface ForkedTask {
  /** Ends it for a parent that no longer asks how it ends: neither of its callbacks is called from now on. */
  withdraw(how: Withdrawal): void;
}

/** What a suspension may know of the task that waits: its stable name, and how to run children of it. */
export interface TaskContext {
  /** Stable path of the task, e.g. `cp-1/machined/etcd`. */
  readonly path: string;
  readonly scope: TaskScope;
  /** Runs `task` as a child in the same scope, at once up to its first wait; exactly one of the callbacks is called unless it is withdrawn. */
  fork<T>(name: string, task: Task<T>, onDone: Resume<T>, onFail: Fail): ForkedTask;
}

/** The part of a Scope that tasks may use. */
export interface TaskScope {
  readonly path: string;
  readonly closed: boolean;
  spawn<T>(name: string, body: () => Task<T>): TaskHandle<T>;
  child(name: string): TaskScope;
  cancel(): void;
  kill(): void;
}

/** A task that was started and can be waited for. */
export interface TaskHandle<T> {
  readonly path: string;
  readonly settled: boolean;
  /** Waits for the end; throws what the task threw, or {@link TaskCancelled} when it was cancelled or killed. */
  join(): Task<T>;
  cancel(): void;
  kill(): void;
}

/** The only place that says `yield`: waits for a suspension. Everything else is `yield*`. */
export function* wait<T>(suspension: Suspension<T>): Task<T> {
  return (yield suspension as Suspension<unknown>) as T;
}

/** Withdraws nothing: for suspensions that settle synchronously or cannot be withdrawn. */
export const nothingToCancel: Cancel = () => {};

/** The scope that the calling task runs in. */
export function currentScope(): Task<TaskScope> {
  return wait<TaskScope>((resume, _fail, context) => {
    resume(context.scope);
    return nothingToCancel;
  });
}

/** Starts a task beside the calling one, in its scope; an error that escapes it goes to the scope's owner. */
export function* spawn<T>(name: string, body: () => Task<T>): Task<TaskHandle<T>> {
  const scope = yield* currentScope();
  return scope.spawn(name, body);
}
