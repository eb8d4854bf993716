import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, id64, int32, int64, nested, uint64 } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';

/** Messages of etcd's KV service (reference/etcd.md E2.1). Keys and values are bytes; revisions are safe integers. */

/** A lease id: a signed 64-bit integer as the sixteen lower-case hex digits of its two's complement. */
export type LeaseId = string;
/** "No lease". */
export const NO_LEASE: LeaseId = '0000000000000000';
/** A member or cluster id: an unsigned 64-bit integer as sixteen lower-case hex digits. */
export type Id64 = string;
export const ZERO_ID: Id64 = '0000000000000000';

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** A message without fields. */
// biome-ignore lint/complexity/noBannedTypes: the type of a message description without fields
export type EmptyMessage = {};

export interface ResponseHeader {
  readonly clusterId: Id64;
  readonly memberId: Id64;
  readonly revision: number;
  readonly raftTerm: number;
}

export interface KeyValue {
  readonly key: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly value: Uint8Array;
  readonly lease: LeaseId;
}

export const EventType = { Put: 0, Delete: 1 } as const;
export type EventType = (typeof EventType)[keyof typeof EventType];

export interface Event {
  readonly type: EventType;
  readonly kv: KeyValue;
  readonly prevKv: KeyValue | null;
}

export const SortOrder = { None: 0, Ascend: 1, Descend: 2 } as const;
export const SortTarget = { Key: 0, Version: 1, Create: 2, Mod: 3, Value: 4 } as const;

export interface RangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly limit: number;
  readonly revision: number;
  /** Any integer travels; values outside the enumeration are refused by the server. */
  readonly sortOrder: number;
  readonly sortTarget: number;
  readonly serializable: boolean;
  readonly keysOnly: boolean;
  readonly countOnly: boolean;
  readonly minModRevision: number;
  readonly maxModRevision: number;
  readonly minCreateRevision: number;
  readonly maxCreateRevision: number;
}

export interface RangeResponse {
  readonly header: ResponseHeader | null;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export interface PutRequest {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly lease: LeaseId;
  readonly prevKv: boolean;
  readonly ignoreValue: boolean;
  readonly ignoreLease: boolean;
}

export interface PutResponse {
  readonly header: ResponseHeader | null;
  readonly prevKv: KeyValue | null;
}

export interface DeleteRangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly prevKv: boolean;
}

export interface DeleteRangeResponse {
  readonly header: ResponseHeader | null;
  readonly deleted: number;
  readonly prevKvs: readonly KeyValue[];
}

/** Exactly one member is set; none at all is what the server refuses as "key not found". */
export interface RequestOp {
  readonly requestRange: RangeRequest | null;
  readonly requestPut: PutRequest | null;
  readonly requestDeleteRange: DeleteRangeRequest | null;
  readonly requestTxn: TxnRequest | null;
}

export interface ResponseOp {
  readonly responseRange: RangeResponse | null;
  readonly responsePut: PutResponse | null;
  readonly responseDeleteRange: DeleteRangeResponse | null;
  readonly responseTxn: TxnResponse | null;
}

export const CompareResult = { Equal: 0, Greater: 1, Less: 2, NotEqual: 3 } as const;
export const CompareTarget = { Version: 0, Create: 1, Mod: 2, Value: 3, Lease: 4 } as const;

/** Of the five operands only the one that `target` names counts; an absent one is zero or empty. */
export interface Compare {
  readonly result: number;
  readonly target: number;
  readonly key: Uint8Array;
  readonly version: number;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly value: Uint8Array;
  readonly lease: LeaseId;
  readonly rangeEnd: Uint8Array;
}

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export interface TxnResponse {
  readonly header: ResponseHeader | null;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}

export interface CompactionRequest {
  readonly revision: number;
  readonly physical: boolean;
}

export interface CompactionResponse {
  readonly header: ResponseHeader | null;
}

export const ResponseHeader: MessageType<ResponseHeader> = message('etcdserverpb.ResponseHeader', {
  clusterId: id64(1, 'uint64'),
  memberId: id64(2, 'uint64'),
  revision: int64(3),
  raftTerm: uint64(4),
});

