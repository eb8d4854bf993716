import type { Connection, Endpoint, Segment } from './net.ts';
import type { Task } from './task.ts';

/** Encodes messages of one type. Messages are immutable and have one canonical shape (no `undefined`). */
export interface Codec<T> {
  readonly typeName: string;
  encode(message: T): Uint8Array;
  decode(bytes: Uint8Array): T;
  /** Size on the wire; equals `encode(message).length` without making the bytes. */
  sizeBytes(message: T): number;
}

export type MethodKind = 'unary' | 'server-stream' | 'client-stream' | 'bidi';

export interface Method<Req, Res> {
  /** Full gRPC path: `/etcdserverpb.KV/Range`. */
  readonly path: string;
  readonly kind: MethodKind;
  readonly request: Codec<Req>;
  readonly response: Codec<Res>;
}

export type StatusName =
  | 'OK'
  | 'Canceled'
  | 'Unknown'
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'NotFound'
  | 'AlreadyExists'
  | 'PermissionDenied'
  | 'ResourceExhausted'
  | 'FailedPrecondition'
  | 'Aborted'
  | 'OutOfRange'
  | 'Unimplemented'
  | 'Internal'
  | 'Unavailable'
  | 'DataLoss'
  | 'Unauthenticated';

/** gRPC status numbers in the protocol's order. */
export const STATUS_NAMES: readonly StatusName[] = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** A call ended with a status other than OK. `message` is the description as it travels, without a prefix. */
export class RpcError extends Error {
  readonly status: StatusName;
  readonly metadata: Metadata;
  constructor(status: StatusName, message: string, metadata: Metadata = {}) {
    super(message);
    this.name = 'RpcError';
    this.status = status;
    this.metadata = metadata;
  }

  /** As Go's status.Error prints itself: `rpc error: code = AlreadyExists desc = …`. */
  describe(): string {
    return `rpc error: code = ${this.status} desc = ${this.message}`;
  }
}

/** Lower-case keys. */
export type Metadata = Readonly<Record<string, string>>;

/** Who a TLS peer proved to be. */
export interface PeerIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** PEM material; in a simulation the PEM is rendered from records on demand and never parsed on the hot path. */
export interface TlsServer {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** CAs that client certificates must chain to; absent: no client certificate is asked for. */
  readonly clientCaPem?: string;
  /** `require` refuses peers without a valid certificate (default); `optional` lets them in without identity. */
  readonly clientAuth?: 'require' | 'optional';
}

export interface TlsClient {
  /** CAs the server must chain to; absent with `insecureSkipVerify`. */
  readonly serverCaPem?: string;
  readonly insecureSkipVerify?: boolean;
  /** Name or address that the certificate must carry; default: the dialled host. */
  readonly serverName?: string;
  readonly certificatePem?: string;
  readonly keyPem?: string;
}

export interface ChannelOptions {
  readonly tls?: TlsClient;
  /** HTTP/2 PING after this idle time; the channel breaks when `keepaliveTimeoutUs` passes without an answer. */
  readonly keepaliveTimeUs?: number;
  readonly keepaliveTimeoutUs?: number;
  /** First pause between connection attempts; ×1.6 with 20 % jitter up to 120 s (gRPC's defaults: 1 s). */
  readonly backoffBaseUs?: number;
  readonly backoffMaxUs?: number;
  /** Longest connection attempt (gRPC: 20 s). */
  readonly connectTimeoutUs?: number;
  /** Largest encoded message to send (gRPC: no limit) and to take (gRPC: 4 MiB); beyond: ResourceExhausted. */
  readonly maxSendBytes?: number;
  readonly maxReceiveBytes?: number;
}

export interface CallOptions {
  /** Relative deadline; the call ends with DeadlineExceeded. */
  readonly timeoutUs?: number;
  readonly metadata?: Metadata;
  /** Wait for a connection instead of failing with Unavailable while there is none (gRPC wait-for-ready). */
  readonly waitForReady?: boolean;
}

export type ChannelState = 'idle' | 'connecting' | 'ready' | 'transient-failure' | 'shutdown';

