import { type Storage, TERM_COMPACTED, TERM_UNAVAILABLE } from './api.ts';
import { DamagedLog, RaftFatal } from './fatal.ts';
import { NO_ENTRIES } from './message.ts';
import { countWithin, entriesSize } from './size.ts';
import { type Entry, NO_LIMIT, type Snapshot, StorageError } from './types.ts';
import { type InfoSink, Unstable } from './unstable.ts';

/**
 * The log of a node: what storage holds, the unstable tail on top, and how far it is committed, handed out
 * for application, and applied (reference/raft.md A11). Always applied <= applying <= committed <= last.
 */
export class RaftLog {
  readonly storage: Storage;
  readonly unstable: Unstable;
  readonly maxApplyingSize: number;
  committed: number;
  applying: number;
  applied: number;
  /** Encoded size of the entries handed out and not acknowledged. */
  applyingSize = 0;
  /** No more entries may be handed out until some are acknowledged. */
  applyingPaused = false;
  private readonly info: InfoSink;

  constructor(storage: Storage, maxApplyingSize: number, info: InfoSink) {
    this.storage = storage;
    this.maxApplyingSize = maxApplyingSize;
    this.info = info;
    const first = storage.firstIndex();
    this.committed = first - 1;
    this.applying = first - 1;
    this.applied = first - 1;
    this.unstable = new Unstable(storage.lastIndex() + 1, info);
  }

  firstIndex(): number {
    const snapshot = this.unstable.snapshot;
    return snapshot === null ? this.storage.firstIndex() : snapshot.index + 1;
  }

  lastIndex(): number {
    const last = this.unstable.lastIndex();
    return last >= 0 ? last : this.storage.lastIndex();
  }

  /** Term of an index in [firstIndex-1, lastIndex], or `TERM_COMPACTED` / `TERM_UNAVAILABLE`. */
  term(index: number): number {
    const known = this.unstable.term(index);
    if (known >= 0) return known;
    if (index + 1 < this.firstIndex()) return TERM_COMPACTED;
    if (index > this.lastIndex()) return TERM_UNAVAILABLE;
    return this.storage.term(index);
  }

  /** As `term`, with 0 for what is out of bounds. */
  termOrZero(index: number): number {
    return Math.max(this.term(index), 0);
  }

  lastTerm(): number {
    const term = this.term(this.lastIndex());
    if (term < 0) throw new RaftFatal(`unexpected error when getting the last term (${termError(term)})`);
    return term;
  }

  matchTerm(term: number, index: number): boolean {
    const known = this.term(index);
    return known >= 0 && known === term;
  }

  isUpToDate(term: number, index: number): boolean {
    const last = this.lastTerm();
    return term > last || (term === last && index >= this.lastIndex());
  }

  /**
   * A follower's append after entry (prevTerm, prevIndex). Returns the index of the last new entry, or -1
   * when the log does not hold the previous one (A11.2). What is there already is left alone.
   */
  maybeAppend(prevTerm: number, prevIndex: number, entries: readonly Entry[], leaderCommit: number): number {
    if (!this.matchTerm(prevTerm, prevIndex)) return -1;
    const lastNew = prevIndex + entries.length;
    const from = this.findConflict(entries);
    if (from < entries.length) {
      const index = entries[from]!.index;
      if (index <= this.committed) {
        throw new DamagedLog(`entry ${index} conflict with committed entry [committed(${this.committed})]`);
      }
      this.unstable.truncateAndAppend(entries, from);
    }
    this.commitTo(Math.min(leaderCommit, lastNew));
    return lastNew;
  }

  /** Appends a leader's own entries, which must follow the last index. */
  append(entries: readonly Entry[]): number {
    const after = entries[0]!.index - 1;
    if (after < this.committed) {
      throw new RaftFatal(`after(${after}) is out of range [committed(${this.committed})]`);
    }
    this.unstable.truncateAndAppend(entries, 0);
    return this.lastIndex();
  }

  /** Position of the first entry that the log lacks or contradicts; `entries.length` if none. */
  private findConflict(entries: readonly Entry[]): number {
    const last = this.lastIndex();
    for (let i = 0; i < entries.length; i++) {
      const { term, index } = entries[i]!;
      if (index > last) return i;
      if (this.matchTerm(term, index)) continue;
      this.info?.(
        `found conflict at index ${index} [existing term: ${this.termOrZero(index)}, conflicting term: ${term}]`,
      );
      return i;
    }
    return entries.length;
  }

  /**
   * The highest index at or below `index` whose term is at most `term`, or that the log cannot tell the term
   * of (A11.3): where the two logs may still agree.
   */
  findConflictByTerm(index: number, term: number): number {
    let i = index;
    for (; i > 0; i--) {
      const known = this.term(i);
      if (known < 0 || known <= term) return i;
    }
    return 0;
  }

  commitTo(index: number): void {
    if (index <= this.committed) return;
    const last = this.lastIndex();
    if (index > last) {
      throw new DamagedLog(
        `tocommit(${index}) is out of range [lastIndex(${last})]. Was the raft log corrupted, truncated, or lost?`,
      );
    }
    this.committed = index;
  }

  /** Commits up to an index that a quorum holds, if it is of this term (A11.6). */
  maybeCommit(term: number, index: number): boolean {
    if (index <= this.committed || term === 0 || this.term(index) !== term) return false;
    this.commitTo(index);
    return true;
  }

