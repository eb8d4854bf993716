import { Member } from '../../../api/etcd/cluster.ts';
import {
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
} from '../../../api/etcd/lease.ts';
import { HashKvRequest, HashKvResponse } from '../../../api/etcd/maintenance.ts';
import { repeated } from '../../../rpc/composite-fields.ts';
import { bool, bytes, id64, int64, nested, string, uint64 } from '../../../rpc/fields.ts';
import { message } from '../../../rpc/message.ts';
import { bidi, clientStream, service, unary } from '../../../rpc/service.ts';
import { PeerBatch } from './message-codec.ts';

/**
 * What members ask of each other on their peer port. The real server speaks HTTP here (`/raft`, `/members`, `/version`,
 * `/leases` …); nothing but etcd itself uses it, so ours is an RPC service with the same questions, headers and refusals
 * (docs/etcd.md).
 */

/** The receiver's side of a message stream: says that the stream was accepted, then keeps it alive. */
export const PeerPulse = message('talosim.etcd.PeerPulse', {});

/** A database image on its way to a member that fell behind; the first chunk says what it is. */
export const SnapshotChunk = message('talosim.etcd.SnapshotChunk', {
  index: uint64(1),
  term: uint64(2),
  confState: bytes(3),
  message: bytes(4),
  totalBytes: uint64(5),
  data: bytes(6),
});

export const PeerEmpty = message('talosim.etcd.PeerEmpty', {});

export const PeerMembers = message('talosim.etcd.PeerMembers', {
  clusterId: id64(1, 'fixed64'),
  members: repeated(nested(2, Member)),
});

export const PeerVersion = message('talosim.etcd.PeerVersion', {
  server: string(1),
  cluster: string(2),
});

export const PeerPromote = message('talosim.etcd.PeerPromote', { id: id64(1, 'fixed64') });

/** What HashKV says to a peer: the cluster id guards against comparing with a stranger. */
export const PeerHash = message('talosim.etcd.PeerHash', {
  clusterId: id64(1, 'fixed64'),
  hash: nested(2, HashKvResponse),
  currentRevision: int64(3),
  downgradeEnabled: bool(4),
});

export const PeerService = service('talosim.etcd.Peer', {
  Messages: bidi(PeerBatch, PeerPulse),
  Snapshot: clientStream(SnapshotChunk, PeerEmpty),
  Members: unary(PeerEmpty, PeerMembers),
  Version: unary(PeerEmpty, PeerVersion),
  Promote: unary(PeerPromote, PeerMembers),
  HashKv: unary(HashKvRequest, PeerHash),
  LeaseRenew: unary(LeaseKeepAliveRequest, LeaseKeepAliveResponse),
  LeaseTimeToLive: unary(LeaseTimeToLiveRequest, LeaseTimeToLiveResponse),
});

/** Metadata of every request to a peer (reference/etcd.md B7). */
export const PeerHeader = Object.freeze({
  ClusterId: 'x-etcd-cluster-id',
  From: 'x-server-from',
  To: 'x-raft-to',
  ServerVersion: 'x-server-version',
  MinClusterVersion: 'x-min-cluster-version',
  PeerUrls: 'x-peerurls',
});

/** Refusals of a peer, by the text that the real server's HTTP answers carry. */
export const PeerRefusal = Object.freeze({
  ClusterIdMismatch: 'cluster ID mismatch',
  Incompatible: 'incompatible version',
  RemovedMember: 'removed member',
  WrongReceiver: 'to field mismatch',
});
