import { NO_BYTES, NO_LEASE } from '../../../api/etcd/kv.ts';
import { compareBytes } from '../../../platform/bytes.ts';
import { type Disk, readWhole } from '../../../platform/disk.ts';
import { sha256 } from '../../../platform/hash.ts';
import type { Task } from '../../../platform/task.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import {
  type ConfChange,
  ConfChangeType,
  type ConfState,
  type Entry,
  EntryType,
  encodeConfChange,
  NONE,
} from '../../../raft/index.ts';
import { replaceFile } from '../backend/database.ts';
import { readFrames } from '../backend/frame.ts';
import { type DatabaseState, encodeImage, StateBuilder } from '../backend/image.ts';
import { encodeContext } from '../membership/context.ts';
import { clusterId as clusterIdOf } from '../membership/ids.ts';
import { saveSnapshotFile } from '../snap/files.ts';
import { makeDirectoryDurably } from '../start/directories.ts';
import { checkFounding, type FoundingFlags, foundingMembers } from '../start/founding.ts';
import { layoutOf } from '../start/layout.ts';
import { Wal } from '../wal/wal.ts';
import { databaseOf } from './status.ts';

export interface RestoreOptions extends FoundingFlags {
  readonly snapshotPath: string;
  readonly dataDir: string;
  readonly walDir: string;
  readonly skipHashCheck: boolean;
  /** Revisions to skip, so that no reader of the old cluster mistakes new data for old; needs `markCompacted`. */
  readonly bumpRevision: number;
  readonly markCompacted: boolean;
}

/** Why a restore was refused; the text is etcdutl's. */
export class RestoreError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'RestoreError';
  }
}

/**
 * Lays down the data directory of one member of a new cluster that begins with a snapshot's content (reference/etcd.md
 * C4). Members, and with them the cluster's identity, come from the flags; every member of the new cluster must be
 * restored from the same snapshot with the same list.
 */
export function* restoreSnapshot(disk: Disk, options: RestoreOptions): Task<void> {
  checkFounding(options, true);
  const layout = layoutOf(options);
  yield* checkEmpty(disk, options.dataDir, layout.dataDir);
  if (options.walDir !== '' && (yield* disk.stat(layout.walDir)) !== undefined) {
    throw new RestoreError(`wal-dir ${goQuote(options.walDir)} exists`);
  }
  const image = yield* readImage(disk, options);
  const members = foundingMembers(options);
  const self = members.find((member) => member.name === options.name)!;
  const ids = members.map((member) => member.id);
  const clusterId = clusterIdOf(ids);
  const confState: ConfState = {
    voters: ids,
    learners: [],
    votersOutgoing: [],
    learnersNext: [],
    autoLeave: false,
  };
  const entries = members.map((member, i): Entry => {
    const context = encodeContext({ member, isPromote: false });
    const change: ConfChange = { version: 1, id: NONE, type: ConfChangeType.AddNode, nodeId: member.id, context };
    return {
      type: EntryType.ConfChange,
      typePresent: true,
      term: 1,
      index: i + 1,
      data: encodeConfChange(change, '3.6'),
    };
  });
  const bumped = options.markCompacted ? bump(image, options.bumpRevision) : image;
  const state: DatabaseState = {
    ...bumped,
    index: members.length,
    term: 1,
    confState,
    members,
    removedMembers: [],
    // They are about entries of the old cluster's log.
    refusedChanges: [],
  };
  yield* makeDirectoryDurably(disk, layout.snapDir);
  yield* replaceFile(disk, layout.database, encodeImage(state));
  const wal = yield* Wal.create(disk, layout.walDir, { memberId: self.id, clusterId });
  yield* wal.save({ term: 1, vote: ids[0]!, commit: members.length }, entries, true);
  const snapshot = { index: members.length, term: 1, confState, data: null };
  yield* saveSnapshotFile(disk, layout.snapDir, snapshot);
  yield* wal.saveSnapshot({ index: snapshot.index, term: 1 }, confState);
  wal.close();
}

function* checkEmpty(disk: Disk, given: string, dataDir: string): Task<void> {
  const info = yield* disk.stat(dataDir);
  if (info !== undefined && (yield* disk.list(dataDir)).length > 0) {
    throw new RestoreError(`data-dir ${goQuote(given)} not empty or could not be read`);
  }
}

/** Reads a snapshot file and checks its sum; a file without one (a copied database) only when told to skip the check. */
function* readImage(disk: Disk, options: RestoreOptions): Task<DatabaseState> {
  const bytes = yield* readWhole(disk, options.snapshotPath);
  if (bytes === undefined) throw new RestoreError(`open ${options.snapshotPath}: no such file or directory`);
  const { database: image, hasSum } = databaseOf(bytes);
  if (!options.skipHashCheck) {
    if (!hasSum) throw new RestoreError('snapshot missing hash but --skip-hash-check=false');
    const [told, found] = [bytes.subarray(image.length), sha256(image)];
    if (compareBytes(found, told) !== 0) {
      throw new RestoreError(`expected sha256 [${told.join(' ')}], got [${found.join(' ')}]`);
    }
  }
  const builder = new StateBuilder();
  const read = readFrames(image, (frame) => builder.add(frame));
  if (read.end === 'foreign' || read.end === 'corrupt') throw new RestoreError('invalid database');
  return builder.finish();
}

/** Moves the current revision up by an empty record, and marks everything below it as compacted. */
function bump(state: DatabaseState, by: number): DatabaseState {
  let latest = 1;
  for (const { kv } of state.revisions) latest = Math.max(latest, kv!.modRevision);
  const revision = latest + by;
  const marker = {
    key: NO_BYTES,
    createRevision: 0,
    modRevision: revision,
    version: 0,
    value: NO_BYTES,
    lease: NO_LEASE,
  };
  return { ...state, revisions: [...state.revisions, { sub: 0, kv: marker }], scheduledCompaction: revision };
}