/** A gRPC channel over one or more addresses. */
export interface RpcChannel {
  unary<Req, Res>(method: Method<Req, Res>, request: Req, options?: CallOptions): Task<Res>;
  /** Opens a stream; never waits (failures surface from receive()). */
  stream<Req, Res>(method: Method<Req, Res>, options?: CallOptions): ClientStream<Req, Res>;
  state(): ChannelState;
  /** Replaces the addresses that the round-robin picker uses. */
  setEndpoints(endpoints: readonly Endpoint[]): void;
  close(): void;
}

export interface ClientStream<Req, Res> {
  /** False once the stream has ended. Never blocks; see {@link drained} for back-pressure. */
  send(message: Req): boolean;
  /** Waits for send credit. */
  drained(): Task<void>;
  /** Half-close: no more messages from this side. */
  closeSend(): void;
  /** Next message; undefined after the server ended with OK; throws RpcError otherwise. */
  receive(): Task<Res | undefined>;
  /**
   * Hands every message to `take` as it arrives, without a turn of the task for each; returns after the server ended with
   * OK. Throws what `take` throws, and RpcError as {@link receive} does.
   */
  each(take: (message: Res) => void): Task<void>;
  /** Ends the call with Canceled on both sides. */
  cancel(): void;
}

/** What a handler knows of its call. */
export interface CallContext {
  readonly peer: Endpoint;
  readonly local: Endpoint;
  /** Set when the peer showed a certificate that chains to `clientCaPem`. */
  readonly identity?: PeerIdentity;
  readonly metadata: Metadata;
  /** Monotonic time at which the caller stops waiting; absent without a deadline. */
  readonly deadlineUs?: number;
}

export interface ServerStream<Req, Res> {
  readonly context: CallContext;
  /** Next message; undefined after half-close; throws RpcError Canceled when the caller went away. */
  receive(): Task<Req | undefined>;
  /**
   * Hands every message to `take` as it arrives, without a turn of the task for each; returns after half-close. Throws
   * what `take` throws, and RpcError Canceled when the caller went away.
   */
  each(take: (message: Req) => void): Task<void>;
  /** False when the caller is gone. */
  send(message: Res): boolean;
  drained(): Task<void>;
}

/** A handler runs as a task of its own; it is cancelled when the caller goes away. */
export type UnaryHandler<Req, Res> = (request: Req, context: CallContext) => Task<Res>;
export type StreamHandler<Req, Res> = (stream: ServerStream<Req, Res>) => Task<void>;

/** Handlers of a server by method path; build with `serviceHandlers` in `src/rpc`. */
export interface HandlerEntry {
  readonly method: Method<unknown, unknown>;
  readonly unary?: UnaryHandler<unknown, unknown>;
  readonly stream?: StreamHandler<unknown, unknown>;
}

export interface ServeOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: TlsServer;
  /** Asked before each handshake for what to show now, as servers do that read their files anew; needs {@link tls}. */
  readonly reloadTls?: () => Task<TlsServer>;
  readonly handlers: readonly HandlerEntry[];
  /** Called for a path without a handler (apid's proxy); default: Unimplemented. */
  readonly unknownMethod?: StreamHandler<Uint8Array, Uint8Array>;
  /** Largest encoded request message (gRPC: 4 MiB); beyond: ResourceExhausted. */
  readonly maxReceiveBytes?: number;
  /** Takes connections that do not speak HTTP/2, as a port shared with HTTP/1.1 does; default: they are closed. */
  readonly otherwise?: ConnectionTaker;
  /** Listen, but take no connection before {@link RpcServer.open}: until then they wait as in a kernel's backlog. */
  readonly held?: boolean;
}

/** Gets a connection with what was already read of it. */
export type ConnectionTaker = (
  connection: Connection,
  first: Segment | undefined,
  identity: PeerIdentity | undefined,
) => void;

export interface RpcServer {
  readonly local: Endpoint;
  /** Begins to take connections when the server was started {@link ServeOptions.held}. */
  open(): void;
  /** Replaces the certificate for connections made from now on. */
  setTls(tls: TlsServer): void;
  /** Stops accepting and breaks what is open. */
  close(): void;
}

/** gRPC as a port: over simulated connections in a run, HTTP/2 on a host. */
export interface Rpc {
  channel(endpoints: readonly Endpoint[], options?: ChannelOptions): RpcChannel;
  /** Fails with NetError like `listen`. */
  serve(options: ServeOptions): Task<RpcServer>;
}