  /** Entries of that encoded size, up to `index`, are applied. */
  appliedTo(index: number, sizeBytes: number): void {
    if (index > this.committed || index < this.applied) {
      throw new RaftFatal(
        `applied(${index}) is out of range [prevApplied(${this.applied}), committed(${this.committed})]`,
      );
    }
    this.applied = index;
    this.applying = Math.max(this.applying, index);
    this.applyingSize = Math.max(this.applyingSize - sizeBytes, 0);
    this.applyingPaused = this.applyingSize >= this.maxApplyingSize;
  }

  /** Entries of that encoded size, up to `index`, were handed out for application. */
  acceptApplying(index: number, sizeBytes: number, allowUnstable: boolean): void {
    if (index > this.committed) {
      throw new RaftFatal(
        `applying(${index}) is out of range [prevApplying(${this.applying}), committed(${this.committed})]`,
      );
    }
    this.applying = index;
    this.applyingSize += sizeBytes;
    this.applyingPaused = this.applyingSize >= this.maxApplyingSize || index < this.maxAppliable(allowUnstable);
  }

  /** What entries handed out for application weigh; without a limit nobody asks. */
  applyingBytes(entries: readonly Entry[]): number {
    return this.maxApplyingSize === NO_LIMIT ? 0 : entriesSize(entries);
  }

  private maxAppliable(allowUnstable: boolean): number {
    return allowUnstable ? this.committed : Math.min(this.committed, this.unstable.offset - 1);
  }

  hasNextCommitted(allowUnstable: boolean): boolean {
    return !this.applyingPaused && this.unstable.snapshot === null && this.applying < this.maxAppliable(allowUnstable);
  }

  /** Committed entries to hand out now (A11.5). */
  nextCommitted(allowUnstable: boolean): readonly Entry[] {
    if (!this.hasNextCommitted(allowUnstable)) return NO_ENTRIES;
    const room = this.maxApplyingSize - this.applyingSize;
    const entries = this.slice(this.applying + 1, this.maxAppliable(allowUnstable) + 1, room);
    if (typeof entries === 'string') {
      throw new RaftFatal(`unexpected error when getting unapplied entries (${entries})`);
    }
    return entries;
  }

  /** Entries from `index` to the last one, within a limit of encoded size. */
  entries(index: number, maxBytes: number): readonly Entry[] | StorageError {
    const end = this.lastIndex() + 1;
    return index >= end ? NO_ENTRIES : this.slice(index, end, maxBytes);
  }

  /** Entries [lo, hi), at least one, cut to a limit of encoded size. */
  slice(lo: number, hi: number, maxBytes: number): readonly Entry[] | StorageError {
    if (lo > hi) throw new RaftFatal(`invalid slice ${lo} > ${hi}`);
    const first = this.firstIndex();
    if (lo < first) return StorageError.Compacted;
    const last = this.lastIndex();
    if (hi > last + 1) throw new RaftFatal(`slice[${lo},${hi}) out of bound [${first},${last}]`);
    if (lo === hi) return NO_ENTRIES;
    const { unstable } = this;
    if (lo >= unstable.offset) return cut(unstable.slice(lo, hi), maxBytes);

    const border = Math.min(hi, unstable.offset);
    const stable = this.storage.entries(lo, border, maxBytes);
    if (typeof stable === 'string') {
      if (stable === StorageError.Compacted) return stable;
      throw new RaftFatal(`entries[${lo}:${border}) is unavailable from storage (${stable})`);
    }
    if (hi <= unstable.offset || stable.length < border - lo) return stable;
    const size = maxBytes === NO_LIMIT ? 0 : entriesSize(stable);
    if (size >= maxBytes) return stable;
    const rest = cut(unstable.slice(unstable.offset, hi), maxBytes - size);
    if (rest.length === 1 && size + entriesSize(rest) > maxBytes) return stable;
    return stable.concat(rest);
  }

  /** Whether an entry in [lo, hi) satisfies the test; reads pages of at most `pageBytes`. */
  some(lo: number, hi: number, pageBytes: number, test: (entry: Entry) => boolean): boolean {
    for (let at = lo; at < hi; ) {
      const page = this.slice(at, hi, pageBytes);
      if (typeof page === 'string' || page.length === 0) {
        throw new RaftFatal(`error scanning unapplied entries [${lo}, ${hi}): ${page || 'got 0 entries'}`);
      }
      if (page.some(test)) return true;
      at += page.length;
    }
    return false;
  }

  /** The snapshot a lagging peer would be sent. */
  snapshot(): Snapshot | StorageError {
    return this.unstable.snapshot ?? this.storage.snapshot();
  }

  restore(snapshot: Snapshot): void {
    this.info?.(`log [${this.toText()}] starts to restore snapshot [index: ${snapshot.index}, term: ${snapshot.term}]`);
    this.committed = snapshot.index;
    this.unstable.restore(snapshot);
  }

  toText(): string {
    const { unstable } = this;
    return (
      `committed=${this.committed}, applied=${this.applied}, applying=${this.applying}, ` +
      `unstable.offset=${unstable.offset}, unstable.offsetInProgress=${unstable.offsetInProgress}, ` +
      `len(unstable.Entries)=${unstable.entries.length}`
    );
  }
}

function cut(entries: readonly Entry[], maxBytes: number): readonly Entry[] {
  if (maxBytes === NO_LIMIT || entries.length <= 1) return entries;
  const count = countWithin(entries, 0, entries.length, maxBytes);
  return count === entries.length ? entries : entries.slice(0, count);
}

function termError(term: number): StorageError {
  return term === TERM_COMPACTED ? StorageError.Compacted : StorageError.Unavailable;
}
