import type { Endpoint } from '../../platform/net.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import {
  type CallContext,
  type HandlerEntry,
  type Metadata,
  type Method,
  type PeerIdentity,
  RpcError,
  type ServeOptions,
  type StatusName,
  type StreamHandler,
} from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { rawMethod } from '../raw.ts';
import type { ImmediateHandler, Serve, ServingHandler } from '../service.ts';
import type { GrpcDeps } from './deps.ts';
import { DEFAULT_RECEIVE_BYTES } from './limits.ts';
import { Payload } from './payload.ts';
import {
  readRequest,
  ServedCall,
  type ServerCall,
  type ServerCallLink,
  StreamServerCall,
  statusOf,
  UnaryServerCall,
} from './server-call.ts';

/** What all connections of a server share. */
export interface ServerShared {
  readonly deps: GrpcDeps;
  readonly scope: TaskScope;
  readonly handlers: ReadonlyMap<string, HandlerEntry>;
  /** Names of the services that have at least one handler. */
  readonly services: ReadonlySet<string>;
  readonly unknownMethod: StreamHandler<Uint8Array, Uint8Array> | undefined;
  readonly maxReceiveBytes: number;
}

export function serverShared(deps: GrpcDeps, scope: TaskScope, options: ServeOptions): ServerShared {
  const handlers = new Map(options.handlers.map((entry) => [entry.method.path, entry] as const));
  const services = new Set([...handlers.keys()].map((path) => path.slice(1, path.lastIndexOf('/'))));
  const { unknownMethod, maxReceiveBytes = DEFAULT_RECEIVE_BYTES } = options;
  return { deps, scope, handlers, services, unknownMethod, maxReceiveBytes };
}

/** A call as it arrives: its headers, and its first message when that came along. */
export interface IncomingCall {
  readonly stream: number;
  readonly path: string;
  readonly metadata: Metadata;
  /** Remaining time of the caller; 0: no deadline. */
  readonly timeoutUs: number;
  readonly payload: Payload | null;
  /** True when the client has nothing more to say. */
  readonly end: boolean;
}

/** The two ends of an accepted connection. */
export interface Accepted {
  readonly peer: Endpoint;
  readonly local: Endpoint;
  readonly identity?: PeerIdentity;
}

/** How answers get onto one connection. */
export interface ServerWire {
  message(stream: number, payload: Payload): void;
  reply(stream: number, payload: Payload): void;
  status(stream: number, status: StatusName, message: string, metadata: Metadata): void;
  credit(stream: number, bytes: number): void;
}

const NO_METADATA: Metadata = Object.freeze({});

/** The calls of one accepted connection: starts their handlers and writes their answers. */
export class Dispatcher implements ServerCallLink {
  readonly strictWire: boolean;
  readonly #shared: ServerShared;
  readonly #accepted: Accepted;
  readonly #wire: ServerWire;
  readonly #calls = new RecentMap<ServerCall>();

  readonly maxReceiveBytes: number;

  constructor(shared: ServerShared, accepted: Accepted, wire: ServerWire) {
    this.maxReceiveBytes = shared.maxReceiveBytes;
    this.strictWire = shared.deps.strictWire;
    this.#shared = shared;
    this.#accepted = accepted;
    this.#wire = wire;
  }

  /** A call in progress; undefined when it has ended. */
  find(stream: number): ServerCall | undefined {
    return this.#calls.get(stream);
  }

  /** The caller lost interest in a call. */
  reset(stream: number): void {
    const call = this.#calls.get(stream);
    this.#calls.delete(stream);
    call?.abandon();
  }

  /** The connection is gone. */
  abandonAll(): void {
    const calls = this.#calls.values();
    this.#calls.clear();
    for (const call of calls) call.abandon();
  }

  start(call: IncomingCall): void {
    const entry = this.#shared.handlers.get(call.path);
    if (entry === undefined) this.#unknown(call);
    else if (entry.stream !== undefined) this.#startStream(call, entry.method, entry.stream);
    else if (call.payload !== null && call.end) this.#startUnary(call, entry, call.payload);
    else this.#startStream(call, entry.method, unaryAsStream(entry));
  }

