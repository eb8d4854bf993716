import { concatBytes, utf8Encode, utf8SizeBytes } from '../../platform/bytes.ts';
import type { Codec } from '../../platform/rpc.ts';

/** Names in lower case. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** A body, or a piece of a streamed one: bytes, or a value that travels by reference where it can. */
export type HttpPart = Uint8Array | HttpValue;

/** A value with the codec that turns it into a body. */
export class HttpValue {
  readonly value: unknown;
  readonly sizeBytes: number;
  readonly #codec: Codec<unknown>;

  constructor(codec: Codec<unknown>, value: unknown, sizeBytes: number) {
    this.#codec = codec;
    this.value = value;
    this.sizeBytes = sizeBytes;
  }

  bytes(): Uint8Array {
    return this.#codec.encode(this.value);
  }

  /** The value as `codec` describes it. */
  readAs<T>(codec: Codec<T>): T {
    return (codec as Codec<unknown>) === this.#codec ? (this.value as T) : codec.decode(this.bytes());
  }
}

/** A body from a value of a described type; `sizeBytes` where its size is known already. */
export function httpValue<T>(codec: Codec<T>, value: T, sizeBytes: number = codec.sizeBytes(value)): HttpValue {
  return new HttpValue(codec as Codec<unknown>, value, sizeBytes);
}

export const EMPTY_BODY = new Uint8Array(0);

export function partSizeBytes(part: HttpPart): number {
  return part instanceof Uint8Array ? part.length : part.sizeBytes;
}

export function partBytes(part: HttpPart): Uint8Array {
  return part instanceof Uint8Array ? part : part.bytes();
}

/** Reads a part as a value of a described type. Throws what the codec throws. */
export function readPart<T>(part: HttpPart, codec: Codec<T>): T {
  return part instanceof Uint8Array ? codec.decode(part) : part.readAs(codec);
}

/** Several parts as one. */
export function joinParts(parts: readonly HttpPart[]): HttpPart {
  if (parts.length === 1) return parts[0]!;
  return parts.length === 0 ? EMPTY_BODY : concatBytes(parts.map(partBytes));
}

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Path with query: `/api/v1/nodes?watch=1`. */
  readonly target: string;
  readonly headers: HttpHeaders;
  readonly body: HttpPart;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpPart;
}

/**
 * What travels over a connection: an object where the connection carries objects, its {@link renderBytes} where it
 * carries bytes.
 */
export interface WireObject {
  renderBytes(): Uint8Array;
}

export class RequestFrame implements WireObject {
  readonly kind = 'http-request';
  readonly request: HttpRequest;

  constructor(request: HttpRequest) {
    this.request = request;
  }

  #head(): string {
    const { method, target, headers, body } = this.request;
    const sizeBytes = partSizeBytes(body);
    const length = sizeBytes > 0 || method === 'POST' || method === 'PUT' ? `content-length: ${sizeBytes}\r\n` : '';
    return `${method} ${target} HTTP/1.1\r\n${headerLines(headers)}${length}\r\n`;
  }

  sizeBytes(): number {
    const { method, target, headers, body } = this.request;
    const sizeBytes = partSizeBytes(body);
    const hasLength = sizeBytes > 0 || method === 'POST' || method === 'PUT';
    const lengthBytes = hasLength ? CONTENT_LENGTH_BYTES + digits(sizeBytes) : 0;
    const lineBytes = method.length + utf8SizeBytes(target) + REQUEST_LINE_BYTES;
    return lineBytes + headersSizeBytes(headers) + lengthBytes + 2 + sizeBytes;
  }

  renderBytes(): Uint8Array {
    return concatBytes([utf8Encode(this.#head()), partBytes(this.request.body)]);
  }
}

/** A response with its whole body, or the head of a streamed one (`body` null). */
export class ResponseFrame implements WireObject {
  readonly kind = 'http-response';
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpPart | null;

  constructor(status: number, headers: HttpHeaders, body: HttpPart | null) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  #head(): string {
    const length = this.body === null ? 'transfer-encoding: chunked' : `content-length: ${partSizeBytes(this.body)}`;
    return `HTTP/1.1 ${this.status} ${reasonOf(this.status)}\r\n${headerLines(this.headers)}${length}\r\n\r\n`;
  }

  sizeBytes(): number {
    const bodyBytes = this.body === null ? 0 : partSizeBytes(this.body);
    const lengthBytes = this.body === null ? CHUNKED_BYTES : CONTENT_LENGTH_BYTES + digits(bodyBytes);
    const lineBytes = STATUS_LINE_BYTES + digits(this.status) + reasonOf(this.status).length;
    return lineBytes + headersSizeBytes(this.headers) + lengthBytes + 2 + bodyBytes;
  }

  renderBytes(): Uint8Array {
    return concatBytes([utf8Encode(this.#head()), this.body === null ? EMPTY_BODY : partBytes(this.body)]);
  }
}

/** A piece of a streamed body, or its end (`part` null). */
export class ChunkFrame implements WireObject {
  readonly kind = 'http-chunk';
  readonly part: HttpPart | null;

  constructor(part: HttpPart | null) {
    this.part = part;
  }

  sizeBytes(): number {
    if (this.part === null) return 5;
    const sizeBytes = partSizeBytes(this.part);
    return sizeBytes + sizeBytes.toString(16).length + 4;
  }

  renderBytes(): Uint8Array {
    if (this.part === null) return utf8Encode('0\r\n\r\n');
    const sizeBytes = partSizeBytes(this.part);
    return concatBytes([utf8Encode(`${sizeBytes.toString(16)}\r\n`), partBytes(this.part), utf8Encode('\r\n')]);
  }
}

export type HttpFrame = RequestFrame | ResponseFrame | ChunkFrame;

/** Headers that belong to the wire form of a body: written and removed again by it, never seen by users. */
export const FRAMING_HEADERS: readonly string[] = Object.freeze(['content-length', 'transfer-encoding']);

function headerLines(headers: HttpHeaders): string {
  let lines = '';
  for (const name of Object.keys(headers)) {
    if (!FRAMING_HEADERS.includes(name)) lines += `${name}: ${headers[name]}\r\n`;
  }
  return lines;
}

/** What {@link headerLines} takes, without making the text: every message is measured, few are written. */
function headersSizeBytes(headers: HttpHeaders): number {
  let sizeBytes = 0;
  for (const name of Object.keys(headers)) {
    if (!FRAMING_HEADERS.includes(name)) sizeBytes += utf8SizeBytes(name) + utf8SizeBytes(headers[name]!) + 4;
  }
  return sizeBytes;
}

const REQUEST_LINE_BYTES = '  HTTP/1.1\r\n'.length;
const STATUS_LINE_BYTES = 'HTTP/1.1  \r\n'.length;
const CONTENT_LENGTH_BYTES = 'content-length: \r\n'.length;
const CHUNKED_BYTES = 'transfer-encoding: chunked\r\n'.length;

function digits(value: number): number {
  return value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : String(value).length;
}

function reasonOf(status: number): string {
  return REASONS[status] ?? 'Status';
}

const REASONS: Readonly<Record<number, string>> = Object.freeze({
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
});
