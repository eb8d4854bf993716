import { Bug } from './errors.ts';
import { type Executor, HASH_START, hashText } from './executor.ts';
import { Fiber } from './fiber.ts';
import type { Task, TaskScope } from './task.ts';

/** Receives an error that escaped a task of the scope and that nobody was waiting for. */
export type FailureHandler = (error: unknown, path: string) => void;

/**
 * A tree of tasks that end together. `kill()` drops the subtree without running another line of it; `cancel()` unwinds
 * it through `finally`. Scopes are named by stable paths; the second child called `x` of one parent is `x#2`.
 */
export class Scope implements TaskScope {
  readonly path: string;
  readonly pathHash: number;
  #executor: Executor;
  #parent: Scope | undefined;
  #onFailure: FailureHandler | undefined;
  #fibers = new Set<Fiber<unknown>>();
  #children = new Set<Scope>();
  #counts = new Map<string, number>();
  #closed = false;
  #grace = false;

  constructor(executor: Executor, path: string, parent?: Scope, onFailure?: FailureHandler) {
    this.#executor = executor;
    this.path = path;
    this.pathHash = hashText(HASH_START, path);
    this.#parent = parent;
    this.#onFailure = onFailure;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True while tasks of this scope may still suspend although they are being cancelled. */
  get inGrace(): boolean {
    return this.#grace || (this.#parent?.inGrace ?? false);
  }

  /** Number of tasks in this scope and below that have not ended. */
  get liveTasks(): number {
    let count = this.#fibers.size;
    for (const child of this.#children) count += child.liveTasks;
    return count;
  }

  /** A scope below this one. `onFailure` receives errors that escape its tasks; without it they go to this scope. */
  child(name: string, onFailure?: FailureHandler): Scope {
    if (this.#closed) throw new Bug(`scope ${this.path} is closed`);
    const scope = new Scope(this.#executor, this.#label(name), this, onFailure);
    this.#children.add(scope);
    return scope;
  }

  /** Starts a task. In a closed scope it never runs and counts as cancelled. */
  spawn<T>(name: string, body: () => Task<T>): Fiber<T> {
    const path = this.#label(name);
    const fiber = new Fiber<T>(this.#executor, this, path, body(), hashText(HASH_START, path));
    if (this.#closed) {
      fiber.kill();
      return fiber;
    }
    this.#fibers.add(fiber as Fiber<unknown>);
    fiber.start();
    return fiber;
  }

  /** Unwinds every task through `finally`, children first, and closes the scope. */
  cancel(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelAll();
    this.#detach();
  }

  /** Like {@link cancel}, but `finally` blocks may suspend; the caller kills the scope at the end of the grace period. */
  cancelWithGrace(): void {
    if (this.#closed) return;
    this.#grace = true;
    this.#closed = true;
    this.#cancelAll();
  }

  /** Drops every task below without running another line of any. */
  kill(): void {
    this.#closed = true;
    this.#grace = false;
    for (const child of [...this.#children]) child.kill();
    for (const fiber of [...this.#fibers]) fiber.drop();
    this.#detach();
  }

  /** For {@link Fiber}: a forked child joins the scope. */
  adopt<T>(fiber: Fiber<T>): void {
    this.#fibers.add(fiber as Fiber<unknown>);
  }

  /** For {@link Fiber}: a task of the scope ended. */
  release<T>(fiber: Fiber<T>): void {
    this.#fibers.delete(fiber as Fiber<unknown>);
  }

  /** For {@link Fiber}: an error escaped a task that nobody joined. */
  failed<T>(fiber: Fiber<T>, error: unknown): void {
    this.#escalate(error, fiber.path);
  }

  #escalate(error: unknown, path: string): void {
    if (this.#onFailure !== undefined) this.#onFailure(error, path);
    else if (this.#parent !== undefined) this.#parent.#escalate(error, path);
    else this.#executor.escaped(path, error);
  }

  #cancelAll(): void {
    for (const child of [...this.#children]) {
      if (this.#grace) child.cancelWithGrace();
      else child.cancel();
    }
    for (const fiber of [...this.#fibers]) fiber.cancel();
  }

  #detach(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
  }

  #label(name: string): string {
    const ordinal = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, ordinal);
    return `${this.path}/${ordinal === 1 ? name : `${name}#${ordinal}`}`;
  }
}
