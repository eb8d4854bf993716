import { utf8Encode } from '../../platform/bytes.ts';
import { ContainerError, DiskError, NetError, TimeoutError } from '../../platform/errors.ts';
import type { Connection, Segment } from '../../platform/net.ts';
import type { Task, TaskHandle, TaskScope } from '../../platform/task.ts';
import {
  ChunkFrame,
  EMPTY_BODY,
  type HttpFrame,
  type HttpPart,
  type HttpRequest,
  RequestFrame,
  ResponseFrame,
} from './message.ts';
import { FrameReader, HttpSyntaxError } from './parser.ts';
import type { BodyWriter, HttpAnswer, HttpHandler, HttpPeer } from './server.ts';

export interface ServerConnectionOptions {
  readonly peer: HttpPeer;
  readonly scope: TaskScope;
  readonly handler: HttpHandler;
  readonly alwaysBytes: boolean;
  readonly onClosed: (connection: HttpServerConnection) => void;
}

/** One accepted connection: requests one after the other, each handled by a task. */
export class HttpServerConnection {
  readonly #connection: Connection;
  readonly #options: ServerConnectionOptions;
  readonly #reader: FrameReader;
  #queue: HttpRequest[] = [];
  #task: TaskHandle<void> | undefined;
  #closed = false;

  constructor(connection: Connection, options: ServerConnectionOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#reader = new FrameReader((frame) => this.#onFrame(frame));
  }

  /** `first` is what was already read of the connection. */
  start(first: Segment | undefined): void {
    if (first !== undefined) this.#onSegment(first);
    this.#connection.consume(
      (segment) => this.#onSegment(segment),
      () => this.close(),
    );
  }

  #onSegment(segment: Segment): void {
    if (this.#closed) return;
    try {
      this.#reader.feed(segment);
    } catch (error) {
      if (!(error instanceof HttpSyntaxError)) throw error;
      this.#refuse(error.message);
    }
  }

  /** Ends what is under way and closes the connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#connection.close();
    this.#task?.cancel();
    this.#options.onClosed(this);
  }

  #refuse(text: string): void {
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    this.#send(new ResponseFrame(400, headers, utf8Encode(`400 Bad Request: ${text}`)));
    this.close();
  }

  #onFrame(frame: HttpFrame): void {
    if (!(frame instanceof RequestFrame)) {
      this.#refuse('a request was expected');
      return;
    }
    this.#queue.push(frame.request);
    if (this.#task === undefined) this.#next();
  }

  #next(): void {
    const request = this.#queue.shift();
    if (request === undefined || this.#closed) return;
    this.#task = this.#options.scope.spawn('request', () => this.#handle(request));
  }

  *#handle(request: HttpRequest): Task<void> {
    const answer = yield* this.#answer(request);
    if (request.method === 'HEAD') this.#send(new ResponseFrame(answer.status, answer.headers ?? {}, EMPTY_BODY));
    else if ('stream' in answer) {
      this.#send(new ResponseFrame(answer.status, answer.headers ?? {}, null));
      yield* answer.stream(this.#writer());
      this.#send(new ChunkFrame(null));
    } else this.#send(new ResponseFrame(answer.status, answer.headers ?? {}, answer.body ?? EMPTY_BODY));
    this.#task = undefined;
    if (request.headers.connection?.toLowerCase() === 'close') this.close();
    else this.#next();
  }

  /** Typed errors of ports that a handler lets through become 500, as a Go handler would answer. */
  *#answer(request: HttpRequest): Task<HttpAnswer> {
    try {
      return yield* this.#options.handler(request, this.#options.peer);
    } catch (error) {
      const known =
        error instanceof NetError ||
        error instanceof DiskError ||
        error instanceof ContainerError ||
        error instanceof TimeoutError;
      if (!known) throw error;
      return {
        status: 500,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: utf8Encode(`${error.message}\n`),
      };
    }
  }

  #writer(): BodyWriter {
    return {
      write: (part: HttpPart) => this.#send(new ChunkFrame(part)),
      drained: (bytes: number) => this.#connection.drained(bytes),
    };
  }

  #send(frame: ResponseFrame | ChunkFrame): boolean {
    if (this.#closed) return false;
    if (this.#options.alwaysBytes) return this.#connection.send(frame.renderBytes());
    return this.#connection.send({ object: frame, sizeBytes: frame.sizeBytes() });
  }
}
