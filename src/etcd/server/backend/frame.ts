import { Member } from '../../../api/etcd/cluster.ts';
import { DowngradeInfoSetRequest } from '../../../api/etcd/internal.ts';
import type { Id64, LeaseId } from '../../../api/etcd/kv.ts';
import { AlarmMember } from '../../../api/etcd/maintenance.ts';
import type { ConfState } from '../../../raft/index.ts';
import { repeated } from '../../../rpc/composite-fields.ts';
import { bool, bytes, id64, int64, nested, optional, string, uint64 } from '../../../rpc/fields.ts';
import { type MessageType, message } from '../../../rpc/message.ts';
import { ReverseWriter } from '../../../rpc/wire.ts';
import { FastCrc32c } from '../wal/crc.ts';
import { decodeConfState } from '../wal/records.ts';
import { StoredRevision } from './stored-revision.ts';

export interface StoredLease {
  readonly id: LeaseId;
  readonly ttlSec: number;
  readonly remainingTtlSec: number;
}

/**
 * One commit of the database: everything that changed since the commit before, with the index of the last log entry
 * whose effects are in it. A commit is on the medium whole or not at all, so data and index never part
 * (reference/etcd.md A1, G1 #13766). Lists hold changes; `null` means "as before".
 */
export interface BackendFrame {
  /** Consistent index and its term. */
  readonly index: number;
  readonly term: number;
  readonly confState: Uint8Array | null;
  readonly revisions: readonly StoredRevision[];
  readonly leases: readonly StoredLease[];
  readonly removedLeases: readonly LeaseId[];
  readonly members: readonly Member[];
  readonly removedMembers: readonly Id64[];
  /** The whole list of alarms follows. */
  readonly alarmsReplaced: boolean;
  readonly alarms: readonly AlarmMember[];
  readonly scheduledCompaction: number | null;
  readonly finishedCompaction: number | null;
  readonly clusterVersion: string | null;
  readonly downgrade: DowngradeInfoSetRequest | null;
  readonly storageVersion: string | null;
  /** Indexes of membership changes that were committed but refused when they were applied. */
  readonly refusedChanges: readonly number[];
}

const StoredLease: MessageType<StoredLease> = message('leasepb.Lease', {
  id: id64(1, 'int64'),
  ttlSec: int64(2),
  remainingTtlSec: int64(3),
});

export const BackendFrame: MessageType<BackendFrame> = message('talosim.etcd.BackendFrame', {
  index: uint64(1),
  term: uint64(2),
  confState: optional(bytes(3)),
  revisions: repeated(nested(4, StoredRevision)),
  leases: repeated(nested(5, StoredLease)),
  removedLeases: repeated(id64(6, 'fixed64')),
  members: repeated(nested(7, Member)),
  removedMembers: repeated(id64(8, 'fixed64')),
  alarmsReplaced: bool(9),
  alarms: repeated(nested(10, AlarmMember)),
  scheduledCompaction: optional(int64(11)),
  finishedCompaction: optional(int64(12)),
  clusterVersion: optional(string(13)),
  downgrade: nested(14, DowngradeInfoSetRequest),
  storageVersion: optional(string(15)),
  refusedChanges: repeated(uint64(16)),
});

/** First bytes of a database file: a page of its own, so that the file's size stays a multiple of 512. */
export const MAGIC = 'talosim etcd database 1\n';
export const HEADER_BYTES = 512;
const FRAME_HEAD_BYTES = 8;

/** The header page of a database file. */
export function headerPage(): Uint8Array {
  const page = new Uint8Array(HEADER_BYTES);
  for (let i = 0; i < MAGIC.length; i++) page[i] = MAGIC.charCodeAt(i);
  return page;
}

/** A frame as it is stored: length, CRC-32C, content. */
export function encodeFrame(frame: BackendFrame, sums: FastCrc32c): Uint8Array {
  const sizeBytes = BackendFrame.sizeBytes(frame);
  const out = new ReverseWriter(sizeBytes, FRAME_HEAD_BYTES);
  BackendFrame.writeTo(out, frame);
  const bytes = out.finish();
  const view = new DataView(bytes.buffer);
  view.setUint32(0, sizeBytes, true);
  view.setUint32(4, sums.update(0, view, FRAME_HEAD_BYTES), true);
  return bytes;
}

/** How far a database file could be read. */
export interface FramesRead {
  readonly validBytes: number;
  /** `torn`: the last commit never completed. `corrupt`: a completed one does not check out. `foreign`: not ours. */
  readonly end: 'complete' | 'torn' | 'corrupt' | 'foreign';
}

/** Reads a database file's frames in order. Zeros at the end are padding. */
export function readFrames(file: Uint8Array, visit: (frame: BackendFrame) => void): FramesRead {
  for (let i = 0; i < MAGIC.length; i++) {
    if (file[i] !== MAGIC.charCodeAt(i)) return { validBytes: 0, end: 'foreign' };
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const sums = new FastCrc32c();
  let at = HEADER_BYTES;
  while (at + FRAME_HEAD_BYTES <= file.length) {
    const length = view.getUint32(at, true);
    if (length === 0) break;
    const end = at + FRAME_HEAD_BYTES + length;
    if (end > file.length) return { validBytes: at, end: 'torn' };
    if (sums.update(0, view, at + FRAME_HEAD_BYTES, end) !== view.getUint32(at + 4, true)) {
      return { validBytes: at, end: isLastFrame(file, end) ? 'torn' : 'corrupt' };
    }
    visit(BackendFrame.decode(file.subarray(at + FRAME_HEAD_BYTES, end)));
    at = end;
  }
  return { validBytes: at, end: at < file.length && !allZero(file, at) ? 'torn' : 'complete' };
}

function isLastFrame(file: Uint8Array, end: number): boolean {
  return end >= file.length || allZero(file, end);
}

function allZero(file: Uint8Array, from: number): boolean {
  for (let i = from; i < file.length; i++) if (file[i] !== 0) return false;
  return true;
}

export function confStateOf(frame: BackendFrame): ConfState | null {
  return frame.confState === null ? null : decodeConfState(frame.confState);
}
