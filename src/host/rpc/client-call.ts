import type { ClientHttp2Stream, Http2Session, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { constants } from 'node:http2';
import type { Metadata, StatusName } from '../../platform/rpc.ts';
import { STREAM_WINDOW_BYTES } from '../../rpc/grpc/flow.ts';
import { type Payload, payloadOfBytes } from '../../rpc/grpc/payload.ts';
import type { StreamSink } from '../../rpc/grpc/transport.ts';
import type { HostExecutor } from '../executor.ts';
import {
  decodeMessage,
  framed,
  httpErrorText,
  MessageReader,
  metadataOf,
  statusOfCode,
  statusOfHttp,
  statusOfReset,
  unreadable,
} from './wire.ts';

const NO_METADATA: Metadata = Object.freeze({});

/** One HTTP/2 stream of a client. */
export class ClientCall {
  readonly #stream: ClientHttp2Stream;
  /** Kept apart: a stream that has ended has none any more. */
  readonly #session: Http2Session | undefined;
  readonly #sink: StreamSink;
  /** Told once, when the stream has ended. */
  readonly #onEnded: () => void;
  #ended = false;
  #unreadBytes = 0;
  #readToEnd = false;
  /** Status of trailers, or of headers that were the end at once. */
  #status: { readonly status: StatusName; readonly message: string; readonly metadata: Metadata } | undefined;

  constructor(
    stream: ClientHttp2Stream,
    sink: StreamSink,
    executor: HostExecutor,
    maxReceiveBytes: number,
    onEnded: () => void,
  ) {
    this.#stream = stream;
    this.#session = stream.session;
    this.#sink = sink;
    this.#onEnded = onEnded;
    const reader = new MessageReader(maxReceiveBytes, (message) => this.#onMessage(message));
    stream.on('response', (headers) => executor.enter(() => this.#onHeaders(headers)));
    stream.on('trailers', (headers) => executor.enter(() => this.#onTrailers(headers)));
    stream.on('data', (chunk: Uint8Array) => executor.enter(() => this.#onData(reader, chunk)));
    stream.on('end', () => executor.enter(() => this.#onRead()));
    stream.on('error', () => {}); // told by 'close'
    stream.on('close', () => executor.enter(() => this.#onClose()));
  }

  write(payload: Payload): void {
    if (this.#ended) return;
    this.#stream.write(framed(payload.bytes()), () => {
      if (!this.#ended) this.#sink.onCredit(payload.sizeBytes);
    });
  }

  halfClose(): void {
    this.#stream.end();
  }

  /** The reader took this much. */
  credit(bytes: number): void {
    this.#unreadBytes -= bytes;
    if (this.#unreadBytes <= STREAM_WINDOW_BYTES) this.#stream.resume();
  }

  /** Gives the stream up and tells the server; the sink hears nothing more. */
  reset(): void {
    this.#ended = true;
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  end(status: StatusName, message: string, metadata: Metadata): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnded();
    this.#sink.onStatus(status, message, metadata);
  }

  #onMessage(message: Uint8Array): void {
    this.#unreadBytes += message.length;
    if (this.#unreadBytes > STREAM_WINDOW_BYTES) this.#stream.pause();
    this.#sink.onMessage(payloadOfBytes(message));
  }

  #onData(reader: MessageReader, chunk: Uint8Array): void {
    // What follows a status is no message: the page of an HTTP error, for instance.
    if (this.#ended || this.#status !== undefined) return;
    try {
      reader.feed(chunk);
    } catch (error) {
      const problem = unreadable(error);
      this.#stream.close(constants.NGHTTP2_CANCEL);
      this.end(problem.status, problem.message, NO_METADATA);
    }
  }

  #onHeaders(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    if (headers['grpc-status'] !== undefined) this.#onTrailers(headers);
    else if (headers[':status'] !== 200) {
      const status = statusOfHttp(headers[':status'] ?? 0);
      this.#status = { status, message: httpErrorText(headers), metadata: NO_METADATA };
    }
  }

  #onTrailers(headers: IncomingHttpHeaders): void {
    const code = headers['grpc-status'];
    if (typeof code !== 'string') return;
    const message = headers['grpc-message'];
    this.#status = {
      status: statusOfCode(code),
      message: typeof message === 'string' ? decodeMessage(message) : '',
      metadata: metadataOf(headers),
    };
    if (this.#readToEnd) this.#onRead();
  }

  /** Everything that the server sent has been read; it wants nothing more of us. */
  #onRead(): void {
    this.#readToEnd = true;
    if (this.#status === undefined) return;
    const { status, message, metadata } = this.#status;
    this.end(status, message, metadata);
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** The server will not look at this call, if it has not answered already. */
  unprocessed(text: string): void {
    if (this.#ended || this.#status !== undefined) return;
    this.#ended = true;
    this.#onEnded();
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#sink.onUnprocessed(text);
  }

  #onClose(): void {
    if (this.#status !== undefined) {
      this.end(this.#status.status, this.#status.message, this.#status.metadata);
      return;
    }
    const code = this.#stream.rstCode;
    if (code === constants.NGHTTP2_REFUSED_STREAM) {
      this.unprocessed(statusOfReset(code).message);
      return;
    }
    const lost = code === constants.NGHTTP2_NO_ERROR || this.#session?.destroyed !== false;
    if (lost) this.end('Unavailable', 'error reading from server: EOF', NO_METADATA);
    else {
      const { status, message } = statusOfReset(code);
      this.end(status, message, NO_METADATA);
    }
  }
}
