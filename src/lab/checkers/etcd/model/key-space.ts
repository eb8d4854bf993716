import { type KeyValue, type LeaseId, NO_BYTES, NO_LEASE } from '../../../../api/etcd/kv.ts';
import { KeyTable } from './key-table.ts';
import { type Interval, textOf } from './keys.ts';
import { OrderedKeys } from './ordered-keys.ts';

/** One change of one key; version 0 is a deletion. */
export interface Version extends KeyValue {
  readonly text: string;
}

/** What a put writes. */
export interface NewValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly lease: LeaseId;
}

/**
 * Keys and their history as the agreed order of writes makes them (reference/etcd.md A2): the simplest thing that can be
 * right. Compaction removes nothing here, so that what a server lost is still known; instead only the last
 * `keepRevisions` revisions are kept.
 */
export class KeySpace {
  /** Main revision of the last change; an empty space is at 1. */
  revision = 1;
  /** Revisions below this cannot be told any more. */
  oldest = 1;
  readonly #keepRevisions: number;
  readonly #histories = new KeyTable<Version>();
  readonly #keys = new OrderedKeys();
  /** All changes from `oldest` on, in order. */
  #changes: Version[] = [];
  /** Beside each change the history of its key. */
  #changed: Version[][] = [];
  #inTransaction = 0;

  constructor(keepRevisions: number) {
    this.#keepRevisions = keepRevisions;
  }

  /** Revision that a reader sees now: a transaction sees its own changes. */
  get readRevision(): number {
    return this.#inTransaction > 0 ? this.revision + 1 : this.revision;
  }

  /** What exists at a revision. */
  at(text: string, revision: number): Version | null {
    const history = this.#histories.ofText(text);
    return history === undefined ? null : versionAt(history, revision);
  }

  /** The same, by the bytes of the key. */
  atKey(key: Uint8Array, revision: number): Version | null {
    const history = this.#histories.ofBytes(key);
    return history === undefined ? null : versionAt(history, revision);
  }

  /** Everything in an interval at a revision, in key order. */
  each(interval: Interval, revision: number, visit: (version: Version) => void): void {
    if (interval.single) {
      const version = this.at(interval.from, revision);
      if (version !== null) visit(version);
      return;
    }
    this.#keys.each(interval, (text) => {
      const version = this.at(text, revision);
      if (version !== null) visit(version);
    });
  }

  /** Changes with `from` ≤ revision ≤ `to`, in order. */
  eachChange(from: number, to: number, visit: (version: Version) => void): void {
    const changes = this.#changes;
    for (let i = this.#firstOf(from); i < changes.length && changes[i]!.modRevision <= to; i++) visit(changes[i]!);
  }

  put({ key, value, lease }: NewValue): Version | null {
    const main = this.revision + 1;
    const history = this.#histories.ofBytes(key);
    const previous = history === undefined ? null : versionAt(history, main);
    // All versions of a key share its text and bytes, so that those of this request are soon forgotten.
    const shared = history?.[0] ?? { text: textOf(key), key };
    this.#add(history, {
      text: shared.text,
      key: shared.key,
      value,
      lease,
      createRevision: previous === null ? main : previous.createRevision,
      modRevision: main,
      version: previous === null ? 1 : previous.version + 1,
    });
    return previous;
  }

  /** Deletes an interval; what was there, in key order. */
  delete(interval: Interval): readonly Version[] {
    const main = this.revision + 1;
    const removed: Version[] = [];
    this.each(interval, main, (version) => removed.push(version));
    for (const { text, key } of removed) {
      const nothing = { createRevision: 0, version: 0, value: NO_BYTES, lease: NO_LEASE };
      this.#add(this.#histories.ofText(text), { text, key, modRevision: main, ...nothing });
    }
    return removed;
  }

  /** Ends a transaction: one new revision if it changed anything. */
  commit(): void {
    if (this.#inTransaction === 0) return;
    this.#inTransaction = 0;
    this.revision++;
    if (this.revision - this.oldest > this.#keepRevisions * 1.25) this.#forget(this.revision - this.#keepRevisions);
  }

  /** Number of changes that are remembered. */
  get size(): number {
    return this.#changes.length;
  }

  /** Takes changes of the past in, oldest first; nothing below `oldest` is asked for. */
  restore(changes: readonly Version[], revision: number, oldest: number): void {
    for (const version of changes) this.#add(this.#histories.ofText(version.text), version);
    this.#inTransaction = 0;
    this.revision = revision;
    this.oldest = oldest;
  }

  /** `known`: what there is of that key already. */
  #add(known: Version[] | undefined, version: Version): void {
    const history = known ?? [];
    history.push(version);
    if (known === undefined) {
      this.#histories.add(history);
      this.#keys.add(version.text);
    }
    this.#changes.push(version);
    this.#changed.push(history);
    this.#inTransaction++;
  }

  #firstOf(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.modRevision < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops what only readers below `oldest` would need. */
  #forget(oldest: number): void {
    const count = this.#firstOf(oldest + 1);
    for (let i = 0; i < count; i++) {
      const history = this.#changed[i]!;
      while (history.length > 1 && history[1]!.modRevision <= oldest) history.shift();
      const first = history[0];
      if (first === undefined || history.length > 1 || first.version !== 0 || first.modRevision > oldest) continue;
      this.#histories.remove(history);
      this.#keys.delete(first.text);
      history.pop();
    }
    this.#changes = this.#changes.slice(count);
    this.#changed = this.#changed.slice(count);
    this.oldest = oldest;
  }
}

/** The newest of a key's versions up to a revision; null when there is none or it is a deletion. */
function versionAt(history: readonly Version[], revision: number): Version | null {
  for (let i = history.length - 1; i >= 0; i--) {
    const version = history[i]!;
    if (version.modRevision <= revision) return version.version === 0 ? null : version;
  }
  return null;
}
