import { crc32c } from '../../../platform/crc32c.ts';
import { readFrames } from '../backend/frame.ts';
import { type DatabaseState, StateBuilder } from '../backend/image.ts';

const SHA256_BYTES = 32;
const SECTOR_BYTES = 512;

/** What a snapshot file holds. */
export interface SnapshotStatus {
  /** CRC-32C of the database. */
  readonly hash: number;
  readonly revision: number;
  /** Entries of all buckets that etcd's own database would have: revisions, and what members and leases take. */
  readonly totalKeys: number;
  readonly totalSizeBytes: number;
  /** Empty before 3.6. */
  readonly storageVersion: string;
}

/** The part of a file that is the database; whole when there is no sum behind it. */
export function databaseOf(file: Uint8Array): { readonly database: Uint8Array; readonly hasSum: boolean } {
  const hasSum = file.length % SECTOR_BYTES === SHA256_BYTES;
  return { database: hasSum ? file.subarray(0, file.length - SHA256_BYTES) : file, hasSum };
}

/** Looks into a database, with or without the sum behind it; null when it is none. The sum is not checked. */
export function snapshotStatus(file: Uint8Array): SnapshotStatus | null {
  const { database } = databaseOf(file);
  const builder = new StateBuilder();
  const { end } = readFrames(database, (frame) => builder.add(frame));
  if (end === 'corrupt' || end === 'foreign') return null;
  const state = builder.finish();
  const { revisions, storageVersion } = state;
  return {
    hash: crc32c(database) >>> 0,
    revision: revisions.reduce((max, { kv }) => Math.max(max, kv?.modRevision ?? 0), 0),
    totalKeys: countEntries(state),
    totalSizeBytes: database.length,
    storageVersion,
  };
}

/** Consistent index, term, configuration and storage version since 3.6; before, only the index. The auth revision is always there. */
function countEntries(state: DatabaseState): number {
  const { revisions, leases, alarms, members, removedMembers } = state;
  const perItem = revisions.length + leases.length + alarms.length + members.length + removedMembers.length;
  const compaction = (state.scheduledCompaction >= 0 ? 1 : 0) + (state.finishedCompaction >= 0 ? 1 : 0);
  const meta = (state.storageVersion === '' ? 1 : 4) + 1;
  return perItem + compaction + meta + (state.clusterVersion === '' ? 0 : 1);
}
