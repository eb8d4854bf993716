import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { TLSSocket } from 'node:tls';
import { NetError } from '../../platform/errors.ts';
import type { Endpoint } from '../../platform/net.ts';
import type { RpcServer, ServeOptions, TlsServer } from '../../platform/rpc.ts';
import { type Task, type TaskScope, wait } from '../../platform/task.ts';
import { connectionRejected } from '../../rpc/events.ts';
import { hostPort } from '../../rpc/go-text.ts';
import type { GrpcDeps } from '../../rpc/grpc/deps.ts';
import { type ServerShared, serverShared } from '../../rpc/grpc/dispatcher.ts';
import type { HostExecutor } from '../executor.ts';
import { netError } from '../net/errors.ts';
import { endpointOf, type SelfAddress } from '../net/self.ts';
import { identityOf, serverTlsOptions, tlsErrorText } from '../net/tls.ts';
import { ServerSession } from './server-session.ts';

export interface ServeDeps extends GrpcDeps {
  readonly executor: HostExecutor;
  readonly self: SelfAddress;
}

/** Listens and serves. Fails with NetError like `listen`. */
export function* serveHttp2(deps: ServeDeps, options: ServeOptions): Task<HostServer> {
  const server = options.tls === undefined ? createServer() : createSecureServer(serverTlsOptions(options.tls));
  const port = yield* listening(deps, server, options);
  return new HostServer(deps, server, { address: options.address, port }, options);
}

function listening(deps: ServeDeps, server: Http2Server | Http2SecureServer, options: ServeOptions): Task<number> {
  return wait<number>((resume, fail) => {
    server.once('error', (error) => deps.executor.enter(() => fail(netError(error))));
    server.listen({ host: deps.self.map(options.address), port: options.port, exclusive: true }, () => {
      server.removeAllListeners('error');
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : options.port;
      deps.executor.enter(() => resume(port));
    });
    return () => server.close();
  });
}

export class HostServer implements RpcServer {
  readonly local: Endpoint;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #deps: ServeDeps;
  readonly #scope: TaskScope;
  readonly #shared: ServerShared;
  readonly #sessions = new Map<Http2Session, ServerSession>();
  #closed = false;

  constructor(deps: ServeDeps, server: Http2Server | Http2SecureServer, local: Endpoint, options: ServeOptions) {
    this.local = local;
    this.#deps = deps;
    this.#server = server;
    this.#scope = deps.scope.child(`serve ${hostPort(local)}`);
    this.#shared = serverShared(deps, this.#scope, {
      handlers: options.handlers,
      unknownMethod: options.unknownMethod,
    });
    const { executor } = deps;
    server.on('error', () => {});
    server.on('session', (session: Http2Session) => executor.enter(() => this.#opened(session)));
    server.on('stream', (stream: ServerHttp2Stream, headers) =>
      executor.enter(() => {
        const session = stream.session;
        if (session !== undefined) this.#sessions.get(session)?.accept(stream, headers);
      }),
    );
    server.on('tlsClientError', (error: Error, socket: TLSSocket) =>
      executor.enter(() => {
        const peer = hostPort(endpointOf(socket.remoteAddress, socket.remotePort));
        deps.log.event(connectionRejected, { peer, error: tlsErrorText(error) });
      }),
    );
  }

  setTls(tls: TlsServer): void {
    if (!('setSecureContext' in this.#server)) throw new NetError('closed', 'the server was started without TLS');
    this.#server.setSecureContext(serverTlsOptions(tls));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#server.close();
    for (const [session, calls] of [...this.#sessions]) {
      calls.abandonAll();
      session.destroy();
    }
    this.#sessions.clear();
    this.#scope.cancel();
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
