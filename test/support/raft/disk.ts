import {
  type ConfState,
  EMPTY_CONF_STATE,
  EMPTY_SNAPSHOT,
  type Entry,
  entrySize,
  type HardState,
  NO_LIMIT,
  NONE,
  type Snapshot,
  type Storage,
  StorageError,
  TERM_COMPACTED,
  TERM_UNAVAILABLE,
} from '../../../src/raft/index.ts';

/** Everything a node has written, at one moment. Never changed in place. */
export interface DiskImage {
  readonly hardState: HardState;
  readonly snapshot: Snapshot;
  /** Index and term just below `entries`. */
  readonly baseIndex: number;
  readonly baseTerm: number;
  readonly entries: readonly Entry[];
  /** How far the application had applied, and the members then. */
  readonly checkpoint: { readonly applied: number; readonly confState: ConfState };
}

export const BLANK_IMAGE: DiskImage = Object.freeze({
  hardState: { term: 0, vote: NONE, commit: 0 },
  snapshot: EMPTY_SNAPSHOT,
  baseIndex: 0,
  baseTerm: 0,
  entries: [],
  checkpoint: { applied: 0, confState: EMPTY_CONF_STATE },
});

export function imageOf(snapshot: Snapshot): DiskImage {
  return {
    ...BLANK_IMAGE,
    hardState: { term: snapshot.term, vote: NONE, commit: snapshot.index },
    snapshot,
    baseIndex: snapshot.index,
    baseTerm: snapshot.term,
    checkpoint: { applied: snapshot.index, confState: snapshot.confState },
  };
}

export function lastIndexOf(image: DiskImage): number {
  return image.baseIndex + image.entries.length;
}

/** Whether a log holds the entry of that index and term; what a snapshot replaced is taken on trust. */
export function holds(image: DiskImage, index: number, term: number): boolean {
  return index <= image.baseIndex || image.entries[index - image.baseIndex - 1]?.term === term;
}

/** Whoever makes snapshots of the application as it is. */
export interface SnapshotSource {
  current(): Snapshot;
}

/** A disk with a cache: a node reads what it wrote, a crash keeps what was synced. */
export class Disk implements Storage {
  visible: DiskImage;
  durable: DiskImage;
  private readonly useCheckpoint: boolean;
  private readonly source: SnapshotSource;
  private asked = 0;

  constructor(image: DiskImage, useCheckpoint: boolean, source: SnapshotSource) {
    this.visible = image;
    this.durable = image;
    this.useCheckpoint = useCheckpoint;
    this.source = source;
  }

  write(hardState: HardState | null, entries: readonly Entry[], snapshot: Snapshot | null): void {
    if (snapshot !== null && snapshot.index > this.visible.snapshot.index) {
      this.visible = { ...imageOf(snapshot), hardState: this.visible.hardState };
    }
    if (hardState !== null) this.visible = { ...this.visible, hardState };
    if (entries.length > 0) this.append(entries);
  }

  private append(entries: readonly Entry[]): void {
    const { baseIndex, entries: old } = this.visible;
    const fresh = entries.filter((entry) => entry.index > baseIndex);
    if (fresh.length === 0) return;
    const keep = fresh[0]!.index - baseIndex - 1;
    if (keep > old.length) throw new Error(`a gap in the log: ${fresh[0]!.index} after ${lastIndexOf(this.visible)}`);
    this.visible = { ...this.visible, entries: [...old.slice(0, keep), ...fresh] };
  }

  sync(): void {
    this.durable = this.visible;
  }

  /** Power fails: what was not synced is lost, or by chance is not. */
  crash(unsyncedSurvives: boolean): void {
    if (unsyncedSurvives) this.durable = this.visible;
    else this.visible = this.durable;
  }

  /** Notes how far the application is, where the saved commit index allows a restart from there. */
  note(applied: number, confState: ConfState): void {
    if (applied > this.visible.hardState.commit) return;
    this.visible = { ...this.visible, checkpoint: { applied, confState } };
  }

  /** Takes a snapshot of what is applied and drops entries, all but the last `keep` below it. */
  compact(snapshot: Snapshot, keep: number): void {
    const { visible } = this;
    if (snapshot.index <= visible.snapshot.index) return;
    const baseIndex = Math.max(visible.baseIndex, snapshot.index - keep);
    const drop = baseIndex - visible.baseIndex;
    const baseTerm = drop === 0 ? visible.baseTerm : visible.entries[drop - 1]!.term;
    const checkpoint = { applied: snapshot.index, confState: snapshot.confState };
    this.visible = { ...visible, snapshot, checkpoint, baseIndex, baseTerm, entries: visible.entries.slice(drop) };
    this.sync();
  }

  initialState(): { readonly hardState: HardState; readonly confState: ConfState } {
    const { hardState, snapshot, checkpoint } = this.visible;
    return { hardState, confState: this.useCheckpoint ? checkpoint.confState : snapshot.confState };
  }

  /** Where a restarted node goes on applying. */
  restartsAt(): number {
    return this.useCheckpoint ? this.visible.checkpoint.applied : this.visible.snapshot.index;
  }

  firstIndex(): number {
    return this.visible.baseIndex + 1;
  }

  lastIndex(): number {
    return lastIndexOf(this.visible);
  }

  term(index: number): number {
    const { baseIndex, baseTerm, entries } = this.visible;
    if (index < baseIndex) return TERM_COMPACTED;
    if (index === baseIndex) return baseTerm;
    return entries[index - baseIndex - 1]?.term ?? TERM_UNAVAILABLE;
  }

  entries(lo: number, hi: number, maxSizeBytes: number): readonly Entry[] | StorageError {
    const { baseIndex, entries } = this.visible;
    if (lo <= baseIndex) return StorageError.Compacted;
    if (hi > this.lastIndex() + 1) return StorageError.Unavailable;
    const found = entries.slice(lo - baseIndex - 1, hi - baseIndex - 1);
    if (maxSizeBytes === NO_LIMIT) return found;
    let size = 0;
    for (let i = 0; i < found.length; i++) {
      size += entrySize(found[i]!);
      if (i > 0 && size > maxSizeBytes) return found.slice(0, i);
    }
    return found;
  }

  /** As etcd does, made when it is asked for: an older one may not know the member it is for. Not always at once. */
  snapshot(): Snapshot | StorageError {
    return ++this.asked % 3 === 0 ? StorageError.SnapshotTemporarilyUnavailable : this.source.current();
  }
}
