import type { Connection, Segment, SizedObject } from '../../platform/net.ts';
import {
  type CallContext,
  type HandlerEntry,
  type Metadata,
  type Method,
  type PeerIdentity,
  RpcError,
  type StatusName,
  type StreamHandler,
} from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import type { ImmediateHandler } from '../service.ts';
import { tlsOverheadBytes } from '../tls/handshake.ts';
import type { RpcDeps } from './deps.ts';
import {
  type CallFrame,
  CREDIT_BYTES,
  dataSizeBytes,
  FIRST_CALL_EXTRA_BYTES,
  type Frame,
  PING_BYTES,
  replySizeBytes,
  SETTINGS_BYTES,
  statusSizeBytes,
} from './frames.ts';
import { Payload, rawCodec } from './payload.ts';
import {
  NO_METADATA,
  readRequest,
  type ServerCall,
  type ServerCallLink,
  StreamServerCall,
  statusOf,
  UnaryServerCall,
} from './server-call.ts';

/** What all connections of a server share. */
export interface ServerShared {
  readonly deps: RpcDeps;
  readonly scope: TaskScope;
  readonly handlers: ReadonlyMap<string, HandlerEntry>;
  /** Names of the services that have at least one handler. */
  readonly services: ReadonlySet<string>;
  readonly unknownMethod: StreamHandler<Uint8Array, Uint8Array> | undefined;
}

/** One accepted HTTP/2 connection: dispatches frames to calls and writes their answers. */
export class ServerConnection implements ServerCallLink {
  readonly strictWire: boolean;
  readonly #connection: Connection;
  readonly #shared: ServerShared;
  readonly #identity: PeerIdentity | undefined;
  readonly #secure: boolean;
  readonly #onClosed: (connection: ServerConnection) => void;
  readonly #calls = new Map<number, ServerCall>();
  #answered = false;
  #closed = false;

  constructor(
    connection: Connection,
    shared: ServerShared,
    secure: boolean,
    identity: PeerIdentity | undefined,
    onClosed: (connection: ServerConnection) => void,
  ) {
    this.strictWire = shared.deps.strictWire;
    this.#connection = connection;
    this.#shared = shared;
    this.#secure = secure;
    this.#identity = identity;
    this.#onClosed = onClosed;
  }

