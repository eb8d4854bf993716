import { RaftFatal } from './fatal.ts';

/**
 * The append messages sent to one peer and not acknowledged: for each the index of its last entry and its
 * payload bytes, oldest first, in a ring that grows on demand (reference/raft.md A12).
 */
export class Inflights {
  readonly capacity: number;
  /** 0 is "no limit". The message that crosses the limit is still admitted. */
  readonly maxBytes: number;
  count = 0;
  bytes = 0;
  private start = 0;
  private indexes: number[] = [];
  private sizes: number[] = [];

  constructor(capacity: number, maxBytes: number) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
  }

  full(): boolean {
    return this.count === this.capacity || (this.maxBytes !== 0 && this.bytes >= this.maxBytes);
  }

  add(index: number, bytes: number): void {
    if (this.full()) throw new RaftFatal('cannot add into a Full inflights');
    if (this.count === this.indexes.length) this.grow();
    const at = (this.start + this.count) % this.indexes.length;
    this.indexes[at] = index;
    this.sizes[at] = bytes;
    this.count++;
    this.bytes += bytes;
  }

  /** Frees every message whose last entry is at or below `index`. */
  freeUpTo(index: number): void {
    const size = this.indexes.length;
    while (this.count > 0 && this.indexes[this.start]! <= index) {
      this.bytes -= this.sizes[this.start]!;
      this.count--;
      this.start = this.start + 1 === size ? 0 : this.start + 1;
    }
  }

  reset(): void {
    this.count = 0;
    this.bytes = 0;
    this.start = 0;
  }

  clone(): Inflights {
    const copy = new Inflights(this.capacity, this.maxBytes);
    copy.count = this.count;
    copy.bytes = this.bytes;
    copy.start = this.start;
    copy.indexes = this.indexes.slice();
    copy.sizes = this.sizes.slice();
    return copy;
  }

  private grow(): void {
    const size = Math.min(Math.max(this.indexes.length * 2, 8), this.capacity);
    const rotate = (ring: number[]): number[] => {
      const grown = [...ring.slice(this.start), ...ring.slice(0, this.start)];
      while (grown.length < size) grown.push(0);
      return grown;
    };
    this.indexes = rotate(this.indexes);
    this.sizes = rotate(this.sizes);
    this.start = 0;
  }
}
