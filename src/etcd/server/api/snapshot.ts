import { type SnapshotRequest, SnapshotResponse } from '../../../api/etcd/maintenance.ts';
import { concatBytes } from '../../../platform/bytes.ts';
import type { ServerStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { encodeImage } from '../backend/image.ts';
import type { Member } from '../member/member.ts';

const CHUNK_BYTES = 32 * 1024;
const SECTOR_BYTES = 512;

/**
 * Streams the database, and at the end the SHA-256 of it (reference/etcd.md C3). The image is padded to whole sectors:
 * clients tell by the size whether the sum is there.
 */
export function* sendSnapshot(member: Member, stream: ServerStream<SnapshotRequest, SnapshotResponse>): Task<void> {
  const image = padded(concatBytes(encodeImage(member.state.export())));
  const version = member.identity.behaviour.extendedStatus ? member.state.storageVersion : '';
  const { crypto } = member.platform;
  for (let at = 0; at < image.length; at += CHUNK_BYTES) {
    const blob = image.subarray(at, at + CHUNK_BYTES);
    const remainingBytes = image.length - at - blob.length;
    if (!stream.send(SnapshotResponse.of({ remainingBytes, blob, version }))) return;
    yield* stream.drained();
  }
  stream.send(SnapshotResponse.of({ blob: crypto.sha256(image), version }));
}

function padded(image: Uint8Array): Uint8Array {
  const rest = image.length % SECTOR_BYTES;
  if (rest === 0) return image;
  const whole = new Uint8Array(image.length + SECTOR_BYTES - rest);
  whole.set(image);
  return whole;
}
