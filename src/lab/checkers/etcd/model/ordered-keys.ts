import { covers, type Interval } from './keys.ts';

const BLOCK = 512;

/** A set of texts in order, in blocks, so that adding one moves few. */
export class OrderedKeys {
  #blocks: string[][] = [];

  add(text: string): void {
    const at = this.#blockOf(text);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([text]);
      return;
    }
    const place = lowerBound(block, text);
    if (block[place] === text) return;
    block.splice(place, 0, text);
    if (block.length > BLOCK) this.#blocks.splice(at + 1, 0, block.splice(BLOCK >> 1));
  }

  delete(text: string): void {
    const at = this.#blockOf(text);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const place = lowerBound(block, text);
    if (block[place] !== text) return;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Visits the members of an interval in order. */
  each(interval: Interval, visit: (text: string) => void): void {
    for (let at = this.#blockOf(interval.from); at < this.#blocks.length; at++) {
      const block = this.#blocks[at]!;
      for (let i = lowerBound(block, interval.from); i < block.length; i++) {
        const text = block[i]!;
        if (!covers(interval, text)) return;
        visit(text);
      }
    }
  }

  /** The last block that begins at or before `text`, else the first. */
  #blockOf(text: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#blocks[middle]![0]! <= text) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(block: readonly string[], text: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
