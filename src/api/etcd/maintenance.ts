import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, id64, int32, int64, nested, string, uint32, uint64 } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { type EmptyMessage, type Id64, ResponseHeader } from './kv.ts';

/** Messages of etcd's Maintenance service (reference/etcd.md E2.4). */

export const AlarmType = { None: 0, NoSpace: 1, Corrupt: 2 } as const;
export type AlarmType = (typeof AlarmType)[keyof typeof AlarmType];
export const AlarmAction = { Get: 0, Activate: 1, Deactivate: 2 } as const;

export interface AlarmRequest {
  readonly action: number;
  readonly memberId: Id64;
  readonly alarm: number;
}

export interface AlarmMember {
  readonly memberId: Id64;
  readonly alarm: number;
}

export interface AlarmResponse {
  readonly header: ResponseHeader | null;
  readonly alarms: readonly AlarmMember[];
}

export type StatusRequest = EmptyMessage;

export interface DowngradeInfo {
  readonly enabled: boolean;
  readonly targetVersion: string;
}

export interface StatusResponse {
  readonly header: ResponseHeader | null;
  readonly version: string;
  readonly dbSize: number;
  readonly leader: Id64;
  readonly raftIndex: number;
  readonly raftTerm: number;
  readonly raftAppliedIndex: number;
  readonly errors: readonly string[];
  readonly dbSizeInUse: number;
  readonly isLearner: boolean;
  readonly storageVersion: string;
  readonly dbSizeQuota: number;
  readonly downgradeInfo: DowngradeInfo | null;
}

export type DefragmentRequest = EmptyMessage;
export interface DefragmentResponse {
  readonly header: ResponseHeader | null;
}

export type HashRequest = EmptyMessage;
export interface HashResponse {
  readonly header: ResponseHeader | null;
  readonly hash: number;
}

export interface HashKvRequest {
  readonly revision: number;
}
export interface HashKvResponse {
  readonly header: ResponseHeader | null;
  readonly hash: number;
  readonly compactRevision: number;
  readonly hashRevision: number;
}

export type SnapshotRequest = EmptyMessage;
export interface SnapshotResponse {
  readonly header: ResponseHeader | null;
  readonly remainingBytes: number;
  readonly blob: Uint8Array;
  readonly version: string;
}

export interface MoveLeaderRequest {
  readonly targetId: Id64;
}
export interface MoveLeaderResponse {
  readonly header: ResponseHeader | null;
}

export const DowngradeAction = { Validate: 0, Enable: 1, Cancel: 2 } as const;
export interface DowngradeRequest {
  readonly action: number;
  readonly version: string;
}
export interface DowngradeResponse {
  readonly header: ResponseHeader | null;
  readonly version: string;
}

export const AlarmRequest: MessageType<AlarmRequest> = message('etcdserverpb.AlarmRequest', {
  action: int32(1),
  memberId: id64(2, 'uint64'),
  alarm: int32(3),
});

export const AlarmMember: MessageType<AlarmMember> = message('etcdserverpb.AlarmMember', {
  memberId: id64(1, 'uint64'),
  alarm: int32(2),
});

export const AlarmResponse: MessageType<AlarmResponse> = message('etcdserverpb.AlarmResponse', {
  header: nested(1, ResponseHeader),
  alarms: repeated(nested(2, AlarmMember)),
});

export const StatusRequest: MessageType<StatusRequest> = message('etcdserverpb.StatusRequest', {});

export const DowngradeInfo: MessageType<DowngradeInfo> = message('etcdserverpb.DowngradeInfo', {
  enabled: bool(1),
  targetVersion: string(2),
});

export const StatusResponse: MessageType<StatusResponse> = message('etcdserverpb.StatusResponse', {
  header: nested(1, ResponseHeader),
  version: string(2),
  dbSize: int64(3),
  leader: id64(4, 'uint64'),
  raftIndex: uint64(5),
  raftTerm: uint64(6),
  raftAppliedIndex: uint64(7),
  errors: repeated(string(8)),
  dbSizeInUse: int64(9),
  isLearner: bool(10),
  storageVersion: string(11),
  dbSizeQuota: int64(12),
  downgradeInfo: nested(13, DowngradeInfo),
});

export const DefragmentRequest: MessageType<DefragmentRequest> = message('etcdserverpb.DefragmentRequest', {});

export const DefragmentResponse: MessageType<DefragmentResponse> = message('etcdserverpb.DefragmentResponse', {
  header: nested(1, ResponseHeader),
});

export const HashRequest: MessageType<HashRequest> = message('etcdserverpb.HashRequest', {});

export const HashResponse: MessageType<HashResponse> = message('etcdserverpb.HashResponse', {
  header: nested(1, ResponseHeader),
  hash: uint32(2),
});

export const HashKvRequest: MessageType<HashKvRequest> = message('etcdserverpb.HashKVRequest', {
  revision: int64(1),
});

export const HashKvResponse: MessageType<HashKvResponse> = message('etcdserverpb.HashKVResponse', {
  header: nested(1, ResponseHeader),
  hash: uint32(2),
  compactRevision: int64(3),
  hashRevision: int64(4),
});

export const SnapshotRequest: MessageType<SnapshotRequest> = message('etcdserverpb.SnapshotRequest', {});

export const SnapshotResponse: MessageType<SnapshotResponse> = message('etcdserverpb.SnapshotResponse', {
  header: nested(1, ResponseHeader),
  remainingBytes: uint64(2),
  blob: bytes(3),
  version: string(4),
});

export const MoveLeaderRequest: MessageType<MoveLeaderRequest> = message('etcdserverpb.MoveLeaderRequest', {
  targetId: id64(1, 'uint64'),
});

export const MoveLeaderResponse: MessageType<MoveLeaderResponse> = message('etcdserverpb.MoveLeaderResponse', {
  header: nested(1, ResponseHeader),
});

export const DowngradeRequest: MessageType<DowngradeRequest> = message('etcdserverpb.DowngradeRequest', {
  action: int32(1),
  version: string(2),
});

export const DowngradeResponse: MessageType<DowngradeResponse> = message('etcdserverpb.DowngradeResponse', {
  header: nested(1, ResponseHeader),
  version: string(2),
});
