import { mixHash, type Runnable } from '../platform/executor.ts';
import type { Gate } from './gate.ts';

/**
 * Tasks that can go on at this instant, in the order of hash(seed, path, wake ordinal); equal keys go by arrival. The
 * order of two tasks does not depend on which others are ready, so adding a machine leaves the rest as it was.
 */
export class ReadyTasks {
  readonly #seedHash: number;
  #keys: number[] = [];
  #arrivals: number[] = [];
  #runnables: Runnable[] = [];
  #gates: Gate[] = [];
  #arrival = 0;

  constructor(seedHash: number) {
    this.#seedHash = seedHash;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The ordering key of a task as it is now. */
  keyOf(runnable: Runnable): number {
    return mixHash(mixHash(this.#seedHash, runnable.pathHash), runnable.wakeOrdinal);
  }

  push(key: number, runnable: Runnable, gate: Gate): void {
    const arrival = this.#arrival++;
    let position = this.#keys.length;
    this.#set(position, key, arrival, runnable, gate);
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#isBefore(key, arrival, parent)) break;
      this.#copy(parent, position);
      position = parent;
    }
    this.#set(position, key, arrival, runnable, gate);
  }

  /** Takes the first task out and hands it to its gate; returns its key. Only when {@link size} > 0. */
  runFirst(): number {
    const key = this.#keys[0]!;
    const runnable = this.#runnables[0]!;
    const gate = this.#gates[0]!;
    this.#removeFirst();
    gate.run(key, runnable);
    return key;
  }

  /** Owner of the first task, for reports. */
  peekPath(): string {
    return this.#runnables[0]?.path ?? '';
  }

  #removeFirst(): void {
    const lastKey = this.#keys.pop()!;
    const lastArrival = this.#arrivals.pop()!;
    const lastRunnable = this.#runnables.pop()!;
    const lastGate = this.#gates.pop()!;
    const size = this.#keys.length;
    if (size === 0) {
      this.#arrival = 0;
      return;
    }
    let position = 0;
    for (;;) {
      let child = position * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(this.#keys[child + 1]!, this.#arrivals[child + 1]!, child)) child++;
      if (this.#isBefore(lastKey, lastArrival, child)) break;
      this.#copy(child, position);
      position = child;
    }
    this.#set(position, lastKey, lastArrival, lastRunnable, lastGate);
  }

  #isBefore(key: number, arrival: number, position: number): boolean {
    const other = this.#keys[position]!;
    return key < other || (key === other && arrival < this.#arrivals[position]!);
  }

  #copy(from: number, to: number): void {
    this.#set(to, this.#keys[from]!, this.#arrivals[from]!, this.#runnables[from]!, this.#gates[from]!);
  }

  #set(position: number, key: number, arrival: number, runnable: Runnable, gate: Gate): void {
    this.#keys[position] = key;
    this.#arrivals[position] = arrival;
    this.#runnables[position] = runnable;
    this.#gates[position] = gate;
  }
}
