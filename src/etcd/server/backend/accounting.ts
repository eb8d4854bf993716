const PAGE_BYTES = 4096;
/** An empty database: meta pages, free list, and a leaf for each bucket. */
const EMPTY_PAGES = 5;

/**
 * How big etcd's database file would be. bbolt never shrinks its file: pages that compaction frees are reused, and only a
 * defragmentation gives them back. We keep that arithmetic, because quotas and status answers rest on it, over a file of
 * our own (docs/etcd.md).
 */
export class DatabaseSize {
  #allocatedPages = EMPTY_PAGES;
  #usedPages = EMPTY_PAGES;

  get allocatedBytes(): number {
    return this.#allocatedPages * PAGE_BYTES;
  }

  get usedBytes(): number {
    return this.#usedPages * PAGE_BYTES;
  }

  /** `liveBytes`: what all records take now. */
  update(liveBytes: number): void {
    this.#usedPages = EMPTY_PAGES + Math.ceil(liveBytes / PAGE_BYTES);
    if (this.#usedPages > this.#allocatedPages) this.#allocatedPages = this.#usedPages;
  }

  /** Gives free pages back. */
  defragment(): void {
    this.#allocatedPages = this.#usedPages;
  }

  /** The file of a member that received this size with a snapshot. */
  restore(allocatedBytes: number): void {
    this.#allocatedPages = Math.max(EMPTY_PAGES, Math.ceil(allocatedBytes / PAGE_BYTES));
  }
}
