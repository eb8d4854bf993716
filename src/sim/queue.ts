import type { Timer } from '../platform/clock.ts';
import { Bug } from '../platform/errors.ts';

/** Something due at a known instant. A record that is never cancelled goes into the queue as it is. */
export interface Due {
  fire(): void;
  /** Who it belongs to, for a livelock report. */
  readonly owner: string;
}

/** Whose timer it is: decides whether its callback may run now, later or never. */
export interface TimerOwner {
  readonly path: string;
  /** Runs the callback, holds it back (paused) or drops it (dead). */
  dispatch(callback: () => void): void;
}

const ARITY = 4;
const START_CAPACITY = 64;
const FREE = -1;

/**
 * Everything that is due, ordered by (time, sequence): a 4-ary heap in parallel arrays. Each entry lives in a slot that
 * knows its place in the heap, so that a cancelled entry leaves at once; slots are used again, so memory is bounded by
 * the largest number of entries that were ever pending together.
 */
export class EventQueue {
  /** Heap order. */
  #times = new Float64Array(START_CAPACITY);
  #sequences = new Float64Array(START_CAPACITY);
  #slots = new Int32Array(START_CAPACITY);
  #size = 0;
  /** By slot. */
  #positions = new Int32Array(START_CAPACITY).fill(FREE);
  #tickets = new Float64Array(START_CAPACITY);
  #items: (Due | undefined)[] = [];
  #freeSlots: number[] = [];
  #slotCount = 0;
  #nextSequence = 1;

  get size(): number {
    return this.#size;
  }

  /** How many entries fit without growing: for tests of boundedness. */
  get capacity(): number {
    return this.#times.length;
  }

  /** Time of the earliest entry in microseconds; undefined when there is none. */
  peekTimeUs(): number | undefined {
    return this.#size === 0 ? undefined : this.#times[0];
  }

  /** Sequence number of the earliest entry; entries are numbered from 1 in the order in which they were scheduled. */
  peekSequence(): number {
    return this.#size === 0 ? 0 : this.#sequences[0]!;
  }

  /** Owner of the earliest entry. */
  peekOwner(): string {
    return this.#size === 0 ? '' : this.#items[this.#slots[0]!]!.owner;
  }

  /** Adds a record. `timeUs` is absolute simulation time. */
  post(timeUs: number, due: Due): void {
    this.#insert(this.#takeSlot(), timeUs, this.#nextSequence++, due);
  }

  /** Adds a callback that may be cancelled. `timeUs` is absolute simulation time. */
  schedule(timeUs: number, callback: () => void, owner: TimerOwner): Timer {
    const slot = this.#takeSlot();
    const sequence = this.#nextSequence++;
    const timer = new QueueTimer(this, slot, sequence, callback, owner);
    this.#insert(slot, timeUs, sequence, timer);
    return timer;
  }

