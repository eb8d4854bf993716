import { concatBytes, utf8Decode } from '../../platform/bytes.ts';
import type { Segment } from '../../platform/net.ts';
import {
  ChunkFrame,
  EMPTY_BODY,
  FRAMING_HEADERS,
  type HttpFrame,
  type HttpHeaders,
  RequestFrame,
  ResponseFrame,
} from './message.ts';

/** The peer does not speak HTTP/1.1 as we do. */
export class HttpSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HttpSyntaxError';
  }
}

const MAX_HEAD_BYTES = 1_048_576;
const FRAME_KINDS: readonly string[] = Object.freeze(['http-request', 'http-response', 'http-chunk']);

type State =
  | { readonly kind: 'head' }
  | { readonly kind: 'body'; readonly head: Head; readonly lengthBytes: number }
  | { readonly kind: 'chunks' }
  | { readonly kind: 'until-close' };

interface Head {
  readonly first: readonly [string, string, string];
  /** Without {@link framing}. */
  readonly headers: HttpHeaders;
  readonly framing: HttpHeaders;
}

/** Turns segments into frames: objects as they are, bytes by parsing HTTP/1.1. */
export class FrameReader {
  readonly #emit: (frame: HttpFrame) => void;
  #buffer: Uint8Array = EMPTY_BODY;
  #state: State = { kind: 'head' };

  constructor(emit: (frame: HttpFrame) => void) {
    this.#emit = emit;
  }

  /** Throws HttpSyntaxError. */
  feed(segment: Segment): void {
    if (!(segment instanceof Uint8Array)) {
      const frame = segment.object as Partial<HttpFrame> | null;
      if (!FRAME_KINDS.includes(frame?.kind ?? '')) throw new HttpSyntaxError('malformed HTTP response');
      this.#emit(frame as HttpFrame);
      return;
    }
    this.#buffer = this.#buffer.length === 0 ? segment : concatBytes([this.#buffer, segment]);
    while (this.#step());
  }

  /** The peer will send no more: ends a body that is delimited by that. False when something is cut off. */
  end(): boolean {
    if (this.#state.kind === 'until-close') {
      this.#state = { kind: 'head' };
      this.#emit(new ChunkFrame(null));
      return true;
    }
    return this.#state.kind === 'head' && this.#buffer.length === 0;
  }

  /** Consumes one piece of the buffer; false when it needs more. */
  #step(): boolean {
    const state = this.#state;
    switch (state.kind) {
      case 'head':
        return this.#readHead();
      case 'body':
        return this.#readBody(state.head, state.lengthBytes);
      case 'chunks':
        return this.#readChunk();
      case 'until-close': {
        if (this.#buffer.length === 0) return false;
        const part = this.#buffer;
        this.#buffer = EMPTY_BODY;
        this.#emit(new ChunkFrame(part));
        return false;
      }
    }
  }

  #take(sizeBytes: number): Uint8Array {
    const taken = this.#buffer.subarray(0, sizeBytes);
    this.#buffer = this.#buffer.subarray(sizeBytes);
    return taken;
  }

  #readHead(): boolean {
    const end = findBlankLine(this.#buffer);
    if (end < 0) {
      if (this.#buffer.length > MAX_HEAD_BYTES) throw new HttpSyntaxError('header too long');
      return false;
    }
    const head = parseHead(utf8Decode(this.#take(end + 4), 0, end));
    const isResponse = head.first[0].startsWith('HTTP/');
    // An interim response has no body and is followed by the real one.
    if (isResponse && head.first[1].startsWith('1')) return true;
    if (head.framing['transfer-encoding']?.toLowerCase() === 'chunked') {
      if (!isResponse) throw new HttpSyntaxError('chunked requests are not supported');
      return this.#streamed(head, { kind: 'chunks' });
    }
    const length = head.framing['content-length'];
    const bodiless = isResponse && (head.first[1] === '204' || head.first[1] === '304');
    if (length === undefined && isResponse && !bodiless) return this.#streamed(head, { kind: 'until-close' });
    const lengthBytes = length === undefined || bodiless ? 0 : Number(length);
    if (!Number.isSafeInteger(lengthBytes) || lengthBytes < 0) throw new HttpSyntaxError('bad Content-Length');
    this.#state = { kind: 'body', head, lengthBytes };
    return true;
  }

  #streamed(head: Head, state: State): boolean {
    this.#state = state;
    this.#emit(new ResponseFrame(statusOf(head), head.headers, null));
    return true;
  }

  #readBody(head: Head, lengthBytes: number): boolean {
    if (this.#buffer.length < lengthBytes) return false;
    const body = this.#take(lengthBytes).slice();
    this.#state = { kind: 'head' };
    const [a, b] = head.first;
    if (a.startsWith('HTTP/')) this.#emit(new ResponseFrame(statusOf(head), head.headers, body));
    else this.#emit(new RequestFrame({ method: a, target: b, headers: head.headers, body }));
    return this.#buffer.length > 0;
  }

  #readChunk(): boolean {
    const lineEnd = this.#buffer.indexOf(13);
    if (lineEnd < 0 || this.#buffer.length < lineEnd + 2) return false;
    const sizeBytes = Number.parseInt(utf8Decode(this.#buffer, 0, lineEnd), 16);
    if (!(Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)) throw new HttpSyntaxError('malformed chunked encoding');
    const wholeBytes = lineEnd + 2 + sizeBytes + 2;
    if (this.#buffer.length < wholeBytes) return false;
    const part = this.#take(wholeBytes).slice(lineEnd + 2, lineEnd + 2 + sizeBytes);
    if (sizeBytes === 0) this.#state = { kind: 'head' };
    this.#emit(new ChunkFrame(sizeBytes === 0 ? null : part));
    return this.#buffer.length > 0;
  }
}

function findBlankLine(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0 && at + 3 < bytes.length; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return -1;
}

function parseHead(text: string): Head {
  const lines = text.split('\r\n');
  const first = /^(\S+) (\S+)(?: (.*))?$/.exec(lines[0] ?? '');
  if (first === null) throw new HttpSyntaxError(`malformed HTTP response ${JSON.stringify(lines[0])}`);
  const headers: Record<string, string> = {};
  const framing: Record<string, string> = {};
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new HttpSyntaxError(`malformed MIME header line: ${line}`);
    const name = line.slice(0, colon).toLowerCase();
    (FRAMING_HEADERS.includes(name) ? framing : headers)[name] = line.slice(colon + 1).trim();
  }
  return { first: [first[1]!, first[2]!, first[3] ?? ''], headers, framing };
}

function statusOf(head: Head): number {
  const status = Number(head.first[1]);
  if (!Number.isInteger(status) || status < 100 || status > 999)
    throw new HttpSyntaxError('malformed HTTP status code');
  return status;
}
