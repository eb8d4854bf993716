import { utf8SizeBytes } from '../../platform/bytes.ts';
import type { Metadata, StatusName } from '../../platform/rpc.ts';
import type { Payload } from '../grpc/payload.ts';

/**
 * What travels over a connection. A frame here stands for the HTTP/2 frames that gRPC would write at one go: a unary
 * call is one segment in each direction, whatever its size (only streams are held back for want of credit).
 */
export type Frame =
  | SettingsFrame
  | PrefaceFrame
  | CallFrame
  | MessageFrame
  | HalfCloseFrame
  | ReplyFrame
  | StatusFrame
  | ResetFrame
  | CreditFrame
  | PingFrame;

/** The server's first frame: the client's channel is ready when it has arrived. */
export interface SettingsFrame {
  readonly kind: 'settings';
}

/** The client's first frame. */
export interface PrefaceFrame {
  readonly kind: 'preface';
}

/** HEADERS, with the first message when there is one. */
export interface CallFrame {
  readonly kind: 'call';
  readonly stream: number;
  readonly path: string;
  readonly metadata: Metadata;
  /** Remaining time of the caller; 0: no deadline. */
  readonly timeoutUs: number;
  readonly payload: Payload | null;
  /** True when the client has nothing more to say. */
  readonly end: boolean;
}

export interface MessageFrame {
  readonly kind: 'message';
  readonly stream: number;
  readonly payload: Payload;
}

export interface HalfCloseFrame {
  readonly kind: 'half-close';
  readonly stream: number;
}

/** A unary answer: headers, message and trailers with status OK. */
export interface ReplyFrame {
  readonly kind: 'reply';
  readonly stream: number;
  readonly payload: Payload;
}

/** Trailers: the end of a call. */
export interface StatusFrame {
  readonly kind: 'status';
  readonly stream: number;
  readonly status: StatusName;
  readonly message: string;
  readonly metadata: Metadata;
}

/** RST_STREAM from the client: it lost interest. */
export interface ResetFrame {
  readonly kind: 'reset';
  readonly stream: number;
}

/** WINDOW_UPDATE: the other side may send this much more on the stream. */
export interface CreditFrame {
  readonly kind: 'credit';
  readonly stream: number;
  readonly bytes: number;
}

export interface PingFrame {
  readonly kind: 'ping';
  readonly ack: boolean;
}

const FRAME_BYTES = 9;
const GRPC_PREFIX_BYTES = 5;
const MAX_DATA_FRAME_BYTES = 16_384;
/** Pseudo-headers, content-type, te and user-agent, each an index into the dynamic table. */
const CALL_HEADER_BYTES = 8;
/** The same headers before the table knows them: user-agent, authority, content-type as literals. */
export const FIRST_CALL_EXTRA_BYTES = 110;
const TIMEOUT_HEADER_BYTES = 7;
const REPLY_HEADER_BYTES = 3;
const TRAILER_BYTES = 3;

export const SETTINGS_BYTES = 2 * FRAME_BYTES + 12;
export const PREFACE_BYTES = 24 + 2 * FRAME_BYTES + 6;
export const PING_BYTES = FRAME_BYTES + 8;
export const RESET_BYTES = FRAME_BYTES + 4;
export const CREDIT_BYTES = FRAME_BYTES + 4;
export const HALF_CLOSE_BYTES = FRAME_BYTES;

/** A message in DATA frames. */
export function dataSizeBytes(payload: Payload): number {
  const size = payload.sizeBytes + GRPC_PREFIX_BYTES;
  return size + FRAME_BYTES * (1 + Math.floor(size / MAX_DATA_FRAME_BYTES));
}

export function metadataSizeBytes(metadata: Metadata): number {
  let size = 0;
  for (const key of Object.keys(metadata)) size += key.length + utf8SizeBytes(metadata[key]!) + 3;
  return size;
}

/** Without what a path or connection costs when it is seen for the first time. */
export function callSizeBytes(frame: CallFrame): number {
  const timeout = frame.timeoutUs === 0 ? 0 : TIMEOUT_HEADER_BYTES;
  const data = frame.payload === null ? 0 : dataSizeBytes(frame.payload);
  return FRAME_BYTES + CALL_HEADER_BYTES + timeout + metadataSizeBytes(frame.metadata) + data;
}

/** Headers, message, trailers. */
export function replySizeBytes(payload: Payload): number {
  return FRAME_BYTES + REPLY_HEADER_BYTES + dataSizeBytes(payload) + FRAME_BYTES + TRAILER_BYTES;
}

export function statusSizeBytes(frame: StatusFrame): number {
  return (
    FRAME_BYTES + REPLY_HEADER_BYTES + TRAILER_BYTES + utf8SizeBytes(frame.message) + metadataSizeBytes(frame.metadata)
  );
}
