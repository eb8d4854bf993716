import { readFrames } from '../../etcd/server/backend/frame.ts';
import { StateBuilder } from '../../etcd/server/backend/image.ts';
import { crc32c } from '../../platform/crc32c.ts';

const SHA256_BYTES = 32;
const SECTOR_BYTES = 512;

export interface SnapshotInfo {
  readonly revision: number;
  readonly totalKeys: number;
  /** `hash %08x, revision %d, total keys %d, total size %d` */
  readonly text: string;
}

/** What talosctl tells of a snapshot it has; its complaint when the file is not whole. */
export function snapshotInfo(bytes: Uint8Array): SnapshotInfo | string {
  if (bytes.length % SECTOR_BYTES !== SHA256_BYTES) return `sha256 checksum not found (size ${bytes.length})`;
  const database = bytes.subarray(0, bytes.length - SHA256_BYTES);
  const builder = new StateBuilder();
  const read = readFrames(database, (frame) => builder.add(frame));
  if (read.end === 'corrupt' || read.end === 'foreign') return 'error reading snapshot: invalid database';
  const state = builder.finish();
  const revision = state.revisions.reduce((max, entry) => Math.max(max, entry.kv?.modRevision ?? 0), 0);
  const totalKeys = state.revisions.length;
  const hash = (crc32c(database) >>> 0).toString(16).padStart(8, '0');
  return {
    revision,
    totalKeys,
    text: `hash ${hash}, revision ${revision}, total keys ${totalKeys}, total size ${database.length}`,
  };
}
