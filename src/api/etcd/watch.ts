import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, int32, int64, nested, string } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { type EmptyMessage, Event, ResponseHeader } from './kv.ts';

/** Messages of etcd's Watch service (reference/etcd.md E2.2). */

/** A signed 64-bit watch id; ids stay small, so a safe integer is enough. −1 is "none" and the broadcast id. */
export type WatchId = number;
export const NO_WATCH: WatchId = -1;

export const WatchFilter = { NoPut: 0, NoDelete: 1 } as const;

/** Exactly one member is set. */
export interface WatchRequest {
  readonly createRequest: WatchCreateRequest | null;
  readonly cancelRequest: WatchCancelRequest | null;
  readonly progressRequest: WatchProgressRequest | null;
}

export interface WatchCreateRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly startRevision: number;
  readonly progressNotify: boolean;
  readonly filters: readonly number[];
  readonly prevKv: boolean;
  readonly watchId: WatchId;
  readonly fragment: boolean;
}

export interface WatchCancelRequest {
  readonly watchId: WatchId;
}

export type WatchProgressRequest = EmptyMessage;

export interface WatchResponse {
  readonly header: ResponseHeader | null;
  readonly watchId: WatchId;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly Event[];
}

export const WatchCreateRequest: MessageType<WatchCreateRequest> = message('etcdserverpb.WatchCreateRequest', {
  key: bytes(1),
  rangeEnd: bytes(2),
  startRevision: int64(3),
  progressNotify: bool(4),
  filters: repeated(int32(5)),
  prevKv: bool(6),
  watchId: int64(7),
  fragment: bool(8),
});

export const WatchCancelRequest: MessageType<WatchCancelRequest> = message('etcdserverpb.WatchCancelRequest', {
  watchId: int64(1),
});

export const WatchProgressRequest: MessageType<WatchProgressRequest> = message('etcdserverpb.WatchProgressRequest', {});

export const WatchRequest: MessageType<WatchRequest> = message('etcdserverpb.WatchRequest', {
  createRequest: nested(1, WatchCreateRequest),
  cancelRequest: nested(2, WatchCancelRequest),
  progressRequest: nested(3, WatchProgressRequest),
});

/** Field number 11 of `events` is right; 8 to 10 are unused. */
export const WatchResponse: MessageType<WatchResponse> = message('etcdserverpb.WatchResponse', {
  header: nested(1, ResponseHeader),
  watchId: int64(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: string(6),
  fragment: bool(7),
  events: repeated(nested(11, Event)),
});
