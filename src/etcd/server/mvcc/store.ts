import { type KeyValue, type LeaseId, NO_BYTES, NO_LEASE } from '../../../api/etcd/kv.ts';
import { invariant } from '../../../platform/errors.ts';
import { HashStorage, KvHasher } from './hash.ts';
import { type KeyRange, keyOf } from './keys.ts';
import { KeyHistory, Revision } from './revision.ts';
import { RevisionLog } from './revision-log.ts';
import { SortedBlocks } from './sorted-blocks.ts';

/** Where the store tells what has to become durable; the backend collects it for its next commit. */
export interface StoreSink {
  revisionAdded(revision: Revision): void;
  compactionScheduled(revision: number): void;
  compactionFinished(revision: number): void;
}

/** Which lease each key is attached to. */
export interface LeaseItems {
  attach(lease: LeaseId, key: string): void;
  detach(lease: LeaseId, key: string): void;
}

/** What differs between releases. */
export interface StoreRules {
  /** Compaction keeps a tombstone at exactly its revision. */
  readonly keepsTombstoneAtCompaction: boolean;
  /** Compaction leaves a hash of what was there before. */
  readonly hashesCompactions: boolean;
}

const NO_KEYS: readonly KeyValue[] = Object.freeze([]);
const DEFAULT_RULES: StoreRules = Object.freeze({ keepsTombstoneAtCompaction: true, hashesCompactions: true });

/** Why a revision cannot be read. */
export type RevisionError = 'compacted' | 'future';

export interface RangeAnswer {
  readonly kvs: readonly KeyValue[];
  /** Keys in the range at that revision, whatever the limit. */
  readonly count: number;
}

/** What a member's store was asked to do since the member started; `txns` are those of more than one operation. */
export interface StoreCounts {
  puts: number;
  deletes: number;
  ranges: number;
  txns: number;
}

/**
 * The multi-version store: every key's history since the last compaction (reference/etcd.md A2). Pure memory; what has
 * to survive goes to the sink, and comes back through {@link restoreRevision}.
 */
export class MvccStore {
  /** Main revision of the last change. An empty store is at 1. */
  currentRevision = 1;
  /** Reads below fail; −1 before the first compaction, so that compacting 0 succeeds once. */
  compactRevision = -1;
  /** Highest compaction whose physical removal is done; −1: none. */
  finishedCompaction = -1;
  readonly counts: StoreCounts;
  readonly log = new RevisionLog();
  readonly #keys = new SortedBlocks<KeyHistory>();
  readonly #sink: StoreSink;
  readonly #leases: LeaseItems;
  readonly #rules: StoreRules;
  /** Hashes that compactions left behind. */
  readonly hashes = new HashStorage();
  #hasher: KvHasher | null = null;
  /** How many the running write transaction has made; null when none runs. */
  #changes: number | null = null;
  /** Bytes of keys and values that are live in the key space: the base of quota accounting. */
  #liveBytes = 0;
  #revisionCount = 0;
  #operationsBefore = 0;

  /** `counts` go on from what they are. */
  constructor(
    sink: StoreSink,
    leases: LeaseItems,
    rules: StoreRules = DEFAULT_RULES,
    counts: StoreCounts = { puts: 0, deletes: 0, ranges: 0, txns: 0 },
  ) {
    this.counts = counts;
    this.#sink = sink;
    this.#leases = leases;
    this.#rules = rules;
  }

  /** Number of keys with a history, deleted ones that are not compacted included. */
  get keyCount(): number {
    return this.#keys.size;
  }

  get revisionCount(): number {
    return this.#revisionCount;
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Revision that a read inside the running write transaction sees: its own changes included. */
  get readRevision(): number {
    return this.currentRevision + (this.#changes !== null && this.#changes > 0 ? 1 : 0);
  }

  /** Null when `revision` can be read now. */
  checkRevision(revision: number): RevisionError | null {
    if (revision > this.readRevision) return 'future';
    return revision < this.compactRevision ? 'compacted' : null;
  }

  /** Visits what exists at `revision`, in key order, until `visit` returns false. The revision must be readable. */
  visit(range: KeyRange, revision: number, visit: (kv: KeyValue) => boolean): void {
    if (range.single) {
      const kv = this.get(range.from, revision);
      if (kv !== null) visit(kv);
      return;
    }
    this.#keys.scan(range.from, range.end, (history) => {
      const kv = history.visibleAt(revision);
      return kv === null || visit(kv);
    });
  }