export const KeyValue: MessageType<KeyValue> = message('mvccpb.KeyValue', {
  key: bytes(1),
  createRevision: int64(2),
  modRevision: int64(3),
  version: int64(4),
  value: bytes(5),
  lease: id64(6, 'int64'),
});

export const Event: MessageType<Event> = message('mvccpb.Event', {
  type: int32(1),
  kv: nested(2, KeyValue),
  prevKv: nested(3, KeyValue),
}) as MessageType<Event>;

export const RangeRequest: MessageType<RangeRequest> = message('etcdserverpb.RangeRequest', {
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: int64(3),
  revision: int64(4),
  sortOrder: int32(5),
  sortTarget: int32(6),
  serializable: bool(7),
  keysOnly: bool(8),
  countOnly: bool(9),
  minModRevision: int64(10),
  maxModRevision: int64(11),
  minCreateRevision: int64(12),
  maxCreateRevision: int64(13),
});

export const RangeResponse: MessageType<RangeResponse> = message('etcdserverpb.RangeResponse', {
  header: nested(1, ResponseHeader),
  kvs: repeated(nested(2, KeyValue)),
  more: bool(3),
  count: int64(4),
});

export const PutRequest: MessageType<PutRequest> = message('etcdserverpb.PutRequest', {
  key: bytes(1),
  value: bytes(2),
  lease: id64(3, 'int64'),
  prevKv: bool(4),
  ignoreValue: bool(5),
  ignoreLease: bool(6),
});

export const PutResponse: MessageType<PutResponse> = message('etcdserverpb.PutResponse', {
  header: nested(1, ResponseHeader),
  prevKv: nested(2, KeyValue),
});

export const DeleteRangeRequest: MessageType<DeleteRangeRequest> = message('etcdserverpb.DeleteRangeRequest', {
  key: bytes(1),
  rangeEnd: bytes(2),
  prevKv: bool(3),
});

export const DeleteRangeResponse: MessageType<DeleteRangeResponse> = message('etcdserverpb.DeleteRangeResponse', {
  header: nested(1, ResponseHeader),
  deleted: int64(2),
  prevKvs: repeated(nested(3, KeyValue)),
});

export const RequestOp: MessageType<RequestOp> = message('etcdserverpb.RequestOp', {
  requestRange: nested(1, RangeRequest),
  requestPut: nested(2, PutRequest),
  requestDeleteRange: nested(3, DeleteRangeRequest),
  requestTxn: nested(4, (): MessageType<TxnRequest> => TxnRequest),
});

export const ResponseOp: MessageType<ResponseOp> = message('etcdserverpb.ResponseOp', {
  responseRange: nested(1, RangeResponse),
  responsePut: nested(2, PutResponse),
  responseDeleteRange: nested(3, DeleteRangeResponse),
  responseTxn: nested(4, (): MessageType<TxnResponse> => TxnResponse),
});

export const Compare: MessageType<Compare> = message('etcdserverpb.Compare', {
  result: int32(1),
  target: int32(2),
  key: bytes(3),
  version: int64(4),
  createRevision: int64(5),
  modRevision: int64(6),
  value: bytes(7),
  lease: id64(8, 'int64'),
  rangeEnd: bytes(64),
});

export const TxnRequest: MessageType<TxnRequest> = message('etcdserverpb.TxnRequest', {
  compare: repeated(nested(1, Compare)),
  success: repeated(nested(2, RequestOp)),
  failure: repeated(nested(3, RequestOp)),
});

export const TxnResponse: MessageType<TxnResponse> = message('etcdserverpb.TxnResponse', {
  header: nested(1, ResponseHeader),
  succeeded: bool(2),
  responses: repeated(nested(3, ResponseOp)),
});

export const CompactionRequest: MessageType<CompactionRequest> = message('etcdserverpb.CompactionRequest', {
  revision: int64(1),
  physical: bool(2),
});

export const CompactionResponse: MessageType<CompactionResponse> = message('etcdserverpb.CompactionResponse', {
  header: nested(1, ResponseHeader),
});
