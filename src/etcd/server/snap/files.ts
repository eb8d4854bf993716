import { crc32c } from '../../../platform/crc32c.ts';
import { type Disk, readWhole } from '../../../platform/disk.ts';
import type { Task } from '../../../platform/task.ts';
import type { Snapshot } from '../../../raft/index.ts';
import { bytes, optional, uint32, uint64 } from '../../../rpc/fields.ts';
import { message } from '../../../rpc/message.ts';
import { replaceFile } from '../backend/database.ts';
import { decodeConfState, encodeConfState } from '../wal/records.ts';
import { hex16 } from '../wal/segments.ts';

/** What a snapshot file holds beside its sum: where in the log it stands, and the members then. */
const SnapshotBody = message('raftpb.SnapshotMetadata', {
  confState: optional(bytes(1)),
  index: uint64(2),
  term: uint64(3),
});

const SnapshotFile = message('snappb.Snapshot', {
  crc: uint32(1),
  data: bytes(2),
});

export function snapshotFileName(index: number, term: number): string {
  return `${hex16(term)}-${hex16(index)}.snap`;
}

/** Name of a received database image that waits to take the database's place. */
export function imageFileName(index: number): string {
  return `${hex16(index)}.snap.db`;
}

/** Writes a snapshot's file durably. The state itself is in the database, which is committed before. */
export function* saveSnapshotFile(disk: Disk, directory: string, snapshot: Snapshot): Task<void> {
  const data = SnapshotBody.encode({
    confState: encodeConfState(snapshot.confState),
    index: snapshot.index,
    term: snapshot.term,
  });
  const content = SnapshotFile.encode({ crc: crc32c(data), data });
  yield* replaceFile(disk, `${directory}/${snapshotFileName(snapshot.index, snapshot.term)}`, [content]);
}

/** The newest snapshot of the directory that `accepts` takes; damaged files are renamed and passed over. */
export function* loadNewestSnapshot(
  disk: Disk,
  directory: string,
  accepts: (snapshot: Snapshot) => boolean,
): Task<Snapshot | null> {
  const names = (yield* disk.list(directory))
    .map((info) => info.name)
    .filter((name) => /^[0-9a-f]{16}-[0-9a-f]{16}\.snap$/.test(name))
    .sort()
    .reverse();
  for (const name of names) {
    const path = `${directory}/${name}`;
    const snapshot = decodeSnapshot((yield* readWhole(disk, path)) ?? new Uint8Array(0));
    if (snapshot === null) yield* disk.rename(path, `${path}.broken`);
    else if (accepts(snapshot)) return snapshot;
  }
  return null;
}

function decodeSnapshot(content: Uint8Array): Snapshot | null {
  try {
    const file = SnapshotFile.decode(content);
    if (file.data.length === 0 || crc32c(file.data) !== file.crc) return null;
    const body = SnapshotBody.decode(file.data);
    const confState = decodeConfState(body.confState ?? new Uint8Array(0));
    return { index: body.index, term: body.term, confState, data: null };
  } catch {
    return null;
  }
}

/**
 * Removes all but the newest `keep` snapshot files (`--max-snapshots`; 0 keeps all), and images below `index`. Returns the
 * index of the oldest that is left: no start of this member goes back further.
 */
export function* purgeSnapshots(disk: Disk, directory: string, keep: number, index: number): Task<number> {
  const names = (yield* disk.list(directory)).map((info) => info.name).sort();
  const snapshots = names.filter((name) => name.endsWith('.snap'));
  const old = keep === 0 ? [] : snapshots.slice(0, Math.max(0, snapshots.length - keep));
  const images = names.filter((name) => name.endsWith('.snap.db') && Number.parseInt(name.slice(0, 16), 16) < index);
  for (const name of [...old, ...images]) yield* disk.remove(`${directory}/${name}`);
  if (old.length + images.length > 0) yield* disk.syncDirectory(directory);
  const oldest = snapshots[old.length];
  return oldest === undefined ? 0 : Number.parseInt(oldest.slice(17, 33), 16);
}
