import type { Clock, Timer } from '../../platform/clock.ts';
import { ContainerError, DiskError, NetError, TimeoutError } from '../../platform/errors.ts';
import {
  type CallContext,
  type Metadata,
  type Method,
  RpcError,
  type ServerStream,
  type StatusName,
  type StreamHandler,
} from '../../platform/rpc.ts';
import type { Task, TaskHandle } from '../../platform/task.ts';
import type { Caller, PendingAnswer, Serve } from '../service.ts';
import { DecodeError } from '../wire.ts';
import { Inbox, Outbox } from './flow.ts';
import { tooLargeReceived } from './limits.ts';
import { Payload } from './payload.ts';

/** What a call on the server needs of its connection. */
export interface ServerCallLink {
  readonly strictWire: boolean;
  readonly maxReceiveBytes: number;
  message(stream: number, payload: Payload): void;
  reply(stream: number, payload: Payload): void;
  status(stream: number, status: StatusName, message: string, metadata: Metadata): void;
  credit(stream: number, bytes: number): void;
  /** The connection may forget this call. */
  ended(stream: number): void;
}

/** A call in progress, as its connection and its server see it. */
export interface ServerCall {
  /** The caller went away or the connection broke. */
  abandon(): void;
  onMessage(payload: Payload): void;
  onHalfClose(): void;
  onCredit(bytes: number): void;
}

const NO_METADATA: Metadata = Object.freeze({});

/**
 * The status a handler's error travels as. RpcError is itself; typed errors of the ports become Unknown with their
 * text, as errors that are not statuses do in grpc-go. Undefined: not an answer but the end of the process, or a bug.
 */
export function statusOf(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error;
  const known =
    error instanceof NetError ||
    error instanceof DiskError ||
    error instanceof ContainerError ||
    error instanceof TimeoutError;
  return known ? new RpcError('Unknown', error.message) : undefined;
}

/** Reads a request; bytes that do not fit its description become Internal, as in grpc-go, too many ResourceExhausted. */
export function readRequest(method: Method<unknown, unknown>, payload: Payload, maxBytes: number): unknown {
  const tooLarge = tooLargeReceived(payload.sizeBytes, maxBytes);
  if (tooLarge !== undefined) throw tooLarge;
  try {
    return payload.readAs(method.request);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new RpcError('Internal', `grpc: error unmarshalling request: proto: ${error.message}`);
  }
}

/** A unary call whose handler runs as a task. */
export class UnaryServerCall implements ServerCall {
  #task: TaskHandle<void> | undefined;
  #timer: Timer | undefined;

  started(task: TaskHandle<void>, timer: Timer | undefined): void {
    this.#task = task;
    this.#timer = timer;
  }

  finished(): void {
    this.#timer?.cancel();
  }

  abandon(): void {
    this.#timer?.cancel();
    this.#task?.cancel();
  }

  onMessage(): void {}
  onHalfClose(): void {}
  onCredit(): void {}
}

/** A unary call whose handler waits without a task. */
export class ServedCall implements ServerCall, Caller<unknown> {
  readonly #method: Method<unknown, unknown>;
  readonly #link: ServerCallLink;
  readonly #stream: number;
  #pending: PendingAnswer | undefined;
  #timer: Timer | undefined;
  #settled = false;

  constructor(method: Method<unknown, unknown>, link: ServerCallLink, stream: number) {
    this.#method = method;
    this.#link = link;
    this.#stream = stream;
  }

