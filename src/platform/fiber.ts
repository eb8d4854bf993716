import { Bug, TaskCancelled } from './errors.ts';
import { type Executor, hashText, type Runnable } from './executor.ts';
import type { Scope } from './scope.ts';
import type {
  Cancel,
  Fail,
  ForkedTask,
  Resume,
  Suspension,
  Task,
  TaskContext,
  TaskHandle,
  Withdrawal,
} from './task.ts';
import { nothingToCancel, wait } from './task.ts';

/** `settled`: its wait ended while it was being started, so the task goes on at once. */
type State = 'ready' | 'running' | 'starting' | 'settled' | 'suspended' | 'done';
type Outcome<T> = { kind: 'value'; value: T } | { kind: 'error'; error: unknown } | { kind: 'withdrawn' };
/** How the generator goes on: with a value, with a thrown error, or by unwinding. */
type Next = 'value' | 'error' | 'cancel';

interface Observer<T> {
  done: Resume<T>;
  fail: Fail;
}

/** One task in flight: drives its generator from suspension to suspension. */
export class Fiber<T> implements Runnable, TaskContext, TaskHandle<T>, ForkedTask {
  readonly path: string;
  readonly pathHash: number;
  readonly scope: Scope;
  wakeOrdinal = 0;
  #executor: Executor;
  #generator: Task<T>;
  #state: State = 'suspended';
  #outcome: Outcome<T> | undefined;
  #next: Next = 'value';
  /** The value or the error that goes with {@link Next}. */
  #passed: unknown;
  #pending: Cancel | undefined;
  /** Identity of the current suspension: settlements that carry an older one come too late and are ignored. */
  #turn = 0;
  #cancelWanted = false;
  #unwinding = false;
  /** Nobody wants to know any more how it ends. */
  #abandoned = false;
  #observers: Observer<T>[] = [];
  #childCounts: Map<string, number> | undefined;

  constructor(executor: Executor, scope: Scope, path: string, generator: Task<T>, pathHash: number) {
    this.#executor = executor;
    this.scope = scope;
    this.path = path;
    this.pathHash = pathHash;
    this.#generator = generator;
  }

  get settled(): boolean {
    return this.#outcome !== undefined;
  }

  /** Makes the fiber ready for its first step. */
  start(): void {
    this.#makeReady('value', undefined);
  }

  /** Runs until the next suspension that does not settle at once. Only the executor calls this. */
  run(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'running';
    for (;;) {
      if (this.#cancelWanted && !this.#unwinding) this.#next = 'cancel';
      const suspension = this.#advance();
      if (suspension === undefined) return;
      if (this.#cancelWanted && !this.#unwinding) continue;
      if (this.#unwinding && !this.scope.inGrace) {
        this.#finish({ kind: 'withdrawn' });
        return;
      }
      if (!this.#suspend(suspension)) return;
    }
  }

  #advance(): Suspension<unknown> | undefined {
    const passed = this.#passed;
    this.#passed = undefined;
    try {
      const step =
        this.#next === 'value'
          ? this.#generator.next(passed)
          : this.#next === 'error'
            ? this.#generator.throw(passed)
            : this.#return();
      if (this.settled) return undefined; // killed by what it just did
      if (!step.done) return step.value;
      this.#finish(this.#unwinding ? { kind: 'withdrawn' } : { kind: 'value', value: step.value });
    } catch (error) {
      if (!this.settled) this.#finish({ kind: 'error', error });
      else this.#executor.escaped(this.path, error);
    }
    return undefined;
  }

  #return(): IteratorResult<Suspension<unknown>, T> {
    this.#unwinding = true;
    return this.#generator.return(undefined as T);
  }

  /** Starts a wait. True when the task goes on at once: it settled synchronously, or is to unwind. */
  #suspend(suspension: Suspension<unknown>): boolean {
    const turn = ++this.#turn;
    this.#state = 'starting';
    let cancel: Cancel = nothingToCancel;
    try {
      cancel = suspension(
        (value) => this.#settle(turn, 'value', value),
        (error) => this.#settle(turn, 'error', error),
        this,
      );
    } catch (error) {
      this.#settle(turn, 'error', error);
    }
    const state = this.#state as State;
    if (state === 'done') {
      cancel('kill');
      return false;
    }
    if (state === 'settled') {
      this.#state = 'running';
      return true;
    }
    this.#state = 'suspended';
    this.#pending = cancel;
    if (!this.#cancelWanted || this.#unwinding) return false;
    this.#withdraw('cancel');
    this.#state = 'running';
    return true;
  }

  /** Ends the wait of this turn; what comes after another end is ignored. */
  #settle(turn: number, next: Next, passed: unknown): void {
    if (this.#turn !== turn) return;
    if (this.#state === 'suspended') this.#makeReady(next, passed);
    else if (this.#state === 'starting') {
      this.#state = 'settled';
      this.#next = next;
      this.#passed = passed;
    }
  }

  #withdraw(how: Withdrawal): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#turn++;
    pending?.(how);
  }

  #makeReady(next: Next, passed: unknown): void {
    this.#pending = undefined;
    this.#turn++;
    this.#state = 'ready';
    this.#next = next;
    this.#passed = passed;
    this.#executor.ready(this);
    this.wakeOrdinal++;
  }

