import { type Metadata, type RpcChannel, RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Message } from '../../../raft/index.ts';
import { encodeConfState } from '../wal/records.ts';
import { PeerBatch } from './message-codec.ts';
import { PeerService, SnapshotChunk } from './service.ts';

/** Bytes of the image in one chunk. */
const CHUNK_BYTES = 256 * 1024;

/** Sends a snapshot message and the database image that belongs to it; returns when the receiver has stored both. */
export function* sendSnapshot(
  channel: RpcChannel | null,
  metadata: Metadata,
  message: Message,
  parts: readonly Uint8Array[],
): Task<void> {
  if (channel === null) throw new RpcError('Unavailable', 'no peer URL can be dialled');
  const stream = channel.stream(PeerService.Snapshot, { metadata });
  const snapshot = message.snapshot!;
  let totalBytes = 0;
  for (const part of parts) totalBytes += part.length;
  stream.send(
    SnapshotChunk.of({
      index: snapshot.index,
      term: snapshot.term,
      confState: encodeConfState(snapshot.confState),
      message: PeerBatch.encode({ messages: [{ ...message, snapshot: { ...snapshot, data: null } }] }),
      totalBytes,
    }),
  );
  for (const part of parts) {
    for (let at = 0; at < part.length; at += CHUNK_BYTES) {
      yield* stream.drained();
      if (!stream.send(SnapshotChunk.of({ data: part.subarray(at, at + CHUNK_BYTES) }))) break;
    }
  }
  stream.closeSend();
  // The answer, or the error that ended the stream.
  yield* stream.receive();
}
