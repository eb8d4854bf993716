import type { Due, NetScheduler } from '../../src/net/deps.ts';
import type { Timer } from '../../src/platform/clock.ts';

interface Entry {
  readonly atUs: number;
  readonly sequence: number;
  due: Due | undefined;
}

/** A plain binary heap by (time, sequence): enough to run the network without the simulation's kernel. */
export class TestScheduler implements NetScheduler {
  #heap: Entry[] = [];
  #nowUs = 0;
  #sequence = 0;
  /** Events fired so far. */
  fired = 0;

  nowUs(): number {
    return this.#nowUs;
  }

  post(delayUs: number, due: Due): void {
    this.#push(delayUs, due);
  }

  schedule(delayUs: number, callback: () => void): Timer {
    const entry = this.#push(delayUs, { fire: callback, owner: 'timer' });
    return {
      cancel: () => {
        entry.due = undefined;
      },
    };
  }

  #push(delayUs: number, due: Due): Entry {
    if (!Number.isSafeInteger(delayUs) || delayUs < 0) throw new Error(`delay ${delayUs} us`);
    const entry = { atUs: this.#nowUs + delayUs, sequence: this.#sequence++, due };
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
    return entry;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    const size = heap.length;
    if (size === 0) return first;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  /** Time of the next event that was not cancelled. */
  nextAtUs(): number | undefined {
    while (this.#heap.length > 0 && this.#heap[0]!.due === undefined) this.#pop();
    return this.#heap[0]?.atUs;
  }

  /** Fires the next event; false when there is none at or before `limitUs`. */
  step(limitUs: number): boolean {
    const atUs = this.nextAtUs();
    if (atUs === undefined || atUs > limitUs) return false;
    const entry = this.#pop();
    this.#nowUs = entry.atUs;
    this.fired++;
    entry.due!.fire();
    return true;
  }

  /** Lets time pass up to an instant. */
  setNow(atUs: number): void {
    this.#nowUs = Math.max(this.#nowUs, atUs);
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.sequence < b.sequence);
}
