import type { Timer } from '../platform/clock.ts';
import { HASH_START, hashText } from '../platform/executor.ts';
import { Digest } from './digest.ts';
import { LivelockError, SimulationBug } from './errors.ts';
import { type Due, EventQueue, QueueTimer, type TimerOwner } from './queue.ts';
import { KeyedRandom } from './random.ts';
import { ReadyTasks } from './ready.ts';

/** How many of the last dispatches before the limit a livelock report counts by owner. */
const LIVELOCK_SAMPLE = 2_000;

/**
 * Time and order of one simulation: one event queue, the tasks ready now, and the rule that the clock moves only when no
 * task is ready. A *slice* is one uninterrupted stretch of node code; {@link boundary} work (deaths, faults) runs
 * between slices, so nothing is ever killed in the middle of a line.
 */
export class Engine {
  readonly seed: string;
  readonly queue = new EventQueue();
  readonly readyTasks: ReadyTasks;
  readonly digest = new Digest();
  readonly livelockLimit: number;
  #nowUs = 0;
  #depth = 0;
  #boundary: (() => void)[] = [];
  #failure: Error | undefined;
  #dispatched = 0;
  #dispatchedBefore = 0;
  #recent = new Map<string, number>();

  constructor(seed: string, livelockLimit: number) {
    this.seed = seed;
    this.livelockLimit = livelockLimit;
    this.readyTasks = new ReadyTasks(hashText(HASH_START, seed));
  }

  /** True simulation time in microseconds; no clock fault touches it. */
  get nowUs(): number {
    return this.#nowUs;
  }

  /** Slices and events run so far. */
  get dispatched(): number {
    return this.#dispatched;
  }

  /** What stopped the run for good. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  random(path: string): KeyedRandom {
    return new KeyedRandom(this.seed, path);
  }

  /** Schedules at an absolute time; a time that is past means now. */
  scheduleAt(timeUs: number, callback: () => void, owner: TimerOwner): Timer {
    return this.queue.schedule(Math.max(timeUs, this.#nowUs), callback, owner);
  }

  scheduleIn(delayUs: number, callback: () => void, owner: TimerOwner): Timer {
    return this.queue.schedule(delayUs > 0 ? this.#nowUs + delayUs : this.#nowUs, callback, owner);
  }

  /** Puts a record that is never cancelled into the queue. */
  post(delayUs: number, due: Due): void {
    this.queue.post(delayUs > 0 ? this.#nowUs + delayUs : this.#nowUs, due);
  }

  /** Node code begins to run; slices nest when one calls into another process. */
  enter(): void {
    this.#depth++;
  }

  leave(): void {
    this.#depth--;
    if (this.#depth === 0 && this.#boundary.length > 0) this.#runBoundary();
  }

  /** Runs `action` as soon as no node code is on the stack: at once, or when the current slice ends. */
  boundary(action: () => void): void {
    this.#boundary.push(action);
    if (this.#depth > 0) return;
    this.#runBoundary();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #runBoundary(): void {
    // Actions may call into node code (which nests) or ask for more actions (which wait their turn here).
    this.#depth++;
    for (let action = this.#boundary.shift(); action !== undefined; action = this.#boundary.shift()) {
      try {
        action();
      } catch (error) {
        this.bug('between slices', error);
      }
    }
    this.#depth--;
  }

  /** Runs code of ours as one slice: what it asks for between slices waits until it is through. */
  slice<T>(body: () => T): T {
    this.enter();
    try {
      return body();
    } finally {
      this.leave();
    }
  }

  /** Stops the run for good: an error of our own code. The first one counts. */
  bug(path: string, error: unknown): void {
    if (error instanceof LivelockError) this.#failure ??= error;
    this.#failure ??= error instanceof SimulationBug ? error : new SimulationBug(this.seed, this.#nowUs, path, error);
  }

  /** Runs what is next: a ready task, else the earliest event. False when there is nothing at or before `untilUs`. */
  step(untilUs: number): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.readyTasks.size > 0) {
      this.#count();
      this.digest.fold(this.readyTasks.runFirst());
    } else {
      const timeUs = this.queue.peekTimeUs();
      if (timeUs === undefined || timeUs > untilUs) return false;
      if (timeUs > this.#nowUs) {
        this.#nowUs = timeUs;
        this.#dispatchedBefore = this.#dispatched;
      }
      this.#count();
      this.digest.foldWide(timeUs);
      this.digest.fold(this.queue.peekSequence());
      this.#fire(this.queue.takeFirst()!);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return true;
  }

  /** A timer's owner decides what it may do; records come from the network and may call into any process. */
  #fire(due: Due): void {
    if (due instanceof QueueTimer) {
      due.fire();
      return;
    }
    this.enter();
    try {
      due.fire();
    } catch (error) {
      this.bug(due.owner, error);
    } finally {
      this.leave();
    }
  }

  /** With nothing left to do before it, time passes until `timeUs`. */
  advanceTo(timeUs: number): void {
    if (timeUs <= this.#nowUs) return;
    this.#nowUs = timeUs;
    this.#dispatchedBefore = this.#dispatched;
  }

  /** Path of whoever is next: a ready task, else the owner of the earliest event. */
  get nextOwner(): string {
    return this.readyTasks.size > 0 ? this.readyTasks.peekPath() : this.queue.peekOwner();
  }

  #count(): void {
    this.#dispatched++;
    const atThisInstant = this.#dispatched - this.#dispatchedBefore;
    if (atThisInstant <= this.livelockLimit - LIVELOCK_SAMPLE) return;
    if (atThisInstant === this.livelockLimit - LIVELOCK_SAMPLE + 1) this.#recent.clear();
    const path = this.nextOwner;
    this.#recent.set(path, (this.#recent.get(path) ?? 0) + 1);
    if (atThisInstant > this.livelockLimit) throw this.#livelock();
  }

  #livelock(): LivelockError {
    let worst = '';
    let most = 0;
    let total = 0;
    for (const [path, count] of this.#recent) {
      total += count;
      if (count > most) {
        worst = path;
        most = count;
      }
    }
    const error = new LivelockError(this.seed, this.#nowUs, this.livelockLimit, worst, `${most} of the last ${total}`);
    this.#failure = error;
    return error;
  }
}