  #finish(outcome: Outcome<T>): void {
    if (this.settled) throw new Bug(`task ${this.path} ended twice`);
    this.#outcome = outcome;
    this.#state = 'done';
    this.#turn++;
    this.scope.release(this);
    if (this.#abandoned) return;
    const observers = this.#observers;
    this.#observers = [];
    if (outcome.kind === 'error' && observers.length === 0) this.scope.failed(this, outcome.error);
    for (const observer of observers) this.#tell(observer, outcome);
  }

  #tell(observer: Observer<T>, outcome: Outcome<T>): void {
    if (outcome.kind === 'value') observer.done(outcome.value);
    else observer.fail(outcome.kind === 'error' ? outcome.error : new TaskCancelled(this.path));
  }

  /** Asks the task to unwind. A running task does so at its next suspension; repeats are no-ops. */
  cancel(): void {
    if (this.settled || this.#cancelWanted) return;
    this.#cancelWanted = true;
    if (this.#state !== 'suspended') return;
    this.#withdraw('cancel');
    this.#state = 'ready';
    this.#next = 'cancel';
    this.run();
  }

  /** Drops the task: not another line of it runs, whoever joins it is told. */
  kill(): void {
    if (this.settled) return;
    if (this.#state === 'suspended') this.#withdraw('kill');
    this.#finish({ kind: 'withdrawn' });
  }

  withdraw(how: Withdrawal): void {
    this.#abandoned = true;
    if (how === 'kill') this.kill();
    else this.cancel();
  }

  /** Drops the task and whoever waits for it, silently: for a power cut. */
  drop(): void {
    this.#observers = [];
    this.kill();
  }

  *join(): Task<T> {
    const outcome = this.#outcome;
    if (outcome !== undefined) {
      if (outcome.kind === 'value') return outcome.value;
      throw outcome.kind === 'error' ? outcome.error : new TaskCancelled(this.path);
    }
    return yield* wait<T>((done, fail) => {
      const observer: Observer<T> = { done, fail };
      this.#observers.push(observer);
      return () => {
        this.#observers = this.#observers.filter((other) => other !== observer);
      };
    });
  }

  fork<U>(name: string, task: Task<U>, onDone: Resume<U>, onFail: Fail): ForkedTask {
    this.#childCounts ??= new Map();
    const ordinal = (this.#childCounts.get(name) ?? 0) + 1;
    this.#childCounts.set(name, ordinal);
    const label = ordinal === 1 ? name : `${name}#${ordinal}`;
    const hash = hashText(hashText(this.pathHash, '/'), label);
    const child = new Fiber<U>(this.#executor, this.scope, `${this.path}/${label}`, task, hash);
    child.#observers.push({ done: onDone, fail: onFail });
    this.scope.adopt(child);
    // Its first stretch belongs to the slice that asks for it: a child that only begins to wait costs no dispatch.
    child.#state = 'ready';
    child.run();
    return child;
  }
}
