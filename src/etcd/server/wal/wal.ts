import { type Disk, type File, parentOf } from '../../../platform/disk.ts';
import type { Task } from '../../../platform/task.ts';
import type { ConfState, Entry, HardState } from '../../../raft/index.ts';
import {
  encodeHardState,
  encodeMetadata,
  encodeSnapshotMark,
  RecordType,
  RecordWriter,
  type WalMetadata,
  type WalSnapshot,
} from './records.ts';
import { type SegmentName, segmentFile } from './segments.ts';

/** Size at which a segment is closed and the next one begun. */
export const SEGMENT_BYTES = 64 * 1024 * 1024;

/** Where a log stands: what has to be known to go on writing. */
export interface WalPosition {
  readonly segments: readonly SegmentName[];
  readonly crc: number;
  readonly hardState: HardState;
  readonly lastIndex: number;
}

/**
 * A write-ahead log open for writing (the format of etcd's `member/wal`). Nothing is promised before `save` returned:
 * content is synced when Raft says it must be, directory entries whenever a segment is made.
 */
export class Wal {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #metadata: WalMetadata;
  readonly #segmentBytes: number;
  #segments: SegmentName[];
  #writer: RecordWriter;
  #file: File;
  #hardState: HardState;
  #lastIndex: number;

  private constructor(
    disk: Disk,
    directory: string,
    metadata: WalMetadata,
    position: WalPosition,
    file: File,
    segmentBytes: number,
  ) {
    this.#disk = disk;
    this.#directory = directory;
    this.#metadata = metadata;
    this.#segmentBytes = segmentBytes;
    this.#segments = [...position.segments];
    this.#writer = new RecordWriter(position.crc);
    this.#hardState = position.hardState;
    this.#lastIndex = position.lastIndex;
    this.#file = file;
  }

  /**
   * Makes a new log with nothing in it. It appears under its name only when it is complete: built in a temporary
   * directory, synced, renamed, and the parent synced.
   */
  static *create(disk: Disk, directory: string, metadata: WalMetadata, segmentBytes = SEGMENT_BYTES): Task<Wal> {
    const temporary = `${directory}.tmp`;
    yield* disk.removeTree(temporary);
    yield* disk.makeDirectory(temporary);
    const first: SegmentName = { sequence: 0, index: 0 };
    const writer = new RecordWriter(0);
    writer.addCrc();
    writer.add(RecordType.Metadata, encodeMetadata(metadata));
    writer.add(RecordType.Snapshot, encodeSnapshotMark({ index: 0, term: 0 }, null));
    const building = yield* disk.open(`${temporary}/${segmentFile(first)}`, { create: true, truncate: true });
    yield* building.append(writer.take());
    yield* building.sync();
    building.close();
    yield* disk.syncDirectory(temporary);
    yield* disk.removeTree(directory);
    yield* disk.rename(temporary, directory);
    yield* disk.syncDirectory(parentOf(directory));
    const hardState: HardState = { term: 0, vote: '0000000000000000', commit: 0 };
    const position = { segments: [first], crc: writer.crc, hardState, lastIndex: 0 };
    const file = yield* disk.open(`${directory}/${segmentFile(first)}`);
    return new Wal(disk, directory, metadata, position, file, segmentBytes);
  }

  /** Goes on with a log that was read to its end. */
  static *resume(
    disk: Disk,
    directory: string,
    metadata: WalMetadata,
    position: WalPosition,
    segmentBytes = SEGMENT_BYTES,
  ): Task<Wal> {
    const last = position.segments[position.segments.length - 1]!;
    const file = yield* disk.open(`${directory}/${segmentFile(last)}`);
    return new Wal(disk, directory, metadata, position, file, segmentBytes);
  }

  get segments(): readonly SegmentName[] {
    return this.#segments;
  }

  /** Writes a Ready's entries and hard state; synced when `mustSync`. */
  *save(hardState: HardState | null, entries: readonly Entry[], mustSync: boolean): Task<void> {
    if (hardState === null && entries.length === 0) return;
    for (let i = 0; i < entries.length; i++) this.#writer.addEntry(entries[i]!);
    if (entries.length > 0) this.#lastIndex = entries[entries.length - 1]!.index;
    if (hardState !== null) {
      this.#hardState = hardState;
      this.#writer.add(RecordType.State, encodeHardState(hardState));
    }
    yield* this.#file.append(this.#writer.take());
    if (this.#file.sizeBytes() >= this.#segmentBytes) yield* this.#cut();
    else if (mustSync) yield* this.#file.sync();
  }

  /** Marks that the snapshot file of this index is durable. */
  *saveSnapshot(mark: WalSnapshot, confState: ConfState): Task<void> {
    this.#writer.add(RecordType.Snapshot, encodeSnapshotMark(mark, confState));
    if (mark.index > this.#lastIndex) this.#lastIndex = mark.index;
    yield* this.#file.append(this.#writer.take());
    yield* this.#file.sync();
  }

  *sync(): Task<void> {
    yield* this.#file.sync();
  }

  /**
   * Removes segments that hold nothing at or above `index`, as long as more than `keep` segments are there
   * (`--max-wals`; 0 keeps all).
   */
  *release(index: number, keep: number): Task<number> {
    if (keep === 0) return 0;
    let removed = 0;
    while (this.#segments.length > keep && this.#segments[1]!.index <= index) {
      yield* this.#disk.remove(`${this.#directory}/${segmentFile(this.#segments[0]!)}`);
      this.#segments.shift();
      removed++;
    }
    if (removed > 0) yield* this.#disk.syncDirectory(this.#directory);
    return removed;
  }

  close(): void {
    this.#file.close();
  }

  /** Ends the segment and begins the next, which repeats metadata and hard state so that it stands alone. */
  *#cut(): Task<void> {
    yield* this.#file.sync();
    this.#file.close();
    const last = this.#segments[this.#segments.length - 1]!;
    const next: SegmentName = { sequence: last.sequence + 1, index: this.#lastIndex + 1 };
    this.#writer.addCrc();
    this.#writer.add(RecordType.Metadata, encodeMetadata(this.#metadata));
    this.#writer.add(RecordType.State, encodeHardState(this.#hardState));
    const name = `${this.#directory}/${segmentFile(next)}`;
    const temporary = `${this.#directory}/${next.sequence}.tmp`;
    const file = yield* this.#disk.open(temporary, { create: true, truncate: true });
    yield* file.append(this.#writer.take());
    yield* file.sync();
    file.close();
    yield* this.#disk.rename(temporary, name);
    yield* this.#disk.syncDirectory(this.#directory);
    this.#file = yield* this.#disk.open(name);
    this.#segments.push(next);
  }
}
