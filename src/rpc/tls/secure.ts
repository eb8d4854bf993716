import type { Clock } from '../../platform/clock.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import { type Connection, type Segment, segmentSizeBytes } from '../../platform/net.ts';
import type { PeerIdentity, TlsClient, TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { asAlert, clientHandshake, serverHandshake, TlsError, tlsOverheadBytes } from './handshake.ts';
import { clientMaterial, serverMaterial } from './material.ts';

/** What a connection offers whose platform has TLS of its own; others are secured by the modelled handshake. */
export interface NativeTls {
  /** Throws TlsError. */
  secureClient(tls: TlsClient, serverName: string): Task<Connection>;
  /** Throws TlsError. */
  secureServer(tls: TlsServer): Task<SecuredServer>;
}

export interface SecuredServer {
  readonly connection: Connection;
  readonly identity: PeerIdentity | undefined;
}

export interface TlsDeps {
  readonly clock: Clock;
  readonly crypto: CryptoPort;
}

const TLS_CPU_US = 1_000;

/** Secures dialled connections with settings that are read once. */
export type ClientSecurer = (connection: Connection, host: string) => Task<Connection>;

/** Reads a client's TLS settings. Throws CryptoError; the securer throws TlsError and NetError. */
export function clientSecurer(tls: TlsClient, deps: TlsDeps): ClientSecurer {
  const material = clientMaterial(deps.crypto, tls);
  const handshakeDeps = { clock: deps.clock, crypto: deps.crypto, tlsCpuUs: TLS_CPU_US };
  return function* (connection, host) {
    const native = connection as Partial<NativeTls>;
    if (native.secureClient !== undefined) return yield* native.secureClient(tls, tls.serverName ?? host);
    yield* clientHandshake(connection, material, host, handshakeDeps);
    return new SecuredConnection(connection);
  };
}

export type ServerSecurer = (connection: Connection) => Task<SecuredServer>;

/** Reads a server's TLS settings. Throws CryptoError; the securer throws TlsError and NetError. */
export function serverSecurer(tls: TlsServer, deps: TlsDeps): ServerSecurer {
  const material = serverMaterial(deps.crypto, tls);
  const handshakeDeps = { clock: deps.clock, crypto: deps.crypto, tlsCpuUs: TLS_CPU_US };
  return function* (connection) {
    const native = connection as Partial<NativeTls>;
    if (native.secureServer !== undefined) return yield* native.secureServer(tls);
    const identity = yield* serverHandshake(connection, material, handshakeDeps);
    return { connection: new SecuredConnection(connection), identity };
  };
}

/** What travels behind a modelled handshake, for protocols that do not count its records themselves. */
export function securedConnection(connection: Connection): Connection {
  return new SecuredConnection(connection);
}

/** A connection after the modelled handshake: every segment grows by TLS's records, an alert ends it. */
class SecuredConnection implements Connection {
  readonly #inner: Connection;

  constructor(inner: Connection) {
    this.#inner = inner;
  }

  get local(): Connection['local'] {
    return this.#inner.local;
  }

  get remote(): Connection['remote'] {
    return this.#inner.remote;
  }

  send(segment: Segment): boolean {
    const sizeBytes = segmentSizeBytes(segment);
    const object = segment instanceof Uint8Array ? new SealedBytes(segment) : segment.object;
    return this.#inner.send({ object, sizeBytes: sizeBytes + tlsOverheadBytes(sizeBytes) });
  }

  unsentBytes(): number {
    return this.#inner.unsentBytes();
  }

  drained(bytes: number): Task<void> {
    return this.#inner.drained(bytes);
  }

  *receive(): Task<Segment | undefined> {
    const segment = yield* this.#inner.receive();
    if (segment === undefined) return undefined;
    const alert = asAlert(segment);
    if (alert !== undefined) throw new TlsError(`remote error: tls: ${alert.description}`);
    return unsealed(segment);
  }

  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void {
    let over = false;
    this.#inner.consume(
      (segment) => {
        if (over) return;
        const alert = asAlert(segment);
        if (alert === undefined) onSegment(unsealed(segment));
        else {
          over = true;
          onEnd(new TlsError(`remote error: tls: ${alert.description}`));
        }
      },
      (error) => {
        if (!over) onEnd(error);
      },
    );
  }

  shutdownWrite(): void {
    this.#inner.shutdownWrite();
  }

  close(): void {
    this.#inner.close();
  }

  abort(): void {
    this.#inner.abort();
  }
}

/** Bytes inside a secured connection: a relay sees an opaque object of the right size. */
class SealedBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

function unsealed(segment: Segment): Segment {
  if (!(segment instanceof Uint8Array) && segment.object instanceof SealedBytes) return segment.object.bytes;
  return segment;
}
