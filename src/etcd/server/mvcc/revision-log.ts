import type { Revision } from './revision.ts';

const CHUNK_SIZE = 1024;

/** All revisions that compaction has not removed, by (main, sub). Appended at the end, thinned out from the front. */
export class RevisionLog {
  #chunks: Revision[][] = [];

  push(revision: Revision): void {
    const at = this.#chunks.length - 1;
    const last = this.#chunks[at];
    if (last !== undefined && last.length < CHUNK_SIZE) {
      last.push(revision);
      return;
    }
    // An array that grew has room to spare: a full chunk gives it back.
    if (last !== undefined) this.#chunks[at] = last.slice();
    this.#chunks.push([revision]);
  }

  /** The last `count` revisions, in order. */
  newest(count: number): Revision[] {
    const found: Revision[] = [];
    for (let at = this.#chunks.length - 1; at >= 0 && found.length < count; at--) {
      found.unshift(...this.#chunks[at]!.slice(found.length - count));
    }
    return found;
  }

  /** Visits revisions with main ≥ `from` in order until `visit` returns false. Removed ones are skipped. */
  scan(from: number, visit: (revision: Revision) => boolean): void {
    for (let at = this.#chunkOf(from); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!;
      for (let i = chunk[0]!.main >= from ? 0 : lowerBound(chunk, from); i < chunk.length; i++) {
        const revision = chunk[i]!;
        if (revision.history !== null && !visit(revision)) return;
      }
    }
  }

  /**
   * One step of a compaction: decides over at least one chunk, until `limit` revisions were looked at or main passes
   * `to`. `from` is where the previous step ended ({chunk 0} first). Returns where to go on, or null at the end.
   */
  thin(from: number, to: number, limit: number, keep: (revision: Revision) => boolean): number | null {
    let at = from;
    let looked = 0;
    while (at < this.#chunks.length && looked < limit) {
      const chunk = this.#chunks[at]!;
      if (chunk[0]!.main > to) return null;
      looked += chunk.length;
      const kept = chunk.filter((revision) => revision.main > to || keep(revision));
      if (kept.length === 0) this.#chunks.splice(at, 1);
      else {
        this.#chunks[at] = kept;
        if (this.#merge(at)) at--;
        at++;
      }
    }
    return at < this.#chunks.length ? at : null;
  }

  /** Joins a thinned chunk to the one before it when both fit into one. */
  #merge(at: number): boolean {
    if (at === 0) return false;
    const before = this.#chunks[at - 1]!;
    const chunk = this.#chunks[at]!;
    if (before.length + chunk.length > CHUNK_SIZE) return false;
    for (const revision of chunk) before.push(revision);
    this.#chunks.splice(at, 1);
    return true;
  }

  /** The last chunk that may hold revisions ≥ main, searching by first revision. */
  #chunkOf(main: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#chunks[middle]![0]!.main < main) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}

function lowerBound(chunk: readonly Revision[], main: number): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunk[middle]!.main < main) low = middle + 1;
    else high = middle;
  }
  return low;
}
