import type { Random } from '../../platform/random.ts';

const CHUNK = 16_384;
const SMALLEST_CHUNK = 64;
const FIRST_PRUNE = 64;
const SECTOR = 512;

const NOTHING = new Uint8Array(0);

/** A change that is only in the page cache: how to take it back, and what it wrote. */
interface PendingChange {
  readonly offset: number;
  /** What was written; undefined for a change of size alone. */
  readonly data: Uint8Array | undefined;
  /** What stood there before. */
  readonly before: Uint8Array;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly atUs: number;
}

/** What a power cut does with changes that were never synced. */
export type CrashMode =
  /** None is kept. */
  | 'drop'
  /** The first few are kept, the last of them perhaps not whole. */
  | 'prefix'
  /** Each is kept or lost for itself. */
  | 'subset'
  /** As `prefix`, and the last kept write stops at a sector in its middle. */
  | 'torn';

/**
 * Bytes of one file as the page cache has them, with the changes since the last sync as an undo log, so that an append
 * and a sync cost nothing that grows with the file. Holes take no memory.
 */
export class FileContent {
  #chunks: (Uint8Array | undefined)[] = [];
  #size = 0;
  #pending: PendingChange[] = [];
  /** How many changes left the undo log so far: positions in it stay meaningful while a sync is under way. */
  #settled = 0;
  #pruneAt = FIRST_PRUNE;
  readonly #writebackUs: number;

  /** Changes older than `writebackUs` have been written back by the kernel on its own. */
  constructor(writebackUs: number) {
    this.#writebackUs = writebackUs;
  }

  get size(): number {
    return this.#size;
  }

  /** Position after the last change: what a sync that starts now will cover. */
  get mark(): number {
    return this.#settled + this.#pending.length;
  }

  /** Bytes that a sync would have to write. */
  dirtyBytes(): number {
    let sum = 0;
    for (const change of this.#pending) sum += change.data?.length ?? 0;
    return sum;
  }

  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.#size);
    if (end <= offset) return new Uint8Array(0);
    const out = new Uint8Array(end - offset);
    for (let at = offset; at < end; ) {
      const inChunk = at % CHUNK;
      const count = Math.min(CHUNK - inChunk, end - at);
      const chunk = this.#chunks[(at - inChunk) / CHUNK];
      if (chunk !== undefined) out.set(chunk.subarray(inChunk, inChunk + count), at - offset);
      at += count;
    }
    return out;
  }

  write(offset: number, data: Uint8Array, nowUs: number): void {
    const sizeBefore = this.#size;
    const before = offset >= sizeBefore ? NOTHING : this.read(offset, data.length);
    this.#put(offset, data);
    this.#size = Math.max(sizeBefore, offset + data.length);
    this.#remember({ offset, data, before, sizeBefore, sizeAfter: this.#size, atUs: nowUs });
  }

  truncate(size: number, nowUs: number): void {
    const sizeBefore = this.#size;
    const before = this.read(size, sizeBefore - size);
    this.#cut(size);
    this.#remember({ offset: size, data: undefined, before, sizeBefore, sizeAfter: size, atUs: nowUs });
  }

  /** Everything up to `mark` is durable. */
  commit(mark: number): void {
    const count = mark - this.#settled;
    if (count <= 0) return;
    this.#settled = mark;
    if (count === this.#pending.length) this.#pending = [];
    else this.#pending.splice(0, count);
  }

  commitAll(): void {
    this.commit(this.mark);
  }

  /** The power went: keeps what was durable and, of the rest, what `mode` says. */
  crash(nowUs: number, mode: CrashMode, random: Random): void {
    this.#prune(nowUs);
    const lost = this.#pending;
    this.#settled += lost.length;
    this.#pending = [];
    for (let i = lost.length - 1; i >= 0; i--) this.#undo(lost[i]!);
    if (mode === 'drop' || lost.length === 0) return;
    if (mode === 'subset') {
      for (const change of lost) if (random.chance(500_000)) this.#redo(change, change.data?.length ?? 0);
      return;
    }
    const kept = random.int(0, lost.length);
    for (let i = 0; i < kept; i++) {
      const whole = lost[i]!.data?.length ?? 0;
      const torn = mode === 'torn' && i === kept - 1 && whole > 0;
      this.#redo(lost[i]!, torn ? tornLength(lost[i]!.offset, whole, random) : whole);
    }
  }

  /** Changes stored bytes behind the back of everybody, durable at once: bit rot and misdirected writes. */
  corrupt(offset: number, data: Uint8Array): void {
    const count = Math.min(data.length, this.#size - offset);
    if (count > 0) this.#put(offset, data.subarray(0, count));
  }

  #remember(change: PendingChange): void {
    this.#pending.push(change);
    if (this.#pending.length < this.#pruneAt) return;
    this.#prune(change.atUs);
    this.#pruneAt = Math.max(FIRST_PRUNE, this.#pending.length * 2);
  }

  #prune(nowUs: number): void {
    let old = 0;
    while (old < this.#pending.length && nowUs - this.#pending[old]!.atUs >= this.#writebackUs) old++;
    this.commit(this.#settled + old);
  }

  #undo(change: PendingChange): void {
    this.#put(change.offset, change.before);
    this.#cut(change.sizeBefore);
  }

  #redo(change: PendingChange, length: number): void {
    if (change.data === undefined) {
      this.#cut(change.sizeAfter);
      return;
    }
    this.#put(change.offset, change.data.subarray(0, length));
    this.#size = Math.max(this.#size, change.offset + length);
  }

  /** Sets the size; what lies beyond reads as zeros if the file grows again. */
  #cut(size: number): void {
    if (size < this.#size) {
      const inChunk = size % CHUNK;
      const index = (size - inChunk) / CHUNK;
      this.#chunks[index]?.fill(0, inChunk);
      this.#chunks.length = Math.min(this.#chunks.length, inChunk === 0 ? index : index + 1);
    }
    this.#size = size;
  }

  #put(offset: number, data: Uint8Array): void {
    for (let at = 0; at < data.length; ) {
      const inChunk = (offset + at) % CHUNK;
      const count = Math.min(CHUNK - inChunk, data.length - at);
      const chunk = this.#chunkFor((offset + at - inChunk) / CHUNK, inChunk + count);
      chunk.set(count === data.length ? data : data.subarray(at, at + count), inChunk);
      at += count;
    }
  }

  #chunkFor(index: number, needed: number): Uint8Array {
    const chunk = this.#chunks[index];
    if (chunk !== undefined && chunk.length >= needed) return chunk;
    // A file that goes on after a chunk will fill the next one too; only small ones save room.
    const goesOn = index > 0 && this.#chunks[index - 1] !== undefined;
    let capacity = goesOn ? CHUNK : Math.max(SMALLEST_CHUNK, chunk?.length ?? 0);
    while (capacity < needed) capacity *= 2;
    const grown = new Uint8Array(capacity);
    if (chunk !== undefined) grown.set(chunk);
    this.#chunks[index] = grown;
    return grown;
  }
}

/** Disks write whole sectors: a torn write ends at a sector of the disk, not of the write. */
function tornLength(offset: number, length: number, random: Random): number {
  const cut = offset + random.int(0, length);
  return Math.max(0, cut - (cut % SECTOR) - offset);
}
