import type { Executor, Runnable } from '../platform/executor.ts';

/** Receives an error that no task and no caller was waiting for. */
export type EscapeHandler = (error: unknown, path: string) => void;

/**
 * Runs tasks first come, first served. Everything that Node.js calls back comes in through {@link enter}, which runs the
 * callback and then every task that it made ready, to the last.
 */
export class HostExecutor implements Executor {
  readonly #onEscape: EscapeHandler;
  #queue: Runnable[] = [];
  #active = false;
  #scheduled = false;
  #stopped = false;

  constructor(onEscape: EscapeHandler) {
    this.#onEscape = onEscape;
  }

  ready(runnable: Runnable): void {
    this.#queue.push(runnable);
    if (this.#active || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.enter(() => {}));
  }

  escaped(path: string, error: unknown): void {
    this.#onEscape(error, path);
  }

  /** Runs a callback of the outside world. After {@link stop} it is dropped. */
  enter(callback: () => void): void {
    if (this.#stopped) return;
    if (this.#active) {
      callback();
      return;
    }
    this.#active = true;
    this.#scheduled = false;
    try {
      callback();
    } catch (error) {
      this.#onEscape(error, 'callback');
    }
    this.#drain();
    this.#active = false;
  }

  /** Nothing runs any more. */
  stop(): void {
    this.#stopped = true;
    this.#queue = [];
  }

  #drain(): void {
    for (let at = 0; at < this.#queue.length && !this.#stopped; at++) {
      this.#queue[at]!.run();
      if (at < 1_024) continue;
      this.#queue = this.#queue.slice(at + 1);
      at = -1;
    }
    this.#queue = [];
  }
}
