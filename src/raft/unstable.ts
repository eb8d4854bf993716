import { NO_ENTRIES } from './message.ts';
import type { Entry, Snapshot } from './types.ts';

/** Sink of INFO lines; `null` when nobody listens, so that texts are not even built. */
export type InfoSink = ((text: string) => void) | null;

/**
 * The tail of the log that storage has not acknowledged yet: entries from `offset` on, perhaps preceded by a
 * snapshot (reference/raft.md A11.4). What lies below `offsetInProgress` is being written.
 *
 * `entries` is never handed out, only copies of parts of it, so it may grow in place.
 */
export class Unstable {
  snapshot: Snapshot | null = null;
  snapshotInProgress = false;
  entries: Entry[] = [];
  offset: number;
  offsetInProgress: number;
  private readonly info: InfoSink;

  constructor(offset: number, info: InfoSink) {
    this.offset = offset;
    this.offsetInProgress = offset;
    this.info = info;
  }

  /** Term of an index, or -1 when this part of the log does not know it. */
  term(index: number): number {
    if (index < this.offset) {
      return this.snapshot !== null && this.snapshot.index === index ? this.snapshot.term : -1;
    }
    const at = index - this.offset;
    return at < this.entries.length ? this.entries[at]!.term : -1;
  }

  /** Last index known here, or -1. */
  lastIndex(): number {
    if (this.entries.length > 0) return this.offset + this.entries.length - 1;
    return this.snapshot === null ? -1 : this.snapshot.index;
  }

  /** Entries [lo, hi), which must lie within. */
  slice(lo: number, hi: number): Entry[] {
    return this.entries.slice(lo - this.offset, hi - this.offset);
  }

  hasNextEntries(): boolean {
    return this.offset + this.entries.length > this.offsetInProgress;
  }

  /** Entries that nobody has been asked to write. */
  nextEntries(): readonly Entry[] {
    return this.hasNextEntries() ? this.entries.slice(this.offsetInProgress - this.offset) : NO_ENTRIES;
  }

  /** The snapshot, if nobody has been asked to write it. */
  nextSnapshot(): Snapshot | null {
    return this.snapshotInProgress ? null : this.snapshot;
  }

  acceptInProgress(): void {
    if (this.entries.length > 0) this.offsetInProgress = this.offset + this.entries.length;
    if (this.snapshot !== null) this.snapshotInProgress = true;
  }

  /** Storage has the log up to this entry. A mere hint: an entry replaced meanwhile is not stable. */
  stableTo(term: number, index: number): void {
    const known = this.term(index);
    if (known < 0) {
      this.info?.(`entry at index ${index} missing from unstable log; ignoring`);
      return;
    }
    if (index < this.offset) {
      this.info?.(`entry at index ${index} matched unstable snapshot; ignoring`);
      return;
    }
    if (known !== term) {
      this.info?.(
        `entry at (index,term)=(${index},${term}) mismatched with entry at (${index},${known}) in unstable log; ignoring`,
      );
      return;
    }
    const count = index + 1 - this.offset;
    this.entries = count === this.entries.length ? [] : this.entries.slice(count);
    this.offset = index + 1;
    this.offsetInProgress = Math.max(this.offsetInProgress, this.offset);
  }

  stableSnapshotTo(index: number): void {
    if (this.snapshot !== null && this.snapshot.index === index) {
      this.snapshot = null;
      this.snapshotInProgress = false;
    }
  }

  restore(snapshot: Snapshot): void {
    this.offset = snapshot.index + 1;
    this.offsetInProgress = this.offset;
    this.entries = [];
    this.snapshot = snapshot;
    this.snapshotInProgress = false;
  }

  /** Puts `entries[from..]` in place, dropping what they contradict. */
  truncateAndAppend(entries: readonly Entry[], from: number): void {
    const first = entries[from]!.index;
    if (first !== this.offset + this.entries.length) {
      if (first <= this.offset) {
        this.info?.(`replace the unstable entries from index ${first}`);
        this.entries = [];
        this.offset = first;
        this.offsetInProgress = first;
      } else {
        this.info?.(`truncate the unstable entries before index ${first}`);
        this.entries.length = first - this.offset;
        this.offsetInProgress = Math.min(this.offsetInProgress, first);
      }
    }
    for (let i = from; i < entries.length; i++) this.entries.push(entries[i]!);
  }
}
