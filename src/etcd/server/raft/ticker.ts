import type { Clock, Timer } from '../../../platform/clock.ts';
import type { RawNode } from '../../../raft/index.ts';

/**
 * Turns time into Raft's ticks. A tick that would only count is not an event: the timer is set to the next tick that may
 * act, and ticks are accounted for whenever the node is used. The outcome is that of ticking one by one.
 *
 * A process that was stopped loses its ticks, as one with Go's ticker does: when the timer is late by more than a tick,
 * only one is counted (reference/etcd.md G1 #20418 and G3-11 rest on it).
 */
export class Ticker {
  readonly #clock: Clock;
  readonly #node: RawNode;
  readonly #tickUs: number;
  readonly #onAction: () => void;
  /** Time of the last tick accounted for. */
  #baseUs: number;
  #timer: Timer | null = null;
  #dueUs = Number.POSITIVE_INFINITY;
  /** When it last turned out that this process had been stopped; −∞: never. */
  lastStallUs = Number.NEGATIVE_INFINITY;

  /** `onAction` is called after a tick that may have given the node something to say. */
  constructor(clock: Clock, node: RawNode, tickUs: number, onAction: () => void) {
    this.#clock = clock;
    this.#node = node;
    this.#tickUs = tickUs;
    this.#onAction = onAction;
    this.#baseUs = clock.monotonicUs();
  }

  /** Time of the last tick; how stale it is tells whether this process was stopped. */
  get lastTickUs(): number {
    return this.#baseUs;
  }

  /** Counts the ticks that have passed. To be called before the node is used. */
  sync(): void {
    const now = this.#clock.monotonicUs();
    let ticks = Math.floor((now - this.#baseUs) / this.#tickUs);
    if (ticks <= 0) return;
    if (now > this.#dueUs + this.#tickUs) {
      this.#baseUs = now - ((now - this.#baseUs) % this.#tickUs);
      this.lastStallUs = now;
      ticks = 1;
    } else this.#baseUs += ticks * this.#tickUs;
    this.#node.tickN(ticks);
  }

  /** Sets the timer to the next tick that matters. To be called after the node was used. */
  arm(): void {
    const ticks = this.#node.ticksUntilAction();
    const dueUs = this.#baseUs + ticks * this.#tickUs;
    if (this.#timer !== null && this.#dueUs <= dueUs) return;
    this.#timer?.cancel();
    this.#timer = null;
    this.#dueUs = dueUs;
    if (dueUs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.after(Math.max(0, dueUs - this.#clock.monotonicUs()), this.#due);
  }

  readonly #due = (): void => {
    this.#timer = null;
    this.sync();
    this.#dueUs = Number.POSITIVE_INFINITY;
    this.#onAction();
  };

  /** Counts ticks that have not passed: how a starting member shortens its first election. */
  advance(ticks: number): void {
    this.sync();
    this.#node.tickN(ticks);
    this.#onAction();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
