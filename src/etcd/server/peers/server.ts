import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import type {
  LeaseKeepAliveResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
} from '../../../api/etcd/lease.ts';
import type { Timer } from '../../../platform/clock.ts';
import { DiskError } from '../../../platform/errors.ts';
import { type CallContext, type HandlerEntry, RpcError, type ServerStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { Message } from '../../../raft/index.ts';
import type { MessageOf } from '../../../rpc/message.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { EtcdEvent } from '../../events.ts';
import { revisionError } from '../apply/range.ts';
import { replaceFile } from '../backend/database.ts';
import type { Member } from '../member/member.ts';
import { hashAt } from '../mvcc/hash.ts';
import { imageFileName } from '../snap/files.ts';
import { compareVersions, MIN_CLUSTER_VERSION } from '../versions.ts';
import { PeerBatch } from './message-codec.ts';
import { KEEPALIVE_US, STREAM_TIMEOUT_US } from './peer.ts';
import {
  type PeerHash,
  PeerHeader,
  type PeerMembers,
  PeerPulse,
  PeerRefusal,
  PeerService,
  type PeerVersion,
  type SnapshotChunk,
} from './service.ts';

type Chunk = MessageOf<typeof SnapshotChunk>;

/** What a member answers on its peer port (reference/etcd.md B7, D4). */
export function peerHandlers(member: Member, snapDirectory: string): HandlerEntry[] {
  const api = new PeerApi(member);
  return serviceHandlers(PeerService, {
    Messages: handler((stream) => takeMessages(member, stream)),
    Snapshot: handler((stream) => takeSnapshot(member, snapDirectory, stream)),
    Members: handler(() => api.members()),
    Version: handler(() => api.version()),
    Promote: handler((request) => api.promote(request.id)),
    HashKv: handler((request) => api.hashKv(request.revision)),
    LeaseRenew: handler((request) => api.renew(request.id)),
    LeaseTimeToLive: handler((request) => api.timeToLive(request)),
  });
}

/** Types a handler by the place where it stands. */
function handler<H extends (...args: never[]) => unknown>(body: H): H {
  return body;
}

type MembersAnswer = MessageOf<typeof PeerMembers>;

/** Single questions of peers. */
class PeerApi {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  *members(): Task<MembersAnswer> {
    return { clusterId: this.#member.clusterId, members: this.#member.state.cluster.members() };
  }

  *version(): Task<MessageOf<typeof PeerVersion>> {
    const cluster = this.#member.state.cluster.version;
    return { server: this.#member.serverVersion, cluster: cluster === '' ? 'not_decided' : cluster };
  }

  *promote(id: string): Task<MembersAnswer> {
    yield* this.#member.reconfigurer.promoteAsLeader(id);
    return yield* this.members();
  }

  *hashKv(revision: number): Task<MessageOf<typeof PeerHash>> {
    const { state, clusterId } = this.#member;
    const answer = hashAt(state.store, revision);
    if (typeof answer === 'string') throw rpcError(revisionError(answer));
    const { hash, compactRevision } = answer;
    return {
      clusterId,
      hash: { header: this.#member.header(), hash, compactRevision, hashRevision: revision },
      currentRevision: state.store.currentRevision,
      downgradeEnabled: state.cluster.downgrade.enabled,
    };
  }

  *renew(id: string): Task<LeaseKeepAliveResponse> {
    if (!this.#member.isLeader) throw rpcError(EtcdError.NotPrimary);
    const ttl = yield* this.#member.leases.renew(id);
    if (ttl === null) throw rpcError(EtcdError.NotPrimary);
    return { header: this.#member.header(), id, ttl };
  }

  *timeToLive(request: LeaseTimeToLiveRequest): Task<LeaseTimeToLiveResponse> {
    if (!this.#member.isLeader) throw rpcError(EtcdError.NotPrimary);
    const answer = yield* this.#member.leases.timeToLive(request.id, request.keys);
    return { ...answer, header: this.#member.header() };
  }
}

/** The checks of a request between members; throws the refusal. Returns the sender's id. */
function admit(member: Member, context: CallContext): string {
  const { metadata } = context;
  const from = metadata[PeerHeader.From] ?? '';
  const refuse = (status: 'FailedPrecondition' | 'PermissionDenied' | 'NotFound', reason: string): never => {
    member.log.event(EtcdEvent.PeerRefused, { memberId: member.memberId, from, reason });
    throw new RpcError(status, reason, { [PeerHeader.ClusterId]: member.clusterId });
  };
  const theirs = metadata[PeerHeader.ServerVersion] ?? '';
  const theirMinimum = metadata[PeerHeader.MinClusterVersion] ?? '';
  const fits =
    compareVersions(theirs, MIN_CLUSTER_VERSION) >= 0 && compareVersions(member.serverVersion, theirMinimum) >= 0;
  if (!fits) refuse('FailedPrecondition', PeerRefusal.Incompatible);
  if (metadata[PeerHeader.ClusterId] !== member.clusterId) refuse('FailedPrecondition', PeerRefusal.ClusterIdMismatch);
  if (member.isRemoved(from)) refuse('PermissionDenied', PeerRefusal.RemovedMember);
  if (member.state.cluster.member(from) === undefined) {
    // A stranger of the same cluster: it may be a member that this one has not heard of yet.
    const urls = (metadata[PeerHeader.PeerUrls] ?? '').split(',').filter((url) => url !== '');
    if (from !== '' && urls.length > 0) member.transport.add(from, urls);
  }
  if (metadata[PeerHeader.To] !== member.memberId) refuse('FailedPrecondition', PeerRefusal.WrongReceiver);
  return from;
}

/** Takes a peer's messages until it ends or falls silent. */
function* takeMessages(member: Member, stream: ServerStream<PeerBatch, MessageOf<typeof PeerPulse>>): Task<void> {
  const { clock } = member.platform;
  const sender = admit(member, stream.context);
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
    yield* stream.each((batch) => {
      heardUs = clock.monotonicUs();
      for (const message of batch.messages) deliver(member, sender, message);
    });
  } finally {
    timer.cancel();
  }
}

/**
 * Hands a message to Raft, unless it is meant for somebody else. A sender that was removed meanwhile is told so; what
 * somebody else forwards of a removed member is only passed over, as the stream readers of the real server do.
 */
function deliver(member: Member, sender: string, message: Message): void {
  if (member.isRemoved(sender)) throw new RpcError('PermissionDenied', PeerRefusal.RemovedMember);
  if (message.to === member.memberId && !member.isRemoved(message.from)) member.driver.step(message);
}

/** Stores a database image durably under its own name, then hands the snapshot message to Raft. */
function* takeSnapshot(member: Member, snapDirectory: string, stream: ServerStream<Chunk, object>): Task<void> {
  const sender = admit(member, stream.context);
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
  if (message !== undefined) deliver(member, sender, message);
  stream.send({});
}
