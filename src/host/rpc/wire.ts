import { STATUS_CODES } from 'node:http';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { type Metadata, RpcError, STATUS_NAMES, type StatusName } from '../../platform/rpc.ts';
import { tooLargeReceived } from '../../rpc/grpc/limits.ts';
import { DecodeError } from '../../rpc/wire.ts';

/** The parts of gRPC over HTTP/2 that are bytes and headers. */

const PREFIX_BYTES = 5;

/** A message with its prefix: not compressed, length. */
export function framed(message: Uint8Array): Uint8Array {
  const out = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(out.buffer).setUint32(1, message.length);
  out.set(message, PREFIX_BYTES);
  return out;
}

/** Cuts a stream of DATA frames into messages. */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #onMessage: (message: Uint8Array) => void;
  #chunks: Uint8Array[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number, onMessage: (message: Uint8Array) => void) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
  }

  /** Throws DecodeError for a compressed message that is not gzip, RpcError for one that announces too many bytes. */
  feed(chunk: Uint8Array): void {
    // Not Node's Buffer: its `slice` shares memory and its JSON is another.
    this.#chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
    this.#sizeBytes += chunk.length;
    for (;;) {
      if (this.#sizeBytes < PREFIX_BYTES) return;
      const head = this.#peek(PREFIX_BYTES);
      const lengthBytes = new DataView(head.buffer, head.byteOffset).getUint32(1);
      const tooLarge = tooLargeReceived(lengthBytes, this.#maxBytes);
      if (tooLarge !== undefined) throw tooLarge;
      if (this.#sizeBytes < PREFIX_BYTES + lengthBytes) return;
      const whole = this.#peek(PREFIX_BYTES + lengthBytes);
      this.#drop(whole.length);
      const body = whole.subarray(PREFIX_BYTES);
      this.#onMessage(whole[0] === 0 ? body : gunzip(body));
    }
  }

  /** The first bytes in one piece. */
  #peek(sizeBytes: number): Uint8Array {
    if (this.#chunks[0]!.length < sizeBytes) {
      const joined = new Uint8Array(Buffer.concat(this.#chunks));
      this.#chunks = [joined];
    }
    return this.#chunks[0]!.subarray(0, sizeBytes);
  }

  #drop(sizeBytes: number): void {
    this.#sizeBytes -= sizeBytes;
    const rest = this.#chunks[0]!.subarray(sizeBytes);
    if (rest.length === 0) this.#chunks.shift();
    else this.#chunks[0] = rest;
  }
}

/** The status of a call whose messages cannot be read; any other error is thrown on. */
export function unreadable(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof DecodeError) return new RpcError('Internal', `grpc: ${error.message}`);
  throw error;
}

function gunzip(body: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(gunzipSync(body));
  } catch {
    throw new DecodeError('failed to decompress the received message: gzip: invalid header');
  }
}

/** Compressions that we can undo. */
export function isKnownEncoding(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || encoding === 'identity' || encoding === 'gzip';
}

const UNITS: readonly (readonly [unit: string, us: number])[] = Object.freeze([
  ['u', 1],
  ['m', 1_000],
  ['S', 1_000_000],
  ['M', 60_000_000],
  ['H', 3_600_000_000],
]);

/** `grpc-timeout` holds at most eight digits; rounded up to the next unit. */
export function formatTimeout(timeoutUs: number): string {
  for (const [unit, us] of UNITS) {
    const count = Math.ceil(timeoutUs / us);
    if (count < 100_000_000) return `${count}${unit}`;
  }
  return '99999999H';
}

/** In microseconds; 0 for none, or one that cannot be read. */
export function parseTimeout(header: string | undefined): number {
  const match = /^(\d{1,8})([HMSmun])$/.exec(header ?? '');
  if (match === null) return 0;
  const count = Number(match[1]);
  if (match[2] === 'n') return Math.max(1, Math.floor(count / 1_000));
  return Math.max(1, count * UNITS.find(([unit]) => unit === match[2])![1]);
}

