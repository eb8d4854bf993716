/** Most items of a block before it is split in two. */
const BLOCK_SIZE = 512;

/** Something with a key that orders it. */
export interface Keyed {
  readonly key: string;
}

/**
 * Items ordered by key, in blocks of bounded size: a flat two-level tree. A million items are some four thousand
 * blocks, so an insertion moves a few hundred pointers at most, and a scan runs over plain arrays.
 */
export class SortedBlocks<T extends Keyed> {
  #blocks: T[][] = [];
  #byKey = new Map<string, T>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** Adds an item whose key is not there yet. */
  insert(item: T): void {
    this.#byKey.set(item.key, item);
    if (this.#blocks.length === 0) {
      this.#blocks.push([item]);
      return;
    }
    const at = this.#blockOf(item.key);
    const block = this.#blocks[at]!;
    const last = block[block.length - 1]!;
    if (item.key > last.key) block.push(item);
    else block.splice(lowerBound(block, item.key), 0, item);
    if (block.length > BLOCK_SIZE) this.#split(at, item === block[block.length - 1]);
  }

  remove(key: string): void {
    if (!this.#byKey.delete(key)) return;
    const at = this.#blockOf(key);
    const block = this.#blocks[at]!;
    block.splice(lowerBound(block, key), 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Visits items with from ≤ key < end in order until `visit` returns false. `end` null is "to the last". */
  scan(from: string, end: string | null, visit: (item: T) => boolean): void {
    if (this.#blocks.length === 0) return;
    let at = this.#blockOf(from);
    let i = lowerBound(this.#blocks[at]!, from);
    for (; at < this.#blocks.length; at++, i = 0) {
      const block = this.#blocks[at]!;
      for (; i < block.length; i++) {
        const item = block[i]!;
        if (end !== null && item.key >= end) return;
        if (!visit(item)) return;
      }
    }
  }

  /** Index of the block that holds `key` or would take it in. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#blocks[middle]![0]!.key <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Ascending insertions leave full blocks behind; others halve them. */
  #split(at: number, atEnd: boolean): void {
    const block = this.#blocks[at]!;
    const keep = atEnd ? BLOCK_SIZE : BLOCK_SIZE >>> 1;
    this.#blocks.splice(at + 1, 0, block.splice(keep));
  }
}

function lowerBound<T extends Keyed>(block: readonly T[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