  #insert(slot: number, timeUs: number, sequence: number, item: Due): void {
    if (!(timeUs >= 0 && timeUs <= Number.MAX_SAFE_INTEGER && Math.floor(timeUs) === timeUs)) {
      throw new Bug(`an event of ${item.owner} is due at ${timeUs} us`);
    }
    this.#items[slot] = item;
    this.#tickets[slot] = sequence;
    this.#siftUp(this.#size++, timeUs, sequence, slot);
  }

  /** Takes the earliest entry out; undefined when there is none. The caller fires it. */
  takeFirst(): Due | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#items[this.#slots[0]!];
    this.#removeAt(0);
    return item;
  }

  /** For {@link Timer}: takes an entry out; a no-op when it already left. */
  cancel(slot: number, sequence: number): void {
    const position = this.#positions[slot]!;
    if (position !== FREE && this.#tickets[slot] === sequence) this.#removeAt(position);
  }

  /** Takes out everything of one owner, in time linear in the size of the queue: owners die seldom. */
  removeOwner(owner: TimerOwner): void {
    for (let slot = 0; slot < this.#slotCount; slot++) {
      const item = this.#items[slot];
      if (item instanceof QueueTimer && item.timerOwner === owner) this.#removeAt(this.#positions[slot]!);
    }
  }

  #takeSlot(): number {
    const free = this.#freeSlots.pop();
    if (free !== undefined) return free;
    const slot = this.#slotCount++;
    if (slot >= this.#times.length) this.#grow();
    return slot;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    const times = new Float64Array(capacity);
    const sequences = new Float64Array(capacity);
    const slots = new Int32Array(capacity);
    const positions = new Int32Array(capacity).fill(FREE);
    const tickets = new Float64Array(capacity);
    times.set(this.#times);
    sequences.set(this.#sequences);
    slots.set(this.#slots);
    positions.set(this.#positions);
    tickets.set(this.#tickets);
    this.#times = times;
    this.#sequences = sequences;
    this.#slots = slots;
    this.#positions = positions;
    this.#tickets = tickets;
  }

  /** Takes the entry at a place of the heap out and closes the gap with the last one. */
  #removeAt(position: number): void {
    const slot = this.#slots[position]!;
    this.#items[slot] = undefined;
    this.#positions[slot] = FREE;
    this.#freeSlots.push(slot);
    const last = --this.#size;
    if (position === last) return;
    const timeUs = this.#times[last]!;
    const sequence = this.#sequences[last]!;
    const moved = this.#slots[last]!;
    if (position > 0 && this.#isBefore(timeUs, sequence, (position - 1) >> 2)) {
      this.#siftUp(position, timeUs, sequence, moved);
    } else {
      this.#siftDown(position, timeUs, sequence, moved);
    }
  }

  #isBefore(timeUs: number, sequence: number, position: number): boolean {
    const other = this.#times[position]!;
    return timeUs < other || (timeUs === other && sequence < this.#sequences[position]!);
  }

  #put(position: number, timeUs: number, sequence: number, slot: number): void {
    this.#times[position] = timeUs;
    this.#sequences[position] = sequence;
    this.#slots[position] = slot;
    this.#positions[slot] = position;
  }

  #siftUp(start: number, timeUs: number, sequence: number, slot: number): void {
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      if (!this.#isBefore(timeUs, sequence, parent)) break;
      this.#put(position, this.#times[parent]!, this.#sequences[parent]!, this.#slots[parent]!);
      position = parent;
    }
    this.#put(position, timeUs, sequence, slot);
  }

  #siftDown(start: number, timeUs: number, sequence: number, slot: number): void {
    const times = this.#times;
    const sequences = this.#sequences;
    const size = this.#size;
    let position = start;
    for (;;) {
      const first = position * ARITY + 1;
      if (first >= size) break;
      const end = Math.min(first + ARITY, size);
      let best = first;
      let bestTime = times[first]!;
      for (let child = first + 1; child < end; child++) {
        const time = times[child]!;
        if (time < bestTime || (time === bestTime && sequences[child]! < sequences[best]!)) {
          best = child;
          bestTime = time;
        }
      }
      if (bestTime > timeUs || (bestTime === timeUs && sequences[best]! > sequence)) break;
      this.#put(position, bestTime, sequences[best]!, this.#slots[best]!);
      position = best;
    }
    this.#put(position, timeUs, sequence, slot);
  }
}

/** A callback in the queue and, at the same time, the handle that takes it out. */
export class QueueTimer implements Timer, Due {
  readonly timerOwner: TimerOwner;
  readonly #queue: EventQueue;
  readonly #slot: number;
  readonly #sequence: number;
  readonly #callback: () => void;

  constructor(queue: EventQueue, slot: number, sequence: number, callback: () => void, owner: TimerOwner) {
    this.#queue = queue;
    this.#slot = slot;
    this.#sequence = sequence;
    this.#callback = callback;
    this.timerOwner = owner;
  }

  get owner(): string {
    return this.timerOwner.path;
  }

  fire(): void {
    this.timerOwner.dispatch(this.#callback);
  }

  cancel(): void {
    this.#queue.cancel(this.#slot, this.#sequence);
  }
}