  limit(clock: Clock, timeoutUs: number): void {
    this.#timer = clock.after(timeoutUs, () => {
      this.#link.ended(this.#stream);
      this.#link.status(this.#stream, 'DeadlineExceeded', 'context deadline exceeded', NO_METADATA);
      this.abandon();
    });
  }

  start(serve: Serve<unknown, unknown>, request: unknown, context: CallContext): void {
    try {
      this.#pending = serve(request, context, this);
    } catch (error) {
      this.refuse(error);
    }
  }

  answer(response: unknown): void {
    if (!this.#settle()) return;
    this.#link.reply(this.#stream, new Payload(this.#method.response, response, this.#link.strictWire));
  }

  refuse(error: unknown): void {
    if (!this.#settle()) return;
    const status = statusOf(error);
    if (status === undefined) throw error;
    this.#link.status(this.#stream, status.status, status.message, status.metadata);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#timer?.cancel();
    this.#link.ended(this.#stream);
    return true;
  }

  abandon(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#timer?.cancel();
    this.#pending?.withdraw();
  }

  onMessage(): void {}
  onHalfClose(): void {}
  onCredit(): void {}
}

/** A stream, and at the same time what its handler is given. */
export class StreamServerCall implements ServerCall, ServerStream<unknown, unknown> {
  readonly context: CallContext;
  readonly #method: Method<unknown, unknown>;
  readonly #link: ServerCallLink;
  readonly #stream: number;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  #task: TaskHandle<void> | undefined;
  #timer: Timer | undefined;
  #gone = false;
  #result: RpcError | 'OK' | undefined;

  constructor(method: Method<unknown, unknown>, context: CallContext, link: ServerCallLink, stream: number) {
    this.#method = method;
    this.context = context;
    this.#link = link;
    this.#stream = stream;
    this.#outbox = new Outbox(
      (payload) => link.message(stream, payload),
      () => this.#writeResult(),
    );
    this.#inbox = new Inbox((bytes) => link.credit(stream, bytes));
    this.#outbox.open();
  }

  started(task: TaskHandle<void>, timer: Timer | undefined): void {
    this.#task = task;
    this.#timer = timer;
  }

  *run(handler: StreamHandler<unknown, unknown>): Task<void> {
    try {
      yield* handler(this);
      this.finish('OK');
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined) throw error;
      this.finish(status);
    }
  }

  /** The handler has ended, or the deadline passed: trailers follow what is still to be written. */
  finish(result: RpcError | 'OK'): void {
    if (this.#gone || this.#result !== undefined) return;
    this.#result = result;
    if (this.#outbox.size === 0 || result !== 'OK') this.#writeResult();
  }

  expire(): void {
    this.finish(new RpcError('DeadlineExceeded', 'context deadline exceeded'));
    this.#task?.cancel();
  }

  #writeResult(): void {
    const result = this.#result;
    if (result === undefined || this.#gone) return;
    this.#gone = true;
    this.#timer?.cancel();
    if (result === 'OK') this.#link.status(this.#stream, 'OK', '', NO_METADATA);
    else this.#link.status(this.#stream, result.status, result.message, result.metadata);
    this.#close();
    this.#link.ended(this.#stream);
  }

  abandon(): void {
    this.#gone = true;
    this.#timer?.cancel();
    this.#close();
    this.#task?.cancel();
  }

  #close(): void {
    this.#inbox.end();
    this.#outbox.abandon();
  }

  onMessage(payload: Payload): void {
    this.#inbox.put(payload);
  }

  onHalfClose(): void {
    this.#inbox.end();
  }

  onCredit(bytes: number): void {
    this.#outbox.credit(bytes);
  }

  *receive(): Task<unknown> {
    const payload = yield* this.#inbox.take();
    if (payload !== undefined) return readRequest(this.#method, payload, this.#link.maxReceiveBytes);
    if (this.#gone) throw new RpcError('Canceled', 'context canceled');
    return undefined;
  }

  *each(take: (message: unknown) => void): Task<void> {
    yield* this.#inbox.each((payload) => take(readRequest(this.#method, payload, this.#link.maxReceiveBytes)));
    if (this.#gone) throw new RpcError('Canceled', 'context canceled');
  }

  send(message: unknown): boolean {
    if (this.#gone || this.#result !== undefined) return false;
    this.#outbox.push(new Payload(this.#method.response, message, this.#link.strictWire));
    return true;
  }

  drained(): Task<void> {
    return this.#outbox.drained(() => this.#gone);
  }
}
