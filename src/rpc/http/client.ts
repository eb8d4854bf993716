import type { Timer } from '../../platform/clock.ts';
import { timeout } from '../../platform/combinators.ts';
import { CryptoError } from '../../platform/crypto.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort } from '../../platform/net.ts';
import type { TlsClient } from '../../platform/rpc.ts';
import { type Task, wait } from '../../platform/task.ts';
import { readErrorText } from '../go-text.ts';
import { TlsError } from '../tls/handshake.ts';
import { type ClientSecurer, clientSecurer } from '../tls/secure.ts';
import { ClientConnection, type ExchangeSink } from './client-connection.ts';
import type { HttpDeps } from './deps.ts';
import { dialReasonOf, HttpError } from './errors.ts';
import {
  EMPTY_BODY,
  type HttpHeaders,
  type HttpPart,
  type HttpResponse,
  joinParts,
  type ResponseFrame,
} from './message.ts';
import { StreamedResponse } from './streamed-response.ts';

export interface HttpClientOptions {
  readonly tls?: TlsClient;
  /** Limit of one connection attempt with its TLS handshake (default 30 s, as Go's default transport). */
  readonly connectTimeoutUs?: number;
  /** How long an unused connection is kept (default 90 s; 0: every request has a connection of its own). */
  readonly idleTimeoutUs?: number;
}

export interface HttpRequestOptions {
  /** Default GET. */
  readonly method?: string;
  readonly target: string;
  readonly headers?: HttpHeaders;
  readonly body?: HttpPart;
  /** Limit of the whole exchange, from the dial to the last byte (streamed: to the response's head). */
  readonly timeoutUs?: number;
}

interface Idle {
  readonly connection: ClientConnection;
  readonly timer: Timer;
}

/** HTTP/1.1 to one server, over connections that are kept and used again. */
export class HttpClient {
  readonly endpoint: Endpoint;
  readonly #deps: HttpDeps;
  readonly #options: HttpClientOptions;
  readonly #secure: ClientSecurer | undefined;
  readonly #connections = new Set<ClientConnection>();
  #idle: Idle[] = [];
  #closed = false;

  /** Throws CryptoError for bad PEM. */
  constructor(deps: HttpDeps, endpoint: Endpoint, options: HttpClientOptions = {}) {
    this.endpoint = endpoint;
    this.#deps = deps;
    this.#options = options;
    this.#secure = options.tls === undefined ? undefined : clientSecurer(options.tls, deps);
  }

  /** One exchange with the whole body. Throws HttpError. */
  *request(options: HttpRequestOptions): Task<HttpResponse> {
    const exchange = this.#exchange(options, false);
    const response = yield* this.#limited(options, exchange);
    return { status: response.status, headers: response.headers, body: response.body };
  }

  /** An exchange whose body is read piece by piece. Throws HttpError. */
  *open(options: HttpRequestOptions): Task<StreamedResponse> {
    const opened = yield* this.#limited(options, this.#exchange(options, true));
    return opened.stream!;
  }

