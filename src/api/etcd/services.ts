import { bidi, serverStream, service, unary } from '../../rpc/service.ts';
import {
  MemberAddRequest,
  MemberAddResponse,
  MemberListRequest,
  MemberPromoteRequest,
  MemberRemoveRequest,
  MembersResponse,
  MemberUpdateRequest,
} from './cluster.ts';
import {
  CompactionRequest,
  CompactionResponse,
  DeleteRangeRequest,
  DeleteRangeResponse,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from './kv.ts';
import {
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  LeaseLeasesRequest,
  LeaseLeasesResponse,
  LeaseRevokeRequest,
  LeaseRevokeResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
} from './lease.ts';
import {
  AlarmRequest,
  AlarmResponse,
  DefragmentRequest,
  DefragmentResponse,
  DowngradeRequest,
  DowngradeResponse,
  HashKvRequest,
  HashKvResponse,
  HashRequest,
  HashResponse,
  MoveLeaderRequest,
  MoveLeaderResponse,
  SnapshotRequest,
  SnapshotResponse,
  StatusRequest,
  StatusResponse,
} from './maintenance.ts';
import { WatchRequest, WatchResponse } from './watch.ts';

/** The services on etcd's client port (reference/etcd.md E1). */

export const KvService = service('etcdserverpb.KV', {
  Range: unary(RangeRequest, RangeResponse),
  Put: unary(PutRequest, PutResponse),
  DeleteRange: unary(DeleteRangeRequest, DeleteRangeResponse),
  Txn: unary(TxnRequest, TxnResponse),
  Compact: unary(CompactionRequest, CompactionResponse),
});

export const WatchService = service('etcdserverpb.Watch', {
  Watch: bidi(WatchRequest, WatchResponse),
});

export const LeaseService = service('etcdserverpb.Lease', {
  LeaseGrant: unary(LeaseGrantRequest, LeaseGrantResponse),
  LeaseRevoke: unary(LeaseRevokeRequest, LeaseRevokeResponse),
  LeaseKeepAlive: bidi(LeaseKeepAliveRequest, LeaseKeepAliveResponse),
  LeaseTimeToLive: unary(LeaseTimeToLiveRequest, LeaseTimeToLiveResponse),
  LeaseLeases: unary(LeaseLeasesRequest, LeaseLeasesResponse),
});

export const ClusterService = service('etcdserverpb.Cluster', {
  MemberAdd: unary(MemberAddRequest, MemberAddResponse),
  MemberRemove: unary(MemberRemoveRequest, MembersResponse),
  MemberUpdate: unary(MemberUpdateRequest, MembersResponse),
  MemberList: unary(MemberListRequest, MembersResponse),
  MemberPromote: unary(MemberPromoteRequest, MembersResponse),
});

export const MaintenanceService = service('etcdserverpb.Maintenance', {
  Alarm: unary(AlarmRequest, AlarmResponse),
  Status: unary(StatusRequest, StatusResponse),
  Defragment: unary(DefragmentRequest, DefragmentResponse),
  Hash: unary(HashRequest, HashResponse),
  HashKV: unary(HashKvRequest, HashKvResponse),
  Snapshot: serverStream(SnapshotRequest, SnapshotResponse),
  MoveLeader: unary(MoveLeaderRequest, MoveLeaderResponse),
  Downgrade: unary(DowngradeRequest, DowngradeResponse),
});