  start(): void {
    this.#send({ kind: 'settings' }, SETTINGS_BYTES);
    this.#connection.consume(
      (segment) => this.#onSegment(segment),
      () => this.close(),
    );
  }

  /** Ends every call and closes the connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.abandon();
    this.#connection.close();
    this.#onClosed(this);
  }

  #onSegment(segment: Segment): void {
    if (this.#closed) return;
    const frame = (segment as SizedObject).object as Frame | undefined;
    switch (frame?.kind) {
      case 'call':
        this.#call(frame);
        break;
      case 'message':
        this.#calls.get(frame.stream)?.onMessage(frame.payload);
        break;
      case 'half-close':
        this.#calls.get(frame.stream)?.onHalfClose();
        break;
      case 'reset': {
        const call = this.#calls.get(frame.stream);
        this.#calls.delete(frame.stream);
        call?.abandon();
        break;
      }
      case 'credit':
        this.#calls.get(frame.stream)?.onCredit(frame.bytes);
        break;
      case 'ping':
        if (!frame.ack) this.#send({ kind: 'ping', ack: true }, PING_BYTES);
        break;
      case 'preface':
        break;
      default:
        this.close(); // not HTTP/2
    }
  }

  #call(frame: CallFrame): void {
    const entry = this.#shared.handlers.get(frame.path);
    if (entry === undefined) this.#unknown(frame);
    else if (entry.stream !== undefined) this.#startStream(frame, entry.method, entry.stream);
    else if (frame.payload !== null && frame.end) this.#startUnary(frame, entry, frame.payload);
    else this.#startStream(frame, entry.method, unaryAsStream(entry));
  }

  #unknown(frame: CallFrame): void {
    const { unknownMethod, services } = this.#shared;
    if (unknownMethod !== undefined) {
      const method: Method<Uint8Array, Uint8Array> = {
        path: frame.path,
        kind: 'bidi',
        request: rawCodec,
        response: rawCodec,
      };
      const forwarded = { ...frame, metadata: { ...frame.metadata, ':path': frame.path } };
      this.#startStream(
        forwarded,
        method as Method<unknown, unknown>,
        unknownMethod as StreamHandler<unknown, unknown>,
      );
      return;
    }
    const cut = frame.path.lastIndexOf('/');
    const service = frame.path.slice(1, cut);
    const method = frame.path.slice(cut + 1);
    const text = services.has(service)
      ? `unknown method ${method} for service ${service}`
      : `unknown service ${service}`;
    this.status(frame.stream, 'Unimplemented', text, NO_METADATA);
  }

  #context(frame: CallFrame): CallContext {
    const { remote, local } = this.#connection;
    const context: CallContext = { peer: remote, local, metadata: frame.metadata };
    if (this.#identity === undefined && frame.timeoutUs === 0) return context;
    return {
      ...context,
      ...(this.#identity === undefined ? {} : { identity: this.#identity }),
      ...(frame.timeoutUs === 0 ? {} : { deadlineUs: this.#shared.deps.clock.monotonicUs() + frame.timeoutUs }),
    };
  }

  #startUnary(frame: CallFrame, entry: HandlerEntry, payload: Payload): void {
    const { stream } = frame;
    const { method } = entry;
    const handler = entry.unary!;
    try {
      const request = readRequest(method, payload);
      const context = this.#context(frame);
      const { immediate } = handler as Partial<ImmediateHandler<unknown, unknown>>;
      if (immediate === undefined) this.#runUnary(frame, method, () => handler(request, context));
      else this.reply(stream, new Payload(method.response, immediate(request, context), this.strictWire));
    } catch (error) {
      this.#answerError(stream, error);
    }
  }

  #runUnary(frame: CallFrame, method: Method<unknown, unknown>, handle: () => Task<unknown>): void {
    const { stream, timeoutUs } = frame;
    const { clock } = this.#shared.deps;
    const call = new UnaryServerCall();
    this.#calls.set(stream, call);
    const timer =
      timeoutUs === 0
        ? undefined
        : clock.after(timeoutUs, () => {
            if (!this.#calls.delete(stream)) return;
            this.status(stream, 'DeadlineExceeded', 'context deadline exceeded', NO_METADATA);
            call.abandon();
          });
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

  #startStream(frame: CallFrame, method: Method<unknown, unknown>, handler: StreamHandler<unknown, unknown>): void {
    const { stream, timeoutUs } = frame;
    const { clock } = this.#shared.deps;
    const call = new StreamServerCall(method, this.#context(frame), this, stream, () => this.#calls.delete(stream));
    this.#calls.set(stream, call);
    if (frame.payload !== null) call.onMessage(frame.payload);
    if (frame.end) call.onHalfClose();
    const timer = timeoutUs === 0 ? undefined : clock.after(timeoutUs, () => call.expire());
    const task = this.#shared.scope.spawn(methodName(method.path), () => call.run(handler));
    call.started(task, timer);
  }

  message(stream: number, payload: Payload): void {
    this.#send({ kind: 'message', stream, payload }, dataSizeBytes(payload));
  }

  reply(stream: number, payload: Payload): void {
    this.#send({ kind: 'reply', stream, payload }, replySizeBytes(payload));
  }

  status(stream: number, status: StatusName, message: string, metadata: Metadata): void {
    const frame = { kind: 'status', stream, status, message, metadata } as const;
    this.#send(frame, statusSizeBytes(frame));
  }

  credit(stream: number, bytes: number): void {
    this.#send({ kind: 'credit', stream, bytes }, CREDIT_BYTES);
  }

  #send(frame: Frame, sizeBytes: number): void {
    if (this.#closed) return;
    let size = sizeBytes;
    if (!this.#answered && frame.kind !== 'settings') {
      this.#answered = true;
      size += FIRST_CALL_EXTRA_BYTES;
    }
    if (this.#secure) size += tlsOverheadBytes(size);
    this.#connection.send({ object: frame, sizeBytes: size });
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