export function statusOfCode(code: string): StatusName {
  return STATUS_NAMES[Number(code)] ?? 'Unknown';
}

/** What a response that is not gRPC's says, as grpc-go tells it. */
export function httpErrorText(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): string {
  const code = headers[':status'] ?? 0;
  const type = headers['content-type'];
  const problem =
    type === undefined ? 'missing HTTP content-type' : `received unexpected content-type ${JSON.stringify(type)}`;
  return `unexpected HTTP status code received from server: ${code} (${STATUS_CODES[code] ?? ''}); transport: ${problem}`;
}

/** What a response that is not gRPC's means, as grpc-go reads it. */
export function statusOfHttp(httpStatus: number): StatusName {
  switch (httpStatus) {
    case 400:
      return 'Internal';
    case 401:
      return 'Unauthenticated';
    case 403:
      return 'PermissionDenied';
    case 404:
      return 'Unimplemented';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'Unavailable';
    default:
      return 'Unknown';
  }
}

/** Errors of HTTP/2 by number, and the status that grpc-go makes of a stream that was reset with them. */
const RESETS: readonly (readonly [name: string, status: StatusName])[] = Object.freeze([
  ['NO_ERROR', 'Internal'],
  ['PROTOCOL_ERROR', 'Internal'],
  ['INTERNAL_ERROR', 'Internal'],
  ['FLOW_CONTROL_ERROR', 'ResourceExhausted'],
  ['SETTINGS_TIMEOUT', 'Internal'],
  ['STREAM_CLOSED', 'Internal'],
  ['FRAME_SIZE_ERROR', 'Internal'],
  ['REFUSED_STREAM', 'Unavailable'],
  ['CANCEL', 'Canceled'],
  ['COMPRESSION_ERROR', 'Internal'],
  ['CONNECT_ERROR', 'Internal'],
  ['ENHANCE_YOUR_CALM', 'ResourceExhausted'],
  ['INADEQUATE_SECURITY', 'PermissionDenied'],
  ['HTTP_1_1_REQUIRED', 'Internal'],
]);

export function statusOfReset(code: number): { readonly status: StatusName; readonly message: string } {
  const [name, status] = RESETS[code] ?? [`unknown error code 0x${code.toString(16)}`, 'Unknown'];
  return { status, message: `stream terminated by RST_STREAM with error code: ${name}` };
}

/** `grpc-message`: percent-encoded UTF-8. */
export function encodeMessage(text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

export function decodeMessage(text: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const hex = text[i] === '%' ? /^[0-9a-fA-F]{2}/.exec(text.slice(i + 1))?.[0] : undefined;
    bytes.push(hex === undefined ? text.charCodeAt(i) & 0xff : Number.parseInt(hex, 16));
    if (hex !== undefined) i += 2;
  }
  return Buffer.from(bytes).toString('utf8');
}

const RESERVED: readonly string[] = Object.freeze([
  'content-type',
  'te',
  'user-agent',
  'accept-encoding',
  'date',
  'content-length',
]);

/** Headers that are metadata, without those of HTTP and gRPC themselves. */
export function metadataOf(headers: IncomingHttpHeaders): Metadata {
  const metadata: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (name.startsWith(':') || name.startsWith('grpc-') || RESERVED.includes(name)) continue;
    const value = headers[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    metadata[name] = name.endsWith('-bin') ? Buffer.from(text, 'base64').toString('latin1') : text;
  }
  return metadata;
}

/** Metadata as headers; values of `-bin` keys hold bytes as characters and travel as base64. */
export function headersOf(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(metadata)) {
    if (name.startsWith(':')) continue;
    const value = metadata[name]!;
    headers[name] = name.endsWith('-bin') ? Buffer.from(value, 'latin1').toString('base64') : value;
  }
  return headers;
}
