import type { Timer } from '../../../platform/clock.ts';
import { DiskError } from '../../../platform/errors.ts';
import { type CallContext, type HandlerEntry, RpcError, type ServerStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Message } from '../../../raft/index.ts';
import type { MessageOf } from '../../../rpc/message.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { EtcdError, rpcError } from '../../errors.ts';
import { EtcdEvent } from '../../events.ts';
import { revisionError } from '../apply/range.ts';
import { replaceFile } from '../backend/database.ts';
import type { Member } from '../member/member.ts';
import { hashKv } from '../mvcc/hash.ts';
import { imageFileName } from '../snap/files.ts';
import { PeerBatch } from './message-codec.ts';
import { KEEPALIVE_US, STREAM_TIMEOUT_US } from './peer.ts';
import { PeerHeader, PeerPulse, PeerRefusal, PeerService, type SnapshotChunk } from './service.ts';

type Chunk = MessageOf<typeof SnapshotChunk>;

/** What a member answers on its peer port (reference/etcd.md B7, D4). */
export function peerHandlers(member: Member, snapDirectory: string): HandlerEntry[] {
  return serviceHandlers(PeerService, {
    Messages: (stream) => takeMessages(member, stream),
    Snapshot: (stream) => takeSnapshot(member, snapDirectory, stream),
    Members: function* () {
      return { clusterId: member.clusterId, members: member.state.cluster.members() };
    },
    Version: function* () {
      const cluster = member.state.cluster.version;
      return { server: member.serverVersion, cluster: cluster === '' ? 'not_decided' : cluster };
    },
    Promote: function* (request) {
      yield* member.reconfigurer.promoteAsLeader(request.id);
      return { clusterId: member.clusterId, members: member.state.cluster.members() };
    },
    HashKv: function* (request) {
      const { store } = member.state;
      const refused = store.checkRevision(request.revision);
      if (refused !== null) throw rpcError(revisionError(refused));
      const { hash, compactRevision } = hashKv(store, request.revision);
      return {
        clusterId: member.clusterId,
        hash: { header: member.header(), hash, compactRevision, hashRevision: request.revision },
        currentRevision: store.currentRevision,
        downgradeEnabled: member.state.cluster.downgrade.enabled,
      };
    },
    LeaseRenew: function* (request) {
      if (!member.isLeader) throw rpcError(EtcdError.NotPrimary);
      const ttl = yield* member.leases.renew(request.id);
      if (ttl === null) throw rpcError(EtcdError.NotPrimary);
      return { header: member.header(), id: request.id, ttl };
    },
    LeaseTimeToLive: function* (request) {
      if (!member.isLeader) throw rpcError(EtcdError.NotPrimary);
      return { ...(yield* member.leases.timeToLive(request.id, request.keys)), header: member.header() };
    },
  });
}

/** The checks of a request between members; throws the refusal. Returns the sender's id. */
function admit(member: Member, context: CallContext): string {
  const { metadata } = context;
  const from = metadata[PeerHeader.From] ?? '';
  const refuse = (status: 'FailedPrecondition' | 'PermissionDenied' | 'NotFound', reason: string): never => {
    member.log.event(EtcdEvent.PeerRefused, { memberId: member.localId, from, reason });
    throw new RpcError(status, reason, { [PeerHeader.ClusterId]: member.clusterId });
  };
  if (metadata[PeerHeader.ClusterId] !== member.clusterId) refuse('FailedPrecondition', PeerRefusal.ClusterIdMismatch);
  if (member.isRemoved(from)) refuse('PermissionDenied', PeerRefusal.RemovedMember);
  if (member.state.cluster.member(from) === undefined) {
    // A stranger of the same cluster: it may be a member that this one has not heard of yet.
    const urls = (metadata[PeerHeader.PeerUrls] ?? '').split(',').filter((url) => url !== '');
    if (from !== '' && urls.length > 0) member.transport.add(from, urls);
  }
  if (metadata[PeerHeader.To] !== member.localId) refuse('FailedPrecondition', PeerRefusal.WrongReceiver);
  return from;
}

/** Takes a peer's messages until it ends or falls silent. */
function* takeMessages(member: Member, stream: ServerStream<PeerBatch, MessageOf<typeof PeerPulse>>): Task<void> {
  const { clock } = member.platform;
  admit(member, stream.context);
  let heardUs = clock.monotonicUs();
  let timer: Timer;
  const pulse = (): void => {
    if (clock.monotonicUs() - heardUs > STREAM_TIMEOUT_US) return;
    stream.send(PeerPulse.empty);
    timer = clock.after(KEEPALIVE_US, pulse);
  };
  stream.send(PeerPulse.empty);
  timer = clock.after(KEEPALIVE_US, pulse);
  try {
    for (;;) {
      const batch = yield* stream.receive();
      if (batch === undefined) return;
      heardUs = clock.monotonicUs();
      for (const message of batch.messages) deliver(member, message);
    }
  } finally {
    timer.cancel();
  }
}

/** Hands a message to Raft, unless its sender was removed meanwhile or it is meant for somebody else. */
function deliver(member: Member, message: Message): void {
  if (member.isRemoved(message.from)) throw new RpcError('PermissionDenied', PeerRefusal.RemovedMember);
  if (message.to === member.localId) member.driver.step(message);
}

/** Stores a database image durably under its own name, then hands the snapshot message to Raft. */
function* takeSnapshot(member: Member, snapDirectory: string, stream: ServerStream<Chunk, object>): Task<void> {
  admit(member, stream.context);
  const head = yield* stream.receive();
  if (head === undefined) return;
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = yield* stream.receive();
    if (chunk === undefined) break;
    parts.push(chunk.data);
    size += chunk.data.length;
  }
  if (size !== head.totalBytes) throw new RpcError('Internal', 'failed to save KV snapshot: unexpected EOF');
  const path = `${snapDirectory}/${imageFileName(head.index)}`;
  try {
    yield* replaceFile(member.platform.disk, path, parts);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new RpcError('Internal', `failed to save KV snapshot: ${error.message}`);
  }
  const [message] = PeerBatch.decode(head.message).messages;
  if (message !== undefined) deliver(member, message);
  stream.send({});
}
