import { NetError } from '../../platform/errors.ts';
import type { Connection } from '../../platform/net.ts';
import { endReasonOf } from './errors.ts';
import type { HttpFrame, HttpPart, HttpRequest } from './message.ts';
import { ChunkFrame, RequestFrame, ResponseFrame } from './message.ts';
import { FrameReader, HttpSyntaxError } from './parser.ts';

const CLOSED = new NetError('closed', 'use of closed network connection');

/** What one exchange hears. */
export interface ExchangeSink {
  /** `body` null: streamed, {@link onPart} follows. */
  onHead(frame: ResponseFrame): void;
  /** A piece of the streamed body; null at its end. */
  onPart(part: HttpPart | null): void;
  onBroken(reason: string): void;
}

/** One connection of a client: one exchange at a time. */
export class ClientConnection {
  readonly #connection: Connection;
  readonly #reader: FrameReader;
  readonly #alwaysBytes: boolean;
  /** Told when the connection may be used again (true) or is gone (false). */
  readonly #onFree: (reusable: boolean) => void;
  #sink: ExchangeSink | undefined;
  #keepAlive = true;
  #closed = false;

  constructor(connection: Connection, alwaysBytes: boolean, onFree: (reusable: boolean) => void) {
    this.#connection = connection;
    this.#alwaysBytes = alwaysBytes;
    this.#onFree = onFree;
    this.#reader = new FrameReader((frame) => this.#onFrame(frame));
  }

  /** Begins to listen; a server that has hung up already is heard at once. */
  start(): void {
    this.#connection.consume(
      (segment) => {
        try {
          this.#reader.feed(segment);
        } catch (error) {
          if (!(error instanceof HttpSyntaxError)) throw error;
          this.close(`net/http: HTTP/1.x transport connection broken: ${error.message}`);
        }
      },
      (error) => {
        this.#keepAlive = false;
        if (error === undefined) this.#reader.end();
        this.close(endReasonOf(this.#connection, error));
      },
    );
  }

  get usable(): boolean {
    return !this.#closed && this.#sink === undefined;
  }

  /** Sends a request; false when the connection is broken already. */
  begin(request: HttpRequest, sink: ExchangeSink): boolean {
    if (this.#closed) return false;
    const frame = new RequestFrame(request);
    const sent = this.#connection.send(
      this.#alwaysBytes ? frame.renderBytes() : { object: frame, sizeBytes: frame.sizeBytes() },
    );
    if (sent) this.#sink = sink;
    return sent;
  }

  /** The exchange is given up by the one who asked: it hears no more, and the connection cannot be used again. */
  abandon(): void {
    this.#sink = undefined;
    this.close();
  }

  /** Ends the connection; the exchange under way fails with `reason`. */
  close(reason?: string): void {
    if (this.#closed) return;
    this.#closed = true;
    const sink = this.#sink;
    this.#sink = undefined;
    this.#connection.close();
    this.#onFree(false);
    sink?.onBroken(reason ?? endReasonOf(this.#connection, CLOSED));
  }

  #onFrame(frame: HttpFrame): void {
    const sink = this.#sink;
    if (sink === undefined || frame instanceof RequestFrame) {
      this.close();
      return;
    }
    if (frame instanceof ResponseFrame) {
      if (frame.headers.connection?.toLowerCase() === 'close') this.#keepAlive = false;
      if (frame.body !== null) this.#finish();
      sink.onHead(frame);
      return;
    }
    if (frame instanceof ChunkFrame) {
      if (frame.part === null) this.#finish();
      sink.onPart(frame.part);
    }
  }

  #finish(): void {
    this.#sink = undefined;
    if (this.#keepAlive) this.#onFree(true);
    else this.close();
  }
}
