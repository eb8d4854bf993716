/** Most items of a block before it is split in two. */
const BLOCK_SIZE = 256;

/** Something with a key that orders it. */
export interface Keyed {
  readonly key: string;
}

/**
 * Items ordered by key, in blocks of bounded size: a flat two-level tree. A million items are some five thousand
 * blocks, so an insertion moves a few hundred pointers at most, a scan runs over plain arrays, and a look-up is two
 * binary searches. There is no hash table beside it: that would cost more memory than all of this.
 */
export class SortedBlocks<T extends Keyed> {
  readonly #blocks: T[][] = [];
  /** Key of each block's first item, side by side for the search. */
  readonly #firsts: string[] = [];
  #size = 0;
  /** Where the last search ended: keys that are near each other often come one after another. */
  #found = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    if (this.#size === 0) return undefined;
    const block = this.#blocks[this.#blockOf(key)]!;
    const item = block[lowerBound(block, key)];
    return item !== undefined && item.key === key ? item : undefined;
  }

  /** Adds an item whose key is not there yet. */
  insert(item: T): void {
    this.#size++;
    if (this.#blocks.length === 0) {
      this.#blocks.push([item]);
      this.#firsts.push(item.key);
      return;
    }
    const at = this.#blockOf(item.key);
    const block = this.#blocks[at]!;
    const isLast = item.key > block[block.length - 1]!.key;
    if (isLast) block.push(item);
    else block.splice(lowerBound(block, item.key), 0, item);
    if (item.key < this.#firsts[at]!) this.#firsts[at] = item.key;
    if (block.length > BLOCK_SIZE) this.#split(at, isLast);
  }

  remove(key: string): void {
    if (this.#size === 0) return;
    const at = this.#blockOf(key);
    const block = this.#blocks[at]!;
    const i = lowerBound(block, key);
    if (block[i]?.key !== key) return;
    this.#size--;
    block.splice(i, 1);
    if (block.length === 0) {
      this.#blocks.splice(at, 1);
      this.#firsts.splice(at, 1);
    } else if (i === 0) this.#firsts[at] = block[0]!.key;
  }

  /** Visits items with from ≤ key < end in order until `visit` returns false. `end` null is "to the last". */
  scan(from: string, end: string | null, visit: (item: T) => boolean): void {
    if (this.#size === 0) return;
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
    const firsts = this.#firsts;
    const found = this.#found;
    if (found < firsts.length && firsts[found]! <= key) {
      if (found + 1 === firsts.length || key < firsts[found + 1]!) return found;
    }
    let low = 0;
    let high = firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firsts[middle]! <= key) low = middle;
      else high = middle - 1;
    }
    this.#found = low;
    return low;
  }

  /** Ascending insertions leave full blocks behind; others halve them. */
  #split(at: number, atEnd: boolean): void {
    const block = this.#blocks[at]!;
    const moved = block.splice(atEnd ? BLOCK_SIZE : BLOCK_SIZE >>> 1);
    this.#blocks.splice(at + 1, 0, moved);
    this.#firsts.splice(at + 1, 0, moved[0]!.key);
    // A block keeps the room it grew into: give back what a full one will not need again.
    if (atEnd) this.#blocks[at] = block.slice();
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