  /** One key at a revision that must be readable. */
  get(key: string, revision: number): KeyValue | null {
    return this.#keys.get(key)?.visibleAt(revision) ?? null;
  }

  /** Whether no key exists at a revision. */
  isEmptyAt(revision: number): boolean {
    let empty = true;
    this.#keys.scan('', null, (history) => {
      empty = history.visibleAt(revision) === null;
      return empty;
    });
    return empty;
  }

  /** The newest state of one key, the running transaction's changes included. */
  latest(key: string): KeyValue | null {
    return this.#keys.get(key)?.visibleAt(Number.MAX_SAFE_INTEGER) ?? null;
  }

  /** At most `limit` keys (0: all) in key order, and how many there are. */
  range(range: KeyRange, revision: number, limit: number): RangeAnswer {
    this.counts.ranges++;
    if (range.single) {
      const kv = this.get(range.from, revision);
      return kv === null ? { kvs: NO_KEYS, count: 0 } : { kvs: [kv], count: 1 };
    }
    const kvs: KeyValue[] = [];
    let count = 0;
    this.visit(range, revision, (kv) => {
      if (limit === 0 || count < limit) kvs.push(kv);
      count++;
      return true;
    });
    return { kvs, count };
  }

  beginWrite(): void {
    invariant(this.#changes === null, 'write transactions do not nest');
    this.#changes = 0;
    this.#operationsBefore = this.#operations();
  }

  /** Sets a key within the running transaction. Returns its state before. */
  put(key: string, keyBytes: Uint8Array, value: Uint8Array, lease: LeaseId): KeyValue | null {
    this.counts.puts++;
    const main = this.currentRevision + 1;
    const history = this.#historyOf(key);
    const previous = history.visibleAt(main);
    const create = previous === null ? main : previous.createRevision;
    const version = previous === null ? 1 : previous.version + 1;
    // All revisions of a key share its bytes.
    const bytes = history.newest?.key ?? keyBytes;
    const sub = this.#nextSub();
    this.#add(history, new Revision(history, sub, bytes, create, main, version, value, lease));
    const before = previous === null ? NO_LEASE : previous.lease;
    if (before !== lease) {
      if (before !== NO_LEASE) this.#leases.detach(before, key);
      if (lease !== NO_LEASE) this.#leases.attach(lease, key);
    }
    return previous;
  }

  /** Deletes what exists in the range, in key order. Returns what was there. */
  deleteRange(range: KeyRange): KeyValue[] {
    this.counts.deletes++;
    const doomed: KeyValue[] = [];
    const main = this.currentRevision + 1;
    this.visit(range, main, (kv) => {
      doomed.push(kv);
      return true;
    });
    for (const previous of doomed) {
      const key = keyOf(previous.key);
      const history = this.#historyOf(key);
      const tombstone = new Revision(history, this.#nextSub(), previous.key, 0, main, 0, NO_BYTES, NO_LEASE);
      this.#add(history, tombstone);
      if (previous.lease !== NO_LEASE) this.#leases.detach(previous.lease, key);
    }
    return doomed;
  }

  /**
   * Ends the transaction: main moves by one when anything changed. Returns how many changes it made, all of one main
   * revision: they are the {@link RevisionLog.newest} of the log.
   */
  endWrite(): number {
    const changes = this.#changes;
    invariant(changes !== null, 'no write transaction is running');
    this.#changes = null;
    if (changes > 0) this.currentRevision++;
    if (this.#operations() - this.#operationsBefore > 1) this.counts.txns++;
    return changes;
  }

  #operations(): number {
    const { puts, deletes, ranges } = this.counts;
    return puts + deletes + ranges;
  }

  #historyOf(key: string): KeyHistory {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const history = new KeyHistory(key);
    this.#keys.insert(history);
    return history;
  }

  /** Position of the next change in the running transaction. */
  #nextSub(): number {
    invariant(this.#changes !== null, 'a change needs a write transaction');
    return this.#changes;
  }

  #add(history: KeyHistory, revision: Revision): void {
    this.#append(history, revision);
    this.#changes!++;
    this.#sink.revisionAdded(revision);
  }

  #append(history: KeyHistory, revision: Revision): void {
    history.push(revision);
    this.log.push(revision);
    this.#revisionCount++;
    this.#liveBytes += recordBytes(revision);
  }

  /**
   * Makes reads below `revision` fail from now on. The physical removal is {@link compactStep}'s.
   * Refused when it is compacted already or lies in the future (A2.1).
   */
  scheduleCompaction(revision: number): RevisionError | null {
    if (revision <= this.compactRevision) return 'compacted';
    if (revision > this.currentRevision) return 'future';
    this.compactRevision = revision;
    this.#sink.compactionScheduled(revision);
    return null;
  }

  /**
   * Removes superseded revisions up to `to`, looking at about `limit` of them. `from` is null at first, then what the
   * previous step returned; null is returned at the end, when the compaction is recorded as finished.
   */
  compactStep(to: number, from: number | null, limit: number): number | null {
    if (from === null) {
      this.#hasher = this.#rules.hashesCompactions ? new KvHasher(this, to, this.finishedCompaction) : null;
    }
    const next = this.log.thin(from ?? 0, to, limit, (revision) => {
      this.#hasher?.take(revision);
      return this.#keepOrDrop(revision, to);
    });
    if (next === null) {
      if (this.#hasher !== null) this.hashes.add(this.#hasher.finish());
      this.#hasher = null;
      this.finishedCompaction = to;
      this.#sink.compactionFinished(to);
    }
    return next;
  }

  #keepOrDrop(revision: Revision, to: number): boolean {
    const history = revision.history;
    invariant(history !== null, 'a removed revision is not in the log');
    if (isKept(revision, to, this.#rules.keepsTombstoneAtCompaction)) return true;
    revision.drop();
    this.#revisionCount--;
    this.#liveBytes -= recordBytes(revision);
    if (!history.dropOldest()) this.#keys.remove(history.key);
    return false;
  }

  /** Takes a stored revision back in, in ascending order, at start or from a snapshot. */
  restoreRevision(kv: KeyValue, sub: number): void {
    const history = this.#historyOf(keyOf(kv.key));
    this.#append(history, Revision.of(history, sub, kv));
    this.currentRevision = Math.max(this.currentRevision, kv.modRevision);
  }

  /**
   * Ends a restore: the current revision is never below a compaction, finished or scheduled (A2.2). Rebuilds which key
   * hangs on which lease.
   */
  finishRestore(scheduled: number, finished: number): void {
    this.currentRevision = Math.max(this.currentRevision, scheduled, finished);
    this.compactRevision = Math.max(scheduled, finished);
    this.finishedCompaction = finished;
    this.#keys.scan('', null, (history) => {
      const kv = history.visibleAt(Number.MAX_SAFE_INTEGER);
      if (kv !== null && kv.lease !== NO_LEASE) this.#leases.attach(kv.lease, history.key);
      return true;
    });
  }

  /** Visits every stored revision by (main, sub). */
  visitRevisions(visit: (revision: Revision) => void): void {
    this.log.scan(0, (revision) => {
      visit(revision);
      return true;
    });
  }
}

/** Whether a compaction at `to` keeps this revision (A2.1): the newest up to `to`, unless it is an older tombstone. */
function isKept(revision: Revision, to: number, keepsTombstone: boolean): boolean {
  if (revision.main > to) return true;
  if (revision.history!.at(to) !== revision) return false;
  return !revision.isTombstone || (keepsTombstone && revision.main === to);
}

/** What a record takes in the database: 18 bytes of revision, the message, and its share of page overhead. */
function recordBytes(revision: Revision): number {
  return 18 + 24 + revision.key.length + revision.value.length + 16;
}
