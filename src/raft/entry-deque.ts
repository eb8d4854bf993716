import type { Entry } from './types.ts';

const CHUNK_BITS = 10;
const CHUNK = 1 << CHUNK_BITS;

/**
 * A run of entries by position that grows at the end and shrinks at both ends, in chunks: appending to a log of
 * ten million entries, or compacting it, costs what it costs in a short one.
 */
export class EntryDeque {
  private chunks: Entry[][] = [];
  /** Positions [head, tail), counted from the start of the first chunk. */
  private head = 0;
  private tail = 0;

  get length(): number {
    return this.tail - this.head;
  }

  at(position: number): Entry {
    const at = this.head + position;
    return this.chunks[at >> CHUNK_BITS]![at & (CHUNK - 1)]!;
  }

  push(entry: Entry): void {
    const within = this.tail & (CHUNK - 1);
    if (within === 0) this.chunks.push([entry]);
    else this.chunks[this.tail >> CHUNK_BITS]!.push(entry);
    this.tail++;
  }

  /** A copy of positions [from, to). */
  slice(from: number, to: number): Entry[] {
    const start = this.head + from;
    const end = this.head + to;
    const first = start >> CHUNK_BITS;
    const last = (end - 1) >> CHUNK_BITS;
    if (end <= start) return [];
    const base = first << CHUNK_BITS;
    if (first === last) return this.chunks[first]!.slice(start - base, end - base);
    let result = this.chunks[first]!.slice(start - base);
    for (let i = first + 1; i < last; i++) result = result.concat(this.chunks[i]!);
    return result.concat(this.chunks[last]!.slice(0, end - (last << CHUNK_BITS)));
  }

  /** Keeps the first `count` entries. */
  truncate(count: number): void {
    if (count >= this.length) return;
    this.tail = this.head + count;
    const keep = (this.tail + CHUNK - 1) >> CHUNK_BITS;
    this.chunks.length = keep;
    const within = this.tail & (CHUNK - 1);
    if (within !== 0) this.chunks[keep - 1]!.length = within;
  }

  /** Drops the first `count` entries. */
  dropFirst(count: number): void {
    this.head += Math.min(count, this.length);
    const whole = this.head >> CHUNK_BITS;
    if (whole === 0) return;
    this.chunks.splice(0, whole);
    this.head -= whole << CHUNK_BITS;
    this.tail -= whole << CHUNK_BITS;
  }

  clear(): void {
    this.chunks = [];
    this.head = 0;
    this.tail = 0;
  }
}
