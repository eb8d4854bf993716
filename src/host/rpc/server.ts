import { createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { timeout } from '../../platform/combinators.ts';
import { type Endpoint, hostPort } from '../../platform/net.ts';
import type { ConnectionTaker, RpcServer, ServeOptions, TlsServer } from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { connectionRejected } from '../../rpc/events.ts';
import type { GrpcDeps } from '../../rpc/grpc/deps.ts';
import { type ServerShared, serverShared } from '../../rpc/grpc/dispatcher.ts';
import { isHandshakeFailure } from '../../rpc/tls/handshake.ts';
import type { HostExecutor } from '../executor.ts';
import { HostConnection } from '../net/connection.ts';
import type { HostNet, ListeningSocket } from '../net/net.ts';
import { endpointOf } from '../net/self.ts';
import { acceptTls, identityOf } from '../net/tls.ts';
import { hearProtocol } from './hear-protocol.ts';
import { ServerSession } from './server-session.ts';

export interface ServeDeps extends GrpcDeps {
  readonly executor: HostExecutor;
  readonly net: HostNet;
}

/** A handshake that takes longer is given up (grpc-go's connection timeout). */
const HANDSHAKE_LIMIT_US = 120_000_000;

/** Listens and serves. Fails with NetError like `listen`. */
export function* serveHttp2(deps: ServeDeps, options: ServeOptions): Task<HostServer> {
  const listening = yield* deps.net.listenSocket(options);
  return new HostServer(deps, listening, options);
}

/** Accepts sockets, secures them, and hands them to Node's HTTP/2. */
export class HostServer implements RpcServer {
  readonly local: Endpoint;
  readonly #listening: ListeningSocket;
  readonly #http2: Http2Server = createServer();
  readonly #deps: ServeDeps;
  readonly #scope: TaskScope;
  readonly #shared: ServerShared;
  readonly #reloadTls: (() => Task<TlsServer>) | undefined;
  readonly #otherwise: ConnectionTaker | undefined;
  readonly #sessions = new Map<Http2Session, ServerSession>();
  #tls: TlsServer | undefined;
  #closed = false;

  constructor(deps: ServeDeps, listening: ListeningSocket, options: ServeOptions) {
    this.local = listening.local;
    this.#deps = deps;
    this.#listening = listening;
    this.#tls = options.tls;
    this.#reloadTls = options.reloadTls;
    this.#scope = deps.scope.child(`serve ${hostPort(listening.local)}`);
    this.#shared = serverShared(deps, this.#scope, options);
    this.#otherwise = options.otherwise;
    const { executor } = deps;
    if (options.held !== true) this.open();
    this.#http2.on('session', (session: Http2Session) => executor.enter(() => this.#opened(session)));
    this.#http2.on('stream', (stream: ServerHttp2Stream, headers) =>
      executor.enter(() => {
        const session = stream.session;
        if (session !== undefined) this.#sessions.get(session)?.accept(stream, headers);
      }),
    );
    this.#http2.on('sessionError', () => {}); // told by the session's 'close'
  }

  open(): void {
    this.#listening.onSocket((socket) => this.#arrived(socket));
  }

  setTls(tls: TlsServer): void {
    this.#tls = tls;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listening.close();
    for (const [session, calls] of [...this.#sessions]) {
      calls.abandonAll();
      session.destroy();
    }
    this.#sessions.clear();
    this.#scope.cancel();
  }

  #arrived(socket: Socket): void {
    if (this.#closed) socket.destroy();
    else if (this.#tls === undefined) this.#greet(socket);
    else this.#scope.spawn('handshake', () => this.#secure(socket));
  }

  /** Finds out what a client speaks, if it has a choice, and hands its socket to whom it concerns. */
  #greet(socket: Socket): void {
    const otherwise = this.#otherwise;
    if (otherwise === undefined) this.#speak(socket);
    else {
      hearProtocol(socket, (protocol) =>
        this.#deps.executor.enter(() => {
          if (protocol === 'http2') this.#speak(socket);
          else this.#other(socket, otherwise);
        }),
      );
    }
  }

  #speak(socket: Socket): void {
    socket.allowHalfOpen = false; // HTTP/2 has a half-close of its own
    if (this.#closed) socket.destroy();
    else this.#http2.emit('connection', socket);
  }

  #other(socket: Socket, otherwise: ConnectionTaker): void {
    const local = endpointOf(socket.localAddress, socket.localPort);
    const remote = endpointOf(socket.remoteAddress, socket.remotePort);
    const identity = socket instanceof TLSSocket ? identityOf(socket) : undefined;
    if (this.#closed) socket.destroy();
    else otherwise(new HostConnection(socket, local, remote, this.#deps.executor), undefined, identity);
  }

  *#secure(socket: Socket): Task<void> {
    const { clock, executor, log } = this.#deps;
    const peer = hostPort(endpointOf(socket.remoteAddress, socket.remotePort));
    let done = false;
    try {
      const tls = this.#reloadTls === undefined ? this.#tls! : yield* this.#reloadTls();
      const handshake = acceptTls(socket, executor, tls, this.#otherwise === undefined ? ['h2'] : ['h2', 'http/1.1']);
      const secured = yield* timeout(clock, HANDSHAKE_LIMIT_US, handshake, 'TLS handshake');
      done = true;
      this.#greet(secured);
    } catch (error) {
      if (!isHandshakeFailure(error)) throw error;
      log.event(connectionRejected, { peer, error: error.message });
    } finally {
      if (!done) socket.destroy();
    }
  }

  #opened(session: Http2Session): void {
    if (this.#closed) {
      session.destroy();
      return;
    }
    const { socket } = session;
    const identity = socket instanceof TLSSocket ? identityOf(socket) : undefined;
    const accepted = {
      peer: endpointOf(socket.remoteAddress, socket.remotePort),
      local: endpointOf(socket.localAddress, socket.localPort),
      ...(identity === undefined ? {} : { identity }),
    };
    const calls = new ServerSession(this.#shared, accepted, this.#deps.executor);
    this.#sessions.set(session, calls);
    session.on('error', () => {}); // told by 'close'
    session.on('close', () =>
      this.#deps.executor.enter(() => {
        this.#sessions.delete(session);
        calls.abandonAll();
      }),
    );
  }
}
