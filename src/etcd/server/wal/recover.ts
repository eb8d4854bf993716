import type { Disk } from '../../../platform/disk.ts';
import { readWhole } from '../../../platform/disk.ts';
import type { Task } from '../../../platform/task.ts';
import type { Entry, HardState } from '../../../raft/index.ts';
import { StartError } from '../start/errors.ts';
import { scanSegment } from './reader.ts';
import {
  type DecodedRecord,
  decodeEntry,
  decodeHardState,
  decodeMetadata,
  decodeSnapshotMark,
  RecordType,
  type WalMetadata,
  type WalSnapshot,
} from './records.ts';
import { parseSegmentFile, type SegmentName, segmentFile } from './segments.ts';
import type { WalPosition } from './wal.ts';

/** A log as it was found, after a torn tail was cut off. */
export interface RecoveredWal {
  readonly metadata: WalMetadata;
  readonly hardState: HardState;
  /** Every entry the log holds above the first segment's start, with later writes winning. */
  readonly entries: readonly Entry[];
  /** Snapshots that were marked, oldest first. */
  readonly snapshots: readonly WalSnapshot[];
  readonly position: WalPosition;
  /** Bytes cut off because the last write never completed; 0 when the log ended cleanly. */
  readonly repairedBytes: number;
}

/** Whether a log exists: its directory with at least one segment. */
export function* walExists(disk: Disk, directory: string): Task<boolean> {
  if ((yield* disk.stat(directory)) === undefined) return false;
  return (yield* listSegments(disk, directory)).length > 0;
}

function* listSegments(disk: Disk, directory: string): Task<SegmentName[]> {
  const names: SegmentName[] = [];
  for (const info of yield* disk.list(directory)) {
    const name = parseSegmentFile(info.name);
    if (name !== null) names.push(name);
  }
  return names.sort((a, b) => a.sequence - b.sequence);
}

/**
 * Reads a log from disk, repairing a torn tail. Damage anywhere else is refused: a member that forgot what it promised
 * must not take part.
 */
export function* recoverWal(disk: Disk, directory: string): Task<RecoveredWal> {
  const segments = yield* listSegments(disk, directory);
  segments.forEach((segment, i) => {
    if (i > 0 && segment.sequence !== segments[i - 1]!.sequence + 1) {
      throw new StartError('wal: file sequence numbers (starting from 0) do not increase continuously');
    }
  });
  const state = new LogState();
  let crc = 0;
  let repairedBytes = 0;
  for (const [i, segment] of segments.entries()) {
    const path = `${directory}/${segmentFile(segment)}`;
    const bytes = (yield* readWhole(disk, path)) ?? new Uint8Array(0);
    const isLast = i === segments.length - 1;
    const result = scanSegment(bytes, isLast, crc, (record) => state.take(record));
    if (result.end === 'corrupt') throw new StartError('walpb: crc mismatch');
    crc = result.crc;
    if (isLast) repairedBytes = yield* cutTail(disk, path, bytes, result.validBytes);
  }
  return state.finish(segments, crc, repairedBytes);
}

/** Cuts a segment to its valid length, keeping the broken bytes beside it as etcd does. */
function* cutTail(disk: Disk, path: string, bytes: Uint8Array, validBytes: number): Task<number> {
  const cut = bytes.length - validBytes;
  if (cut === 0) return 0;
  const broken = yield* disk.open(`${path}.broken`, { create: true, truncate: true });
  yield* broken.append(bytes.slice());
  yield* broken.sync();
  broken.close();
  const file = yield* disk.open(path);
  yield* file.truncate(validBytes);
  yield* file.sync();
  file.close();
  return cut;
}

/** What the records say so far. */
class LogState {
  #metadata: WalMetadata | null = null;
  #hardState: HardState = { term: 0, vote: '0000000000000000', commit: 0 };
  #snapshots: WalSnapshot[] = [];
  #entries: Entry[] = [];

  take(record: DecodedRecord): void {
    if (record.type === RecordType.Metadata) this.#takeMetadata(decodeMetadata(record.data));
    else if (record.type === RecordType.State) this.#hardState = decodeHardState(record.data);
    else if (record.type === RecordType.Snapshot) this.#snapshots.push(decodeSnapshotMark(record.data));
    else if (record.type === RecordType.Entry) this.#takeEntry(decodeEntry(record.data));
    else if (record.type !== RecordType.Crc) {
      throw new StartError(`unexpected block type ${record.type}`);
    }
  }

  #takeMetadata(metadata: WalMetadata): void {
    const known = this.#metadata;
    if (known !== null && (known.memberId !== metadata.memberId || known.clusterId !== metadata.clusterId)) {
      throw new StartError('wal: conflicting metadata found');
    }
    this.#metadata = metadata;
  }

  /** A later entry replaces the one of its index and everything after. */
  #takeEntry(entry: Entry): void {
    const entries = this.#entries;
    if (entries.length > 0) {
      const first = entries[0]!.index;
      const at = entry.index - first;
      if (at < 0) entries.length = 0;
      else if (at <= entries.length) entries.length = at;
      else entries.length = 0; // a gap: a received snapshot lies between
    }
    entries.push(entry);
  }

  finish(segments: readonly SegmentName[], crc: number, repairedBytes: number): RecoveredWal {
    if (this.#metadata === null) throw new StartError('wal: no metadata found');
    const last = this.#entries[this.#entries.length - 1]?.index ?? 0;
    const marked = this.#snapshots.reduce((highest, mark) => Math.max(highest, mark.index), 0);
    return {
      metadata: this.#metadata,
      hardState: this.#hardState,
      entries: this.#entries,
      snapshots: this.#snapshots,
      position: { segments, crc, hardState: this.#hardState, lastIndex: Math.max(last, marked) },
      repairedBytes,
    };
  }
}
