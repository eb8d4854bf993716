import { databaseOf, snapshotStatus } from '../../etcd/server/restore/status.ts';

/** What talosctl tells of a snapshot it has. */
export interface SnapshotInfo {
  /** `hash %08x, revision %d, total keys %d, total size %d` */
  readonly text: string;
}

/** Looks into a snapshot; talosctl's complaint when the file is not whole. */
export function snapshotInfo(bytes: Uint8Array): SnapshotInfo | string {
  if (!databaseOf(bytes).hasSum) return `sha256 checksum not found (size ${bytes.length})`;
  const status = snapshotStatus(bytes);
  if (status === null) return 'error reading snapshot: invalid database';
  const hash = status.hash.toString(16).padStart(8, '0');
  const { revision, totalKeys, totalSizeBytes } = status;
  return { text: `hash ${hash}, revision ${revision}, total keys ${totalKeys}, total size ${totalSizeBytes}` };
}
