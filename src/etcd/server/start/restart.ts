import { type Disk, readWhole } from '../../../platform/disk.ts';
import { Fatal } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { type Entry, MemoryStorage, type Snapshot } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { Database } from '../backend/database.ts';
import { readFrames } from '../backend/frame.ts';
import { type DatabaseState, StateBuilder } from '../backend/image.ts';
import { orFatal } from '../member/persistence.ts';
import { entryData } from '../peers/message-codec.ts';
import { imageFileName, loadNewestSnapshot } from '../snap/files.ts';
import { ReplicatedState } from '../state/replicated.ts';
import { type RecoveredWal, recoverWal } from '../wal/recover.ts';
import { Wal } from '../wal/wal.ts';
import { type BootContext, type Booted, stateOptions } from './boot.ts';
import { StartError } from './errors.ts';
import { forceNewCluster } from './force.ts';
import { makeNode } from './node.ts';

/** Starts again from a log: identity from its metadata, state from the database, the rest by replaying. */
export function* restartMember(context: BootContext): Task<Booted> {
  const { config, behaviour, platform, layout, access, walSegmentBytes } = context;
  const { disk, log } = platform;
  const recovered = yield* orFatal('failed to open WAL', recoverWal(disk, layout.walDir));
  if (recovered.repairedBytes > 0) {
    log.event(EtcdEvent.WalRepaired, { path: layout.walDir, cutBytes: recovered.repairedBytes });
  }
  const { memberId, clusterId } = recovered.metadata;
  const snapshot = yield* newestSnapshot(disk, layout.snapDir, recovered);
  const loaded = yield* loadDatabase(context, snapshot);
  const state = new ReplicatedState(stateOptions(context, clusterId, memberId));
  state.load(loaded.state);
  const wal = yield* Wal.resume(disk, layout.walDir, recovered.metadata, recovered.position, walSegmentBytes);
  const entries = entriesAfter(recovered, snapshot?.index ?? 0);
  const restored = isFreshRestore(recovered, snapshot, entries);
  const storage = new MemoryStorage('3.6');
  if (snapshot !== null) storage.applySnapshot(snapshot);
  storage.setHardState(recovered.hardState);
  storage.append(entries);
  if (config.forceNewCluster) yield* forceNewCluster(storage, wal, recovered, state.consistentIndex, memberId, config);
  const node = makeNode(config, platform, memberId, storage);
  return {
    birth: config.forceNewCluster ? 'forced' : restored ? 'restore' : 'restart',
    ...(config.forceNewCluster || restored ? { content: loaded.state } : {}),
    parts: {
      identity: { config, behaviour, clusterId, memberId },
      platform,
      state,
      node,
      storage,
      wal,
      database: loaded.database,
      snapDirectory: layout.snapDir,
      peerTls: access.tls,
      remotes: [],
    },
  };
}

/** The newest snapshot that the log knows and that was committed. */
function newestSnapshot(disk: Disk, directory: string, recovered: RecoveredWal): Task<Snapshot | null> {
  const { snapshots, hardState } = recovered;
  return loadNewestSnapshot(
    disk,
    directory,
    (snapshot) =>
      snapshot.index <= hardState.commit &&
      snapshots.some((mark) => mark.index === snapshot.index && mark.term === snapshot.term),
  );
}

/** Entries above the snapshot, which must follow it without a gap. */
function entriesAfter(recovered: RecoveredWal, index: number): Entry[] {
  const entries = recovered.entries
    .filter((entry) => entry.index > index)
    .map((entry) => ({ ...entry, data: entryData(entry.type, entry.data as Uint8Array | null) }));
  if (entries.length > 0 && entries[0]!.index !== index + 1) {
    throw new Fatal('failed to read WAL, cannot be repaired: wal: slice bounds out of range');
  }
  return entries;
}

/** Nothing happened since a restore laid the data down: term 1, and a snapshot at the very end of the log. */
function isFreshRestore(recovered: RecoveredWal, snapshot: Snapshot | null, entries: readonly Entry[]): boolean {
  return recovered.hardState.term === 1 && snapshot !== null && snapshot.term === 1 && entries.length === 0;
}

/**
 * Reads the database. When it is older than the snapshot, the process died between receiving an image and putting it in
 * place: the image is still there under its own name.
 */
function* loadDatabase(
  context: BootContext,
  snapshot: Snapshot | null,
): Task<{ readonly state: DatabaseState; readonly database: Database }> {
  const { platform, layout } = context;
  const { disk } = platform;
  const current = yield* readDatabase(context, layout.database);
  if (snapshot === null || current.state.index >= snapshot.index) {
    return { state: current.state, database: yield* Database.open(disk, layout.database, current.validBytes) };
  }
  const image = `${layout.snapDir}/${imageFileName(snapshot.index)}`;
  if ((yield* disk.stat(image)) === undefined) {
    throw new Fatal(
      "failed to recover v3 backend from snapshot: failed to find database snapshot file (snap: snapshot file doesn't exist)",
    );
  }
  yield* disk.rename(image, layout.database);
  yield* disk.syncDirectory(layout.snapDir);
  const received = yield* readDatabase(context, layout.database);
  return {
    state: received.state,
    database: yield* Database.open(disk, layout.database, received.validBytes),
  };
}

function* readDatabase(
  context: BootContext,
  path: string,
): Task<{ readonly state: DatabaseState; readonly validBytes: number }> {
  const bytes = yield* readWhole(context.platform.disk, path);
  if (bytes === undefined) throw new StartError(`database file (${path}) of the backend is missing`);
  const builder = new StateBuilder();
  const read = readFrames(bytes, (frame) => builder.add(frame));
  if (read.end === 'corrupt' || read.end === 'foreign') {
    throw new Fatal(
      `failed to open database: ${path}: ${read.end === 'foreign' ? 'invalid database' : 'checksum error'}`,
    );
  }
  if (read.end === 'torn') {
    context.platform.log.event(EtcdEvent.DatabaseRepaired, { path, cutBytes: bytes.length - read.validBytes });
  }
  return { state: builder.finish(), validBytes: read.validBytes };
}
