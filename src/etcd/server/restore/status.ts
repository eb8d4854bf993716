import { crc32c } from '../../../platform/crc32c.ts';
import { readFrames } from '../backend/frame.ts';
import { StateBuilder } from '../backend/image.ts';

const SHA256_BYTES = 32;
const SECTOR_BYTES = 512;

/** What a snapshot file holds. */
export interface SnapshotStatus {
  /** CRC-32C of the database. */
  readonly hash: number;
  readonly revision: number;
  /** Revisions of all keys, as the real tool counts. */
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
  const { revisions, storageVersion } = builder.finish();
  return {
    hash: crc32c(database) >>> 0,
    revision: revisions.reduce((max, { kv }) => Math.max(max, kv?.modRevision ?? 0), 0),
    totalKeys: revisions.length,
    totalSizeBytes: database.length,
    storageVersion,
  };
}
