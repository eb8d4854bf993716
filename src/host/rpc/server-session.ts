import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { type Metadata, STATUS_NAMES, type StatusName } from '../../platform/rpc.ts';
import { type Accepted, Dispatcher, type ServerShared, type ServerWire } from '../../rpc/grpc/dispatcher.ts';
import { STREAM_WINDOW_BYTES } from '../../rpc/grpc/flow.ts';
import { type Payload, payloadOfBytes } from '../../rpc/grpc/payload.ts';
import type { HostExecutor } from '../executor.ts';
import {
  encodeMessage,
  framed,
  headersOf,
  isKnownEncoding,
  MessageReader,
  metadataOf,
  parseTimeout,
  unreadable,
} from './wire.ts';

const RESPONSE_HEADERS = Object.freeze({
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': 'identity,gzip',
});
const NO_METADATA: Metadata = Object.freeze({});

interface Open {
  readonly stream: ServerHttp2Stream;
  unreadBytes: number;
  trailers: Record<string, string> | undefined;
}

/** The calls of one HTTP/2 session of a server. */
export class ServerSession implements ServerWire {
  readonly #dispatcher: Dispatcher;
  readonly #executor: HostExecutor;
  readonly #open = new Map<number, Open>();

  constructor(shared: ServerShared, accepted: Accepted, executor: HostExecutor) {
    this.#dispatcher = new Dispatcher(shared, accepted, this);
    this.#executor = executor;
  }

  /** A stream was opened. Its call starts with the first message, or when the client half-closes without one. */
  accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const id = stream.id ?? 0;
    if (!(headers['content-type'] ?? '').startsWith('application/grpc')) {
      stream.respond({ ':status': 415 }, { endStream: true });
      return;
    }
    const open: Open = { stream, unreadBytes: 0, trailers: undefined };
    this.#open.set(id, open);
    const encoding = headers['grpc-encoding'];
    if (!isKnownEncoding(encoding)) {
      const problem = `grpc: Decompressor is not installed for grpc-encoding ${JSON.stringify(encoding)}`;
      this.status(id, 'Unimplemented', problem, NO_METADATA);
      this.#open.delete(id);
      return;
    }
    const call = {
      stream: id,
      path: headers[':path'] as string,
      metadata: metadataOf(headers),
      timeoutUs: parseTimeout(headers['grpc-timeout'] as string | undefined),
    };
    stream.on('error', () => {}); // told by 'close'
    stream.on('aborted', () => this.#executor.enter(() => this.#dispatcher.reset(id)));
    stream.on('close', () =>
      this.#executor.enter(() => {
        this.#open.delete(id);
        this.#dispatcher.reset(id);
      }),
    );
    const feed = new CallFeed((payload, end) => {
      if (payload !== null) this.#received(open, payload);
      return this.#dispatcher.start({ ...call, payload, end });
    });
    const reader = new MessageReader(this.#dispatcher.maxReceiveBytes, (message) => {
      const payload = payloadOfBytes(message);
      if (feed.hold(payload)) return;
      this.#received(open, payload);
      this.#dispatcher.find(id)?.onMessage(payload);
    });
    stream.on('data', (chunk: Uint8Array) =>
      this.#executor.enter(() => {
        this.#feed(id, feed, reader, chunk);
        // A client that sends one message and no end yet is talking: its call has begun.
        setImmediate(() => this.#executor.enter(() => feed.start(false)));
      }),
    );
    stream.on('end', () =>
      this.#executor.enter(() => {
        if (!feed.start(true)) this.#dispatcher.find(id)?.onHalfClose();
      }),
    );
    setImmediate(() => this.#executor.enter(() => feed.startEmpty()));
  }

  abandonAll(): void {
    this.#dispatcher.abandonAll();
  }

  #feed(id: number, feed: CallFeed, reader: MessageReader, chunk: Uint8Array): void {
    if (feed.refused) return;
    try {
      reader.feed(chunk);
    } catch (error) {
      const problem = unreadable(error);
      feed.refused = true;
      this.#dispatcher.reset(id);
      this.status(id, problem.status, problem.message, NO_METADATA);
    }
  }

  #received(open: Open, payload: Payload): void {
    open.unreadBytes += payload.sizeBytes;
    if (open.unreadBytes > STREAM_WINDOW_BYTES) open.stream.pause();
  }

  message(id: number, payload: Payload): void {
    const open = this.#open.get(id);
    if (open === undefined || open.stream.destroyed) return;
    this.#respond(open);
    open.stream.write(framed(payload.bytes()), () =>
      this.#executor.enter(() => this.#dispatcher.find(id)?.onCredit(payload.sizeBytes)),
    );
  }

  reply(id: number, payload: Payload): void {
    this.message(id, payload);
    this.status(id, 'OK', '', NO_METADATA);
  }

  status(id: number, status: StatusName, message: string, metadata: Metadata): void {
    const open = this.#open.get(id);
    if (open === undefined || open.stream.destroyed) return;
    const trailers = {
      'grpc-status': String(STATUS_NAMES.indexOf(status)),
      ...(message === '' ? {} : { 'grpc-message': encodeMessage(message) }),
      ...headersOf(metadata),
    };
    if (!open.stream.headersSent) {
      open.stream.respond({ ...RESPONSE_HEADERS, ...trailers }, { endStream: true });
    } else {
      open.trailers = trailers;
      open.stream.end();
    }
    open.stream.resume(); // what the client may still send is dropped
  }

  credit(id: number, bytes: number): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    open.unreadBytes -= bytes;
    if (open.unreadBytes <= STREAM_WINDOW_BYTES) open.stream.resume();
  }

  #respond(open: Open): void {
    if (open.stream.headersSent) return;
    open.stream.on('wantTrailers', () => open.stream.sendTrailers(open.trailers ?? {}));
    open.stream.respond(RESPONSE_HEADERS, { waitForTrailers: true });
  }
}

/**
 * Holds the first message of a call back until it is known whether the client has said everything with it, which makes
 * the difference between a unary call and a stream.
 */
class CallFeed {
  readonly #start: (payload: Payload | null, end: boolean) => void;
  #first: Payload | null = null;
  #started = false;
  /** What came cannot be read: the call has its answer and never starts. */
  refused = false;

  constructor(start: (payload: Payload | null, end: boolean) => void) {
    this.#start = start;
  }

  /** Keeps the first message; false when the call runs already or a second message came. */
  hold(payload: Payload): boolean {
    if (this.#started) return false;
    if (this.#first === null) {
      this.#first = payload;
      return true;
    }
    this.start(false);
    return false;
  }

  /** True when this started the call. */
  start(end: boolean): boolean {
    if (this.#started || this.refused || (this.#first === null && !end)) return false;
    this.#started = true;
    this.#start(this.#first, end);
    return true;
  }

  /** The client opened a stream and waits for the server to speak first. */
  startEmpty(): void {
    if (this.#started || this.refused || this.#first !== null) return;
    this.#started = true;
    this.#start(null, false);
  }
}