  #unknown(call: IncomingCall): void {
    const { unknownMethod, services } = this.#shared;
    if (unknownMethod !== undefined) {
      const forwarded = { ...call, metadata: { ...call.metadata, ':path': call.path } };
      const method = rawMethod(call.path) as Method<unknown, unknown>;
      this.#startStream(forwarded, method, unknownMethod as StreamHandler<unknown, unknown>);
      return;
    }
    const cut = call.path.lastIndexOf('/');
    const service = call.path.slice(1, cut);
    const known = services.has(service);
    const text = known
      ? `unknown method ${call.path.slice(cut + 1)} for service ${service}`
      : `unknown service ${service}`;
    this.status(call.stream, 'Unimplemented', text, NO_METADATA);
  }

  #context(call: IncomingCall): CallContext {
    const { peer, local, identity } = this.#accepted;
    const { metadata, timeoutUs } = call;
    // Spelled out: a spread of the same properties is many times slower, and this runs for every call.
    if (timeoutUs === 0) {
      return identity === undefined ? { peer, local, metadata } : { peer, local, metadata, identity };
    }
    const deadlineUs = this.#shared.deps.clock.monotonicUs() + timeoutUs;
    return identity === undefined
      ? { peer, local, metadata, deadlineUs }
      : { peer, local, metadata, identity, deadlineUs };
  }

  #startUnary(call: IncomingCall, entry: HandlerEntry, payload: Payload): void {
    const { stream } = call;
    const { method } = entry;
    const handler = entry.unary!;
    try {
      const request = readRequest(method, payload, this.maxReceiveBytes);
      const context = this.#context(call);
      const { immediate, serve } = handler as Partial<
        ImmediateHandler<unknown, unknown> & ServingHandler<unknown, unknown>
      >;
      if (serve !== undefined) this.#serve(call, method, serve, request, context);
      else if (immediate === undefined) this.#runUnary(call, method, () => handler(request, context));
      else this.reply(stream, new Payload(method.response, immediate(request, context), this.strictWire));
    } catch (error) {
      this.#answerError(stream, error);
    }
  }

  #serve(
    { stream, timeoutUs }: IncomingCall,
    method: Method<unknown, unknown>,
    serve: Serve<unknown, unknown>,
    request: unknown,
    context: CallContext,
  ): void {
    const call = new ServedCall(method, this, stream);
    this.#calls.set(stream, call);
    if (timeoutUs > 0) call.limit(this.#shared.deps.clock, timeoutUs);
    call.start(serve, request, context);
  }

  ended(stream: number): void {
    this.#calls.delete(stream);
  }

  #runUnary(incoming: IncomingCall, method: Method<unknown, unknown>, handle: () => Task<unknown>): void {
    const { stream, timeoutUs } = incoming;
    const { clock } = this.#shared.deps;
    const call = new UnaryServerCall();
    this.#calls.set(stream, call);
    const expire = (): void => {
      if (!this.#calls.delete(stream)) return;
      this.status(stream, 'DeadlineExceeded', 'context deadline exceeded', NO_METADATA);
      call.abandon();
    };
    const timer = timeoutUs === 0 ? undefined : clock.after(timeoutUs, expire);
    const task = this.#shared.scope.spawn(methodName(method.path), () => this.#unaryTask(stream, method, call, handle));
    call.started(task, timer);
  }

  *#unaryTask(
    stream: number,
    method: Method<unknown, unknown>,
    call: UnaryServerCall,
    handle: () => Task<unknown>,
  ): Task<void> {
    try {
      const response = yield* handle();
      if (!this.#calls.delete(stream)) return;
      call.finished();
      this.reply(stream, new Payload(method.response, response, this.strictWire));
    } catch (error) {
      if (this.#calls.delete(stream)) call.finished();
      this.#answerError(stream, error);
    }
  }

  #answerError(stream: number, error: unknown): void {
    const status = statusOf(error);
    if (status === undefined) throw error;
    this.status(stream, status.status, status.message, status.metadata);
  }

  #startStream(
    incoming: IncomingCall,
    method: Method<unknown, unknown>,
    handler: StreamHandler<unknown, unknown>,
  ): void {
    const { stream, timeoutUs, payload, end } = incoming;
    const { clock } = this.#shared.deps;
    const context = this.#context(incoming);
    const call = new StreamServerCall(method, context, this, stream);
    this.#calls.set(stream, call);
    if (payload !== null) call.onMessage(payload);
    if (end) call.onHalfClose();
    const timer = timeoutUs === 0 ? undefined : clock.after(timeoutUs, () => call.expire());
    const task = this.#shared.scope.spawn(methodName(method.path), () => call.run(handler));
    call.started(task, timer);
  }

  message(stream: number, payload: Payload): void {
    this.#wire.message(stream, payload);
  }

  reply(stream: number, payload: Payload): void {
    this.#wire.reply(stream, payload);
  }

  status(stream: number, status: StatusName, message: string, metadata: Metadata): void {
    this.#wire.status(stream, status, message, metadata);
  }

  credit(stream: number, bytes: number): void {
    this.#wire.credit(stream, bytes);
  }
}

function methodName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A unary handler for a caller that opened a stream: a proxy, for instance. */
function unaryAsStream(entry: HandlerEntry): StreamHandler<unknown, unknown> {
  const handler = entry.unary;
  return function* (stream) {
    if (handler === undefined) throw new RpcError('Unimplemented', `no handler for ${entry.method.path}`);
    const request = yield* stream.receive();
    if (request === undefined) throw new RpcError('Internal', 'cardinality violation: received no request message');
    stream.send(yield* handler(request, stream.context));
  };
}
