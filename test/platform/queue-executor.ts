import type { Executor, Runnable } from '../../src/platform/executor.ts';

/** First come, first served, run by hand: enough to test tasks without a world. */
export class QueueExecutor implements Executor {
  readonly escapes: { path: string; error: unknown }[] = [];
  #queue: Runnable[] = [];

  ready(runnable: Runnable): void {
    this.#queue.push(runnable);
  }

  escaped(path: string, error: unknown): void {
    this.escapes.push({ path, error });
  }

  drain(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next.run();
  }
}
