import { repeated } from '../../rpc/composite-fields.ts';
import { bool, id64, nested, string, uint64 } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { CompactionRequest, DeleteRangeRequest, type Id64, PutRequest, RangeRequest, TxnRequest } from './kv.ts';
import { LeaseCheckpointRequest, LeaseGrantRequest, LeaseRevokeRequest } from './lease.ts';
import { AlarmRequest } from './maintenance.ts';

/** What etcd members replicate and tell each other (reference/etcd.md E2.6). */

export interface RequestHeader {
  /** Unique id by which the member that proposed it recognises its request. */
  readonly id: Id64;
  readonly username: string;
  readonly authRevision: number;
}

export const RequestHeader: MessageType<RequestHeader> = message('etcdserverpb.RequestHeader', {
  id: id64(1, 'uint64'),
  username: string(2),
  authRevision: uint64(3),
});

export interface ClusterVersionSetRequest {
  readonly version: string;
}

export const ClusterVersionSetRequest: MessageType<ClusterVersionSetRequest> = message(
  'membershippb.ClusterVersionSetRequest',
  { version: string(1) },
);

export interface MemberAttributes {
  readonly name: string;
  readonly clientUrls: readonly string[];
}

export const MemberAttributes: MessageType<MemberAttributes> = message('membershippb.Attributes', {
  name: string(1),
  clientUrls: repeated(string(2)),
});

export interface ClusterMemberAttrSetRequest {
  readonly memberId: Id64;
  readonly attributes: MemberAttributes | null;
}

export const ClusterMemberAttrSetRequest: MessageType<ClusterMemberAttrSetRequest> = message(
  'membershippb.ClusterMemberAttrSetRequest',
  { memberId: id64(1, 'uint64'), attributes: nested(2, MemberAttributes) },
);

export interface DowngradeInfoSetRequest {
  readonly enabled: boolean;
  readonly version: string;
}

export const DowngradeInfoSetRequest: MessageType<DowngradeInfoSetRequest> = message(
  'membershippb.DowngradeInfoSetRequest',
  { enabled: bool(1), version: string(2) },
);

/** The content of a normal log entry: a header and exactly one request. */
export interface InternalRaftRequest {
  readonly header: RequestHeader | null;
  readonly range: RangeRequest | null;
  readonly put: PutRequest | null;
  readonly deleteRange: DeleteRangeRequest | null;
  readonly txn: TxnRequest | null;
  readonly compaction: CompactionRequest | null;
  readonly leaseGrant: LeaseGrantRequest | null;
  readonly leaseRevoke: LeaseRevokeRequest | null;
  readonly alarm: AlarmRequest | null;
  readonly leaseCheckpoint: LeaseCheckpointRequest | null;
  readonly clusterVersionSet: ClusterVersionSetRequest | null;
  readonly clusterMemberAttrSet: ClusterMemberAttrSetRequest | null;
  readonly downgradeInfoSet: DowngradeInfoSetRequest | null;
}

export const InternalRaftRequest: MessageType<InternalRaftRequest> = message('etcdserverpb.InternalRaftRequest', {
  header: nested(100, RequestHeader),
  range: nested(3, RangeRequest),
  put: nested(4, PutRequest),
  deleteRange: nested(5, DeleteRangeRequest),
  txn: nested(6, TxnRequest),
  compaction: nested(7, CompactionRequest),
  leaseGrant: nested(8, LeaseGrantRequest),
  leaseRevoke: nested(9, LeaseRevokeRequest),
  alarm: nested(10, AlarmRequest),
  leaseCheckpoint: nested(11, LeaseCheckpointRequest),
  clusterVersionSet: nested(1300, ClusterVersionSetRequest),
  clusterMemberAttrSet: nested(1301, ClusterMemberAttrSetRequest),
  downgradeInfoSet: nested(1302, DowngradeInfoSetRequest),
});
