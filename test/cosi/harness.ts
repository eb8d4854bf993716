import { Runtime, type RuntimeOptions, State } from '../../src/cosi/index.ts';
import type { Clock, Timer } from '../../src/platform/clock.ts';
import type { Executor, Runnable } from '../../src/platform/executor.ts';
import type { EventFields, EventKind, Log } from '../../src/platform/log.ts';
import type { Random } from '../../src/platform/random.ts';
import { Scope } from '../../src/platform/scope.ts';
import { type Task, wait } from '../../src/platform/task.ts';

/** A small linear congruential stream: enough to shuffle in tests. */
export class TestRandom implements Random {
  #state: number;
  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }
  uint32(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return (this.#state ^ (this.#state >>> 15)) >>> 0;
  }
  int(min: number, max: number): number {
    return min + Math.floor((this.uint32() / 0x100000000) * (max - min + 1));
  }
  chance(partsPerMillion: number): boolean {
    return this.int(0, 999_999) < partsPerMillion;
  }
  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.int(0, 255));
  }
  stream(purpose: string): Random {
    let seed = this.#state;
    for (const char of purpose) seed = Math.imul(seed ^ char.charCodeAt(0), 0x01000193) >>> 0;
    return new TestRandom(seed);
  }
}

interface Due {
  readonly atUs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Virtual time and a task order drawn from a seed. */
export class TestWorld implements Executor, Clock, Log {
  readonly random: TestRandom;
  readonly scope: Scope;
  readonly escapes: unknown[] = [];
  readonly events: { name: string; fields: EventFields }[] = [];
  #nowUs = 1_000_000;
  #order = 0;
  #ready: Runnable[] = [];
  #due: Due[] = [];

  constructor(seed = 1) {
    this.random = new TestRandom(seed);
    this.scope = new Scope(this, 'test');
  }

  event<F extends EventFields>(kind: EventKind<F>, fields: F): void {
    this.events.push({ name: kind.name, fields });
  }
  child(): Log {
    return this;
  }
  ready(runnable: Runnable): void {
    this.#ready.push(runnable);
  }
  escaped(_path: string, error: unknown): void {
    this.escapes.push(error);
  }
  nowUs(): number {
    return this.#nowUs;
  }
  monotonicUs(): number {
    return this.#nowUs;
  }
  after(delayUs: number, callback: () => void): Timer {
    const due = { atUs: this.#nowUs + delayUs, order: this.#order++, callback };
    this.#due.push(due);
    return {
      cancel: () => {
        this.#due = this.#due.filter((other) => other !== due);
      },
    };
  }
  *sleep(durationUs: number): Task<void> {
    yield* wait<void>((resume) => {
      const timer = this.after(durationUs, () => resume());
      return () => timer.cancel();
    });
  }

  /** Runs until nothing is ready, in an order drawn from the seed. */
  settle(): void {
    for (let steps = 0; this.#ready.length > 0; steps++) {
      if (steps > 100_000) throw new Error('livelock');
      const [next] = this.#ready.splice(this.random.int(0, this.#ready.length - 1), 1);
      next?.run();
    }
  }

  /** Lets `durationUs` pass. */
  advance(durationUs: number): void {
    const endUs = this.#nowUs + durationUs;
    this.settle();
    for (;;) {
      this.#due.sort((a, b) => a.atUs - b.atUs || a.order - b.order);
      const next = this.#due[0];
      if (next === undefined || next.atUs > endUs) break;
      this.#due.shift();
      this.#nowUs = next.atUs;
      next.callback();
      this.settle();
    }
    this.#nowUs = endUs;
  }

  state(): State {
    return new State(this, this.random);
  }

  runtime(state: State, options: Partial<RuntimeOptions> = {}): Runtime {
    return new Runtime(state, { clock: this, random: this.random, log: this, scope: this.scope, ...options });
  }
}
