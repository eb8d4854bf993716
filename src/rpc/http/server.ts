import { acceptAll } from '../../platform/accept.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import { timeout } from '../../platform/combinators.ts';
import { type Connection, type Endpoint, hostPort, type Listener } from '../../platform/net.ts';
import type { PeerIdentity, TlsServer } from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { isHandshakeFailure, NOT_TLS } from '../tls/handshake.ts';
import { type ServerSecurer, serverSecurer } from '../tls/secure.ts';
import { HttpConnections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import type { HttpHeaders, HttpPart, HttpRequest } from './message.ts';

/** Who asks. */
export interface HttpPeer {
  readonly peer: Endpoint;
  readonly local: Endpoint;
  /** Set when the client showed a certificate that chains to the server's client authorities. */
  readonly identity?: PeerIdentity;
}

/** Writes a streamed body. */
export interface BodyWriter {
  /** False once the client is gone. Never blocks. */
  write(part: HttpPart): boolean;
  /** Waits until at most `bytes` wait to be sent. Throws NetError when the connection broke. */
  drained(bytes: number): Task<void>;
}

/** A whole response, or a head whose body `stream` writes; the body ends when that task ends. */
export type HttpAnswer =
  | { readonly status: number; readonly headers?: HttpHeaders; readonly body?: HttpPart }
  | {
      readonly status: number;
      readonly headers?: HttpHeaders;
      readonly stream: (writer: BodyWriter) => Task<void>;
    };

/** Runs as a task of its own and is cancelled when the client goes away. */
export type HttpHandler = (request: HttpRequest, peer: HttpPeer) => Task<HttpAnswer>;

export interface HttpServeOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsServer;
  readonly handler: HttpHandler;
  /** Told of connections refused in the TLS handshake: peer and reason. */
  readonly onRejected?: (peer: Endpoint, reason: string) => void;
}

/** What Go's server answers who speaks HTTP where TLS is spoken. */
const PLAIN_REFUSED = utf8Encode('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');

/** As Go's server gives up a handshake. */
const HANDSHAKE_LIMIT_US = 10_000_000;

/** Listens and serves HTTP/1.1. Fails with NetError like `listen`, with CryptoError for bad PEM. */
export function* serveHttp(deps: HttpDeps, options: HttpServeOptions): Task<HttpServer> {
  const secure = options.tls === undefined ? undefined : serverSecurer(options.tls, deps);
  const listener = yield* deps.net.listen({ address: options.address, port: options.port });
  return new HttpServer(deps, options, listener, secure);
}

export class HttpServer {
  readonly local: Endpoint;
  readonly #deps: HttpDeps;
  readonly #options: HttpServeOptions;
  readonly #listener: Listener;
  readonly #scope: TaskScope;
  readonly #connections: HttpConnections;
  #secure: ServerSecurer | undefined;
  #closed = false;

  constructor(deps: HttpDeps, options: HttpServeOptions, listener: Listener, secure: ServerSecurer | undefined) {
    this.local = listener.local;
    this.#deps = deps;
    this.#options = options;
    this.#listener = listener;
    this.#secure = secure;
    this.#scope = deps.scope.child(`http ${hostPort(listener.local)}`);
    const { handler } = options;
    this.#connections = new HttpConnections({ scope: this.#scope, handler, alwaysBytes: deps.alwaysBytes ?? false });
    this.#scope.spawn('accept', () => acceptAll(listener, (connection) => this.#accepted(connection)));
  }

  /** Replaces the certificate for connections made from now on. */
  setTls(tls: TlsServer): void {
    this.#secure = serverSecurer(tls, this.#deps);
  }

  /** Stops accepting and breaks what is open. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    this.#connections.close();
    this.#scope.cancel();
  }

  #accepted(connection: Connection): void {
    const secure = this.#secure;
    if (secure === undefined) this.#connections.serve(connection, undefined, undefined);
    else this.#scope.spawn('handshake', () => this.#handshake(connection, secure));
  }

  *#handshake(raw: Connection, secure: ServerSecurer): Task<void> {
    let done = false;
    try {
      const { connection, identity } = yield* timeout(
        this.#deps.clock,
        HANDSHAKE_LIMIT_US,
        secure(raw),
        'TLS handshake',
      );
      done = true;
      this.#connections.serve(connection, undefined, identity);
    } catch (error) {
      if (!isHandshakeFailure(error)) throw error;
      if (error.message === NOT_TLS) raw.send(PLAIN_REFUSED);
      this.#options.onRejected?.(raw.remote, error.message);
    } finally {
      if (!done) raw.close();
    }
  }
}