  /** Closes every connection; what is under way fails. */
  close(): void {
    this.#closed = true;
    for (const idle of this.#idle) idle.timer.cancel();
    this.#idle = [];
    for (const connection of [...this.#connections]) connection.close();
  }

  #url(target: string): string {
    return `${this.#secure === undefined ? 'http' : 'https'}://${hostPort(this.endpoint)}${target}`;
  }

  #error(options: HttpRequestOptions, reason: string): HttpError {
    return new HttpError(options.method ?? 'GET', this.#url(options.target), reason);
  }

  *#limited<T>(options: HttpRequestOptions, task: Task<T>): Task<T> {
    if (options.timeoutUs === undefined) return yield* task;
    try {
      return yield* timeout(this.#deps.clock, options.timeoutUs, task, 'request');
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw this.#error(options, 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
    }
  }

  /** A kept connection may turn out to be closed by the server: then a fresh one is used, as Go's transport does. */
  *#exchange(options: HttpRequestOptions, streamed: boolean): Task<Exchanged> {
    for (;;) {
      if (this.#closed) throw this.#error(options, 'http: client is closed');
      const kept = this.#takeIdle();
      const connection = kept ?? (yield* this.#connect(options));
      const outcome = yield* this.#transfer(connection, options, streamed);
      if (!('reason' in outcome)) return outcome;
      if (kept === undefined || outcome.begun) throw this.#error(options, outcome.reason);
    }
  }

  #takeIdle(): ClientConnection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      idle.timer.cancel();
      if (idle.connection.usable) return idle.connection;
    }
    return undefined;
  }

  *#connect(options: HttpRequestOptions): Task<ClientConnection> {
    const limitUs = this.#options.connectTimeoutUs ?? 30_000_000;
    let raw: Connection;
    try {
      raw = yield* this.#deps.net.dial(this.endpoint, { timeoutUs: limitUs });
    } catch (error) {
      const reason = dialReasonOf(error, this.endpoint);
      if (reason === undefined) throw error;
      throw this.#error(options, reason);
    }
    const secured = this.#secure === undefined ? raw : yield* this.#secured(raw, this.#secure, limitUs, options);
    if (this.#closed) {
      secured.close();
      throw this.#error(options, 'http: client is closed');
    }
    const connection = new ClientConnection(secured, this.#deps.alwaysBytes ?? false, (reusable) => {
      if (reusable) this.#keep(connection);
      else this.#drop(connection);
    });
    this.#connections.add(connection);
    connection.start();
    return connection;
  }

  *#secured(raw: Connection, secure: ClientSecurer, limitUs: number, options: HttpRequestOptions): Task<Connection> {
    let done = false;
    try {
      const handshake = secure(raw, this.endpoint.address);
      const secured = yield* timeout(this.#deps.clock, limitUs, handshake, 'TLS handshake');
      done = true;
      return secured;
    } catch (error) {
      if (error instanceof TimeoutError) throw this.#error(options, 'net/http: TLS handshake timeout');
      if (error instanceof TlsError || error instanceof CryptoError) throw this.#error(options, error.message);
      if (!(error instanceof NetError)) throw error;
      throw this.#error(options, readErrorText(raw.local, raw.remote, error));
    } finally {
      if (!done) raw.close();
    }
  }

  #keep(connection: ClientConnection): void {
    const idleUs = this.#options.idleTimeoutUs ?? 90_000_000;
    if (idleUs === 0 || this.#closed) {
      connection.close();
      return;
    }
    const timer = this.#deps.clock.after(idleUs, () => connection.close());
    this.#idle.push({ connection, timer });
  }

  #drop(connection: ClientConnection): void {
    this.#connections.delete(connection);
    const at = this.#idle.findIndex((idle) => idle.connection === connection);
    if (at >= 0) this.#idle.splice(at, 1)[0]!.timer.cancel();
  }

  #transfer(connection: ClientConnection, options: HttpRequestOptions, streamed: boolean): Task<Exchanged | Broken> {
    return wait<Exchanged | Broken>((resume) => {
      const transfer = new Transfer(connection, streamed, (error) => this.#error(options, error), resume);
      const request = {
        method: options.method ?? 'GET',
        target: options.target,
        headers: { host: hostPort(this.endpoint), ...options.headers },
        body: options.body ?? EMPTY_BODY,
      };
      if (!connection.begin(request, transfer)) resume({ reason: 'EOF', begun: false });
      return (how) => {
        if (how === 'cancel') connection.abandon();
      };
    });
  }
}

interface Broken {
  readonly reason: string;
  /** True when part of a response had arrived. */
  readonly begun: boolean;
}

interface Exchanged extends HttpResponse {
  readonly stream: StreamedResponse | undefined;
}

/** Collects one response, or hands its head over and feeds its stream. */
class Transfer implements ExchangeSink {
  readonly #connection: ClientConnection;
  readonly #streamed: boolean;
  readonly #errorOf: (reason: string) => HttpError;
  readonly #resume: (outcome: Exchanged | Broken) => void;
  #head: ResponseFrame | undefined;
  #parts: HttpPart[] = [];
  #stream: StreamedResponse | undefined;

  constructor(
    connection: ClientConnection,
    streamed: boolean,
    errorOf: (reason: string) => HttpError,
    resume: (outcome: Exchanged | Broken) => void,
  ) {
    this.#connection = connection;
    this.#streamed = streamed;
    this.#errorOf = errorOf;
    this.#resume = resume;
  }

  onHead(frame: ResponseFrame): void {
    this.#head = frame;
    const { status, headers, body } = frame;
    if (!this.#streamed) {
      if (body !== null) this.#resume({ status, headers, body, stream: undefined });
      return;
    }
    const stream = new StreamedResponse(status, headers, () => this.#connection.abandon());
    this.#stream = stream;
    if (body !== null) {
      stream.put(body);
      stream.end(undefined);
    }
    this.#resume({ status, headers, body: EMPTY_BODY, stream });
  }

  onPart(part: HttpPart | null): void {
    if (this.#stream !== undefined) {
      if (part === null) this.#stream.end(undefined);
      else this.#stream.put(part);
    } else if (part !== null) this.#parts.push(part);
    else {
      const { status, headers } = this.#head!;
      this.#resume({ status, headers, body: joinParts(this.#parts), stream: undefined });
    }
  }

  onBroken(reason: string): void {
    const text = this.#head !== undefined && reason === 'EOF' ? 'unexpected EOF' : reason;
    if (this.#stream !== undefined) this.#stream.end(this.#errorOf(text));
    else this.#resume({ reason: text, begun: this.#head !== undefined });
  }
}
