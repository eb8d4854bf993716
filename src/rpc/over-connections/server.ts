import { acceptAll } from '../../platform/accept.ts';
import { timeout } from '../../platform/combinators.ts';
import { NetError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort, type Listener, type Segment } from '../../platform/net.ts';
import type { ConnectionTaker, PeerIdentity, RpcServer, ServeOptions, TlsServer } from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { connectionRejected } from '../events.ts';
import { readErrorText } from '../go-text.ts';
import { type ServerShared, serverShared } from '../grpc/dispatcher.ts';
import { isHandshakeFailure, serverHandshake } from '../tls/handshake.ts';
import { type ServerMaterial, serverMaterial } from '../tls/material.ts';
import { securedConnection } from '../tls/secure.ts';
import type { RpcDeps } from './deps.ts';
import type { Frame } from './frames.ts';
import { ServerConnection } from './server-connection.ts';

/** A handshake that takes longer is given up (grpc-go's connection timeout). */
const HANDSHAKE_LIMIT_US = 120_000_000;

/** Listens and serves. Fails with NetError like `listen`, with CryptoError for bad PEM. */
export function* serve(deps: RpcDeps, options: ServeOptions): Task<Server> {
  const material = options.tls === undefined ? null : serverMaterial(deps.crypto, options.tls);
  const listener = yield* deps.net.listen({ address: options.address, port: options.port });
  return new Server(deps, listener, options, material);
}

export class Server implements RpcServer {
  readonly local: Endpoint;
  readonly #deps: RpcDeps;
  readonly #listener: Listener;
  readonly #scope: TaskScope;
  readonly #shared: ServerShared;
  readonly #connections = new Set<ServerConnection>();
  readonly #reloadTls: (() => Task<TlsServer>) | undefined;
  readonly #otherwise: ConnectionTaker | undefined;
  #material: ServerMaterial | null;
  #shown: TlsServer | undefined;
  #closed = false;

  constructor(deps: RpcDeps, listener: Listener, options: ServeOptions, material: ServerMaterial | null) {
    this.local = listener.local;
    this.#deps = deps;
    this.#listener = listener;
    this.#material = material;
    this.#shown = options.tls;
    this.#reloadTls = options.reloadTls;
    this.#scope = deps.scope.child(`serve ${hostPort(listener.local)}`);
    this.#shared = serverShared(deps, this.#scope, options);
    this.#otherwise = options.otherwise;
    if (options.held !== true) this.open();
  }

  open(): void {
    this.#scope.spawn('accept', () => acceptAll(this.#listener, (connection) => this.#accepted(connection)));
  }

  setTls(tls: TlsServer): void {
    this.#material = serverMaterial(this.#deps.crypto, tls);
  }

  /** What a handshake that begins now shows. */
  *#current(material: ServerMaterial): Task<ServerMaterial> {
    if (this.#reloadTls === undefined) return material;
    const tls = yield* this.#reloadTls();
    if (!sameTls(tls, this.#shown)) {
      this.#shown = tls;
      this.#material = serverMaterial(this.#deps.crypto, tls);
    }
    return this.#material!;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.close();
    for (const connection of [...this.#connections]) connection.close();
    this.#scope.cancel();
  }

  #accepted(connection: Connection): void {
    const material = this.#material;
    if (material === null) this.#open(connection, false, undefined);
    else this.#scope.spawn('handshake', () => this.#secure(connection, material));
  }

  *#secure(connection: Connection, material: ServerMaterial): Task<void> {
    let secured = false;
    try {
      const handshake = serverHandshake(connection, yield* this.#current(material), this.#deps);
      const identity = yield* timeout(this.#deps.clock, HANDSHAKE_LIMIT_US, handshake, 'TLS handshake');
      secured = true;
      this.#open(connection, true, identity);
    } catch (error) {
      this.#rejected(connection, error);
    } finally {
      if (!secured) connection.close();
    }
  }

  #rejected(connection: Connection, error: unknown): void {
    const { local, remote } = connection;
    if (!isHandshakeFailure(error)) throw error;
    const text = error instanceof NetError ? readErrorText(local, remote, error) : error.message;
    this.#deps.log.event(connectionRejected, { peer: hostPort(remote), error: text });
  }

  #open(connection: Connection, secure: boolean, identity: PeerIdentity | undefined): void {
    const otherwise = this.#otherwise;
    if (otherwise === undefined) this.#speak(connection, secure, identity);
    else this.#scope.spawn('preface', () => this.#listen(connection, secure, identity, otherwise));
  }

  /** Hears what the client speaks before anything is said to it. */
  *#listen(
    raw: Connection,
    secure: boolean,
    identity: PeerIdentity | undefined,
    otherwise: ConnectionTaker,
  ): Task<void> {
    const connection = secure ? securedConnection(raw) : raw;
    let handedOver = false;
    try {
      const first = yield* connection.receive();
      if (first === undefined) return;
      handedOver = true;
      if (isPreface(first)) this.#speak(raw, secure, identity);
      else otherwise(connection, first, identity);
    } catch (error) {
      if (!isHandshakeFailure(error)) throw error;
    } finally {
      if (!handedOver) raw.close();
    }
  }

  #speak(connection: Connection, secure: boolean, identity: PeerIdentity | undefined): void {
    const accepted = new ServerConnection(connection, this.#shared, secure, identity, (closed) =>
      this.#connections.delete(closed),
    );
    this.#connections.add(accepted);
    accepted.start();
  }
}

function isPreface(segment: Segment): boolean {
  return !(segment instanceof Uint8Array) && (segment.object as Partial<Frame> | null)?.kind === 'preface';
}

function sameTls(a: TlsServer, b: TlsServer | undefined): boolean {
  return (
    b !== undefined && a.certificatePem === b.certificatePem && a.keyPem === b.keyPem && a.clientCaPem === b.clientCaPem
  );
}
