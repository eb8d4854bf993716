import type { KeyValue, LeaseId } from '../../../api/etcd/kv.ts';
import type { StoredRevision } from '../backend/stored-revision.ts';

/**
 * One change of one key: the `sub`-th change of the transaction that made main revision `modRevision`. A version of 0 is
 * a tombstone (reference/etcd.md A2). It is itself the message that readers and watchers are given; what only the store
 * needs is private, so that nobody sees, compares or freezes it.
 */
export class Revision implements KeyValue, StoredRevision {
  readonly key: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly value: Uint8Array;
  readonly lease: LeaseId;
  readonly #sub: number;
  #history: KeyHistory | null;

  constructor(
    history: KeyHistory,
    sub: number,
    key: Uint8Array,
    createRevision: number,
    modRevision: number,
    version: number,
    value: Uint8Array,
    lease: LeaseId,
  ) {
    this.key = key;
    this.createRevision = createRevision;
    this.modRevision = modRevision;
    this.version = version;
    this.value = value;
    this.lease = lease;
    this.#sub = sub;
    this.#history = history;
  }

  /** From its stored form. */
  static of(history: KeyHistory, sub: number, kv: KeyValue): Revision {
    return new Revision(history, sub, kv.key, kv.createRevision, kv.modRevision, kv.version, kv.value, kv.lease);
  }

  get sub(): number {
    return this.#sub;
  }

  /** As it is stored. */
  get kv(): KeyValue {
    return this;
  }

  /** The key's history; null once compaction has removed this revision. */
  get history(): KeyHistory | null {
    return this.#history;
  }

  /** Compaction removed it. */
  drop(): void {
    this.#history = null;
  }

  get main(): number {
    return this.modRevision;
  }

  get isTombstone(): boolean {
    return this.version === 0;
  }
}

/**
 * All revisions of one key that compaction has not removed, oldest first. Most keys have one, so the newest is a field
 * and the others an array that most keys never make. Generations need no structure: a tombstone ends one.
 */
export class KeyHistory {
  readonly key: string;
  newest: Revision | null = null;
  #older: Revision[] | null = null;

  constructor(key: string) {
    this.key = key;
  }

  push(revision: Revision): void {
    if (this.newest !== null) {
      if (this.#older === null) this.#older = [this.newest];
      else this.#older.push(this.newest);
    }
    this.newest = revision;
  }

  /** The newest revision with main ≤ `main`, a tombstone included. */
  at(main: number): Revision | null {
    const newest = this.newest;
    if (newest === null || newest.modRevision <= main) return newest;
    const older = this.#older;
    if (older === null) return null;
    let low = 0;
    let high = older.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (older[middle]!.modRevision <= main) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? null : older[low - 1]!;
  }

  /** What a reader at `main` sees: null when the key does not exist then. */
  visibleAt(main: number): KeyValue | null {
    const revision = this.at(main);
    return revision === null || revision.version === 0 ? null : revision;
  }

  /** Removes the oldest revision. Returns false when none is left. */
  dropOldest(): boolean {
    if (this.#older === null || this.#older.length === 0) {
      this.newest = null;
      return false;
    }
    this.#older.shift();
    if (this.#older.length === 0) this.#older = null;
    return true;
  }

  get oldest(): Revision | null {
    return this.#older === null ? this.newest : this.#older[0]!;
  }
}
