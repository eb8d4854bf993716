import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, id64, int64, nested, string } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { type EmptyMessage, type LeaseId, ResponseHeader } from './kv.ts';

/** Messages of etcd's Lease service (reference/etcd.md E2.3). Times to live are seconds. */

export interface LeaseGrantRequest {
  readonly ttl: number;
  readonly id: LeaseId;
}

export interface LeaseGrantResponse {
  readonly header: ResponseHeader | null;
  readonly id: LeaseId;
  readonly ttl: number;
  /** Never filled by a server. */
  readonly error: string;
}

export interface LeaseRevokeRequest {
  readonly id: LeaseId;
}

export interface LeaseRevokeResponse {
  readonly header: ResponseHeader | null;
}

export interface LeaseKeepAliveRequest {
  readonly id: LeaseId;
}

export interface LeaseKeepAliveResponse {
  readonly header: ResponseHeader | null;
  readonly id: LeaseId;
  readonly ttl: number;
}

export interface LeaseTimeToLiveRequest {
  readonly id: LeaseId;
  readonly keys: boolean;
}

export interface LeaseTimeToLiveResponse {
  readonly header: ResponseHeader | null;
  readonly id: LeaseId;
  readonly ttl: number;
  readonly grantedTtl: number;
  readonly keys: readonly Uint8Array[];
}

export type LeaseLeasesRequest = EmptyMessage;

export interface LeaseStatus {
  readonly id: LeaseId;
}

export interface LeaseLeasesResponse {
  readonly header: ResponseHeader | null;
  readonly leases: readonly LeaseStatus[];
}

export interface LeaseCheckpoint {
  readonly id: LeaseId;
  readonly remainingTtl: number;
}

/** Travels only through Raft. */
export interface LeaseCheckpointRequest {
  readonly checkpoints: readonly LeaseCheckpoint[];
}

export const LeaseGrantRequest: MessageType<LeaseGrantRequest> = message('etcdserverpb.LeaseGrantRequest', {
  ttl: int64(1),
  id: id64(2, 'int64'),
});

export const LeaseGrantResponse: MessageType<LeaseGrantResponse> = message('etcdserverpb.LeaseGrantResponse', {
  header: nested(1, ResponseHeader),
  id: id64(2, 'int64'),
  ttl: int64(3),
  error: string(4),
});

export const LeaseRevokeRequest: MessageType<LeaseRevokeRequest> = message('etcdserverpb.LeaseRevokeRequest', {
  id: id64(1, 'int64'),
});

export const LeaseRevokeResponse: MessageType<LeaseRevokeResponse> = message('etcdserverpb.LeaseRevokeResponse', {
  header: nested(1, ResponseHeader),
});

export const LeaseKeepAliveRequest: MessageType<LeaseKeepAliveRequest> = message('etcdserverpb.LeaseKeepAliveRequest', {
  id: id64(1, 'int64'),
});

export const LeaseKeepAliveResponse: MessageType<LeaseKeepAliveResponse> = message(
  'etcdserverpb.LeaseKeepAliveResponse',
  { header: nested(1, ResponseHeader), id: id64(2, 'int64'), ttl: int64(3) },
);

export const LeaseTimeToLiveRequest: MessageType<LeaseTimeToLiveRequest> = message(
  'etcdserverpb.LeaseTimeToLiveRequest',
  { id: id64(1, 'int64'), keys: bool(2) },
);

export const LeaseTimeToLiveResponse: MessageType<LeaseTimeToLiveResponse> = message(
  'etcdserverpb.LeaseTimeToLiveResponse',
  {
    header: nested(1, ResponseHeader),
    id: id64(2, 'int64'),
    ttl: int64(3),
    grantedTtl: int64(4),
    keys: repeated(bytes(5)),
  },
);

export const LeaseLeasesRequest: MessageType<LeaseLeasesRequest> = message('etcdserverpb.LeaseLeasesRequest', {});

export const LeaseStatus: MessageType<LeaseStatus> = message('etcdserverpb.LeaseStatus', { id: id64(1, 'int64') });

export const LeaseLeasesResponse: MessageType<LeaseLeasesResponse> = message('etcdserverpb.LeaseLeasesResponse', {
  header: nested(1, ResponseHeader),
  leases: repeated(nested(2, LeaseStatus)),
});

export const LeaseCheckpoint: MessageType<LeaseCheckpoint> = message('etcdserverpb.LeaseCheckpoint', {
  id: id64(1, 'int64'),
  remainingTtl: int64(2),
});

export const LeaseCheckpointRequest: MessageType<LeaseCheckpointRequest> = message(
  'etcdserverpb.LeaseCheckpointRequest',
  { checkpoints: repeated(nested(1, LeaseCheckpoint)) },
);
