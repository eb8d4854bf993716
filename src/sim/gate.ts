import type { Executor, Runnable } from '../platform/executor.ts';
import type { Engine } from './engine.ts';
import type { TimerOwner } from './queue.ts';

/** Receives an error that escaped code behind the gate. */
export type EscapeHandler = (error: unknown, path: string) => void;

type Held = { readonly key: number; readonly runnable: Runnable } | (() => void);

/**
 * Everything that enters the code of one process, or of one kernel, goes through its gate: tasks that are ready, timers,
 * packets. A paused gate holds all of it back, in order, and lets it in when the last pause ends; a closed gate drops
 * it, which is the epoch guard: nothing of a dead incarnation ever runs.
 */
export class Gate implements Executor, TimerOwner {
  readonly path: string;
  readonly engine: Engine;
  #onEscape: EscapeHandler;
  #pauses = 0;
  #closed = false;
  #held: Held[] = [];

  constructor(engine: Engine, path: string, onEscape: EscapeHandler) {
    this.engine = engine;
    this.path = path;
    this.#onEscape = onEscape;
  }

  get paused(): boolean {
    return this.#pauses > 0;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** How much waits for the end of the pause. */
  get heldCount(): number {
    return this.#held.length;
  }

  ready(runnable: Runnable): void {
    if (this.#closed) return;
    const key = this.engine.readyTasks.keyOf(runnable);
    if (this.#pauses > 0) this.#held.push({ key, runnable });
    else this.engine.readyTasks.push(key, runnable, this);
  }

  escaped(path: string, error: unknown): void {
    this.#onEscape(error, path);
  }

  /** For {@link ReadyTasks}: runs a task that was ready, unless a pause or the end came in between. */
  run(key: number, runnable: Runnable): void {
    if (this.#closed) return;
    if (this.#pauses > 0) {
      this.#held.push({ key, runnable });
      return;
    }
    this.engine.enter();
    try {
      runnable.run();
    } catch (error) {
      this.engine.bug(runnable.path, error);
    } finally {
      this.engine.leave();
    }
  }

  /** Calls code behind the gate now, when the pause ends, or never. What it throws ends the process, not the caller. */
  dispatch(callback: () => void): void {
    if (this.#closed) return;
    if (this.#pauses > 0) {
      this.#held.push(callback);
      return;
    }
    this.engine.enter();
    try {
      callback();
    } catch (error) {
      this.#onEscape(error, this.path);
    } finally {
      this.engine.leave();
    }
  }

  /** Holds everything back until {@link resume} was called as often as this. */
  pause(): void {
    this.#pauses++;
  }

  resume(): void {
    if (this.#pauses === 0 || --this.#pauses > 0 || this.#closed) return;
    const held = this.#held;
    this.#held = [];
    for (const item of held) {
      if (typeof item === 'function') this.engine.scheduleAt(this.engine.nowUs, item, this);
      else this.engine.readyTasks.push(item.key, item.runnable, this);
    }
  }

  /** Nothing gets in any more; pending timers of the owner leave the queue. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held = [];
    this.engine.queue.removeOwner(this);
  }
}
