import { type Storage, TERM_COMPACTED, TERM_UNAVAILABLE } from './api.ts';
import { EntryDeque } from './entry-deque.ts';
import { RaftFatal } from './fatal.ts';
import { NO_ENTRIES } from './message.ts';
import { entrySize } from './size.ts';
import {
  type Behaviour,
  type ConfState,
  type Data,
  type Entry,
  type HardState,
  NO_LIMIT,
  NONE,
  type Snapshot,
  StorageError,
} from './types.ts';

export const EMPTY_HARD_STATE: HardState = Object.freeze({ term: 0, vote: NONE, commit: 0 });
export const EMPTY_CONF_STATE: ConfState = Object.freeze({
  voters: Object.freeze([]),
  learners: Object.freeze([]),
  votersOutgoing: Object.freeze([]),
  learnersNext: Object.freeze([]),
  autoLeave: false,
});
export const EMPTY_SNAPSHOT: Snapshot = Object.freeze({ index: 0, term: 0, confState: EMPTY_CONF_STATE, data: null });

/**
 * A `Storage` that lives in memory: the reference implementation (reference/raft.md A22). The host writes to it
 * what `Ready` asks for. "Durable" is for the host to model: an object of this class is what survives a crash.
 */
export class MemoryStorage implements Storage {
  private hardState: HardState = EMPTY_HARD_STATE;
  private latest: Snapshot = EMPTY_SNAPSHOT;
  private readonly log = new EntryDeque();
  /** Index and term of the entry just below the log. */
  private baseIndex = 0;
  private baseTerm = 0;
  private readonly behaviour: Behaviour;

  constructor(behaviour: Behaviour = '3.7') {
    this.behaviour = behaviour;
  }

  initialState(): { readonly hardState: HardState; readonly confState: ConfState } {
    return { hardState: this.hardState, confState: this.latest.confState };
  }

  setHardState(hardState: HardState): void {
    this.hardState = hardState;
  }

  firstIndex(): number {
    return this.baseIndex + 1;
  }

  lastIndex(): number {
    return this.baseIndex + this.log.length;
  }

  term(index: number): number {
    const at = index - this.baseIndex;
    if (at <= 0) return at === 0 ? this.baseTerm : TERM_COMPACTED;
    return at > this.log.length ? TERM_UNAVAILABLE : this.log.at(at - 1).term;
  }

  entries(lo: number, hi: number, maxSizeBytes: number): readonly Entry[] | StorageError {
    if (lo <= this.baseIndex) return StorageError.Compacted;
    if (hi > this.lastIndex() + 1) {
      throw new RaftFatal(`entries' hi(${hi}) is out of bound lastindex(${this.lastIndex()})`);
    }
    if (this.log.length === 0) return StorageError.Unavailable;
    const from = lo - this.baseIndex - 1;
    const to = hi - this.baseIndex - 1;
    return to <= from ? NO_ENTRIES : this.log.slice(from, this.cut(from, to, maxSizeBytes));
  }

  /** Where to end, so that entries from `from` on stay within the limit, the first one excepted. */
  private cut(from: number, to: number, maxSizeBytes: number): number {
    if (maxSizeBytes === NO_LIMIT || to - from <= 1) return to;
    let size = entrySize(this.log.at(from));
    let end = from + 1;
    for (; end < to; end++) {
      size += entrySize(this.log.at(end));
      if (size > maxSizeBytes) break;
    }
    return end;
  }

  snapshot(): Snapshot | StorageError {
    return this.latest;
  }

  /** Replaces everything by a snapshot. `SnapOutOfDate` if the storage has one as recent. */
  applySnapshot(snapshot: Snapshot): StorageError | null {
    const mayBeFirst = this.behaviour === '3.7' && this.latest.index === 0;
    if (!mayBeFirst && this.latest.index >= snapshot.index) return StorageError.SnapOutOfDate;
    this.latest = snapshot;
    this.log.clear();
    this.baseIndex = snapshot.index;
    this.baseTerm = snapshot.term;
    return null;
  }

  /** Makes a snapshot at an index of the log; keeps the entries. `confState` null keeps the previous members. */
  createSnapshot(index: number, confState: ConfState | null, data: Data): Snapshot | StorageError {
    if (index <= this.latest.index) return StorageError.SnapOutOfDate;
    if (index > this.lastIndex()) {
      throw new RaftFatal(`snapshot ${index} is out of bound lastindex(${this.lastIndex()})`);
    }
    this.latest = { index, term: this.term(index), confState: confState ?? this.latest.confState, data };
    return this.latest;
  }

  /** Drops the entries up to and including `index`. The host must hold a snapshot that covers them. */
  compact(index: number): StorageError | null {
    if (index <= this.baseIndex) return StorageError.Compacted;
    if (index > this.lastIndex()) {
      throw new RaftFatal(`compact ${index} is out of bound lastindex(${this.lastIndex()})`);
    }
    this.baseTerm = this.term(index);
    this.log.dropFirst(index - this.baseIndex);
    this.baseIndex = index;
    return null;
  }

  /** Writes entries, replacing what they contradict. */
  append(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    const first = entries[0]!.index;
    if (first + entries.length - 1 <= this.baseIndex) return;
    const skip = Math.max(this.baseIndex + 1 - first, 0);
    const at = first + skip - this.baseIndex - 1;
    if (at > this.log.length) {
      throw new RaftFatal(`missing log entry [last: ${this.lastIndex()}, append at: ${first + skip}]`);
    }
    this.log.truncate(at);
    for (let i = skip; i < entries.length; i++) this.log.push(entries[i]!);
  }
}
