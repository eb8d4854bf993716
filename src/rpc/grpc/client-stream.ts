import type { Timer } from '../../platform/clock.ts';
import {
  type CallOptions,
  type ClientStream,
  type Metadata,
  type Method,
  RpcError,
  type StatusName,
} from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { Startable } from './channel.ts';
import type { GrpcDeps } from './deps.ts';
import { Inbox, Outbox } from './flow.ts';
import { tooLargeReceived, tooLargeToSend } from './limits.ts';
import { Payload } from './payload.ts';
import type { ClientTransport, StreamSink } from './transport.ts';
import { DEADLINE_TEXT, NO_METADATA, readResponse, type UnaryChannel, waitingDeadlineText } from './unary-call.ts';

/** What a stream needs of its channel. */
export interface StreamChannel extends UnaryChannel {
  readonly maxSendBytes: number;
}

interface End {
  readonly status: StatusName;
  readonly message: string;
  readonly metadata: Metadata;
}

/**
 * The client's end of a stream. Its headers leave with the first message, or when the caller half-closes or first
 * waits for something.
 */
export class MessageStream<Req, Res> implements ClientStream<Req, Res>, StreamSink, Startable {
  readonly waitForReady: boolean;
  readonly #method: Method<Req, Res>;
  readonly #metadata: Metadata;
  readonly #deps: GrpcDeps;
  readonly #channel: StreamChannel;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #timer: Timer | undefined;
  readonly #deadlineUs: number;
  #transport: ClientTransport | undefined;
  #stream = 0;
  #begun = false;
  #halfClosed = false;
  #halfCloseSent = false;
  #end: End | undefined;

  constructor(method: Method<Req, Res>, options: CallOptions, deps: GrpcDeps, channel: StreamChannel) {
    this.waitForReady = options.waitForReady ?? false;
    this.#method = method;
    this.#metadata = options.metadata ?? NO_METADATA;
    this.#deps = deps;
    this.#channel = channel;
    this.#outbox = new Outbox(
      (payload) => this.#transport?.message(this.#stream, payload),
      () => this.#sendHalfClose(),
    );
    this.#inbox = new Inbox((bytes) => this.#transport?.credit(this.#stream, bytes));
    const { timeoutUs } = options;
    this.#deadlineUs = timeoutUs === undefined ? 0 : deps.clock.monotonicUs() + Math.max(1, timeoutUs);
    this.#timer = timeoutUs === undefined ? undefined : deps.clock.after(Math.max(1, timeoutUs), () => this.#expire());
  }

  send(message: Req): boolean {
    if (this.#end !== undefined || this.#halfClosed) return false;
    const codec = this.#method.request as Method<unknown, unknown>['request'];
    const payload = new Payload(codec, message, this.#deps.strictWire);
    const tooLarge = tooLargeToSend(payload.sizeBytes, this.#channel.maxSendBytes);
    if (tooLarge !== undefined) {
      this.#abort(tooLarge);
      return false;
    }
    this.#outbox.push(payload);
    if (this.#method.kind === 'server-stream') this.#halfClosed = true;
    this.#begin();
    return true;
  }

  drained(): Task<void> {
    this.#begin();
    return this.#outbox.drained(() => this.#end !== undefined);
  }

  closeSend(): void {
    if (this.#halfClosed || this.#end !== undefined) return;
    this.#halfClosed = true;
    if (!this.#begun) this.#begin();
    else if (this.#transport !== undefined && this.#outbox.size === 0) this.#sendHalfClose();
  }

  *receive(): Task<Res | undefined> {
    this.#begin();
    const payload = yield* this.#inbox.take();
    if (payload !== undefined) return this.#read(payload);
    this.#expectOk();
    return undefined;
  }

  *each(take: (message: Res) => void): Task<void> {
    this.#begin();
    yield* this.#inbox.each((payload) => take(this.#read(payload)));
    this.#expectOk();
  }

  #read(payload: Payload): Res {
    return readResponse(this.#method as Method<unknown, unknown>, payload) as Res;
  }

  #expectOk(): void {
    const { status, message, metadata } = this.#end!;
    if (status !== 'OK') throw new RpcError(status, message, metadata);
  }

  cancel(): void {
    if (this.#end !== undefined) return;
    this.#transport?.reset(this.#stream);
    this.#inbox.drop();
    this.#finish({ status: 'Canceled', message: 'context canceled', metadata: NO_METADATA });
  }

  startOn(transport: ClientTransport): boolean {
    const single = this.#outbox.size <= 1;
    const end = this.#halfClosed && single;
    const now = this.#deps.clock.monotonicUs();
    const timeoutUs = this.#deadlineUs === 0 ? 0 : Math.max(1, this.#deadlineUs - now);
    const first = this.#outbox.takeFirst();
    this.#stream = transport.open(this, this.#method.path, this.#metadata, timeoutUs, first, end);
    if (this.#stream === 0) {
      if (first !== null) this.#outbox.putBack(first);
      return false;
    }
    this.#transport = transport;
    this.#halfCloseSent = end;
    this.#outbox.open();
    return true;
  }

  refuse(error: RpcError): void {
    this.#finish({ status: error.status, message: error.message, metadata: error.metadata });
  }

  onMessage(payload: Payload): void {
    const tooLarge = tooLargeReceived(payload.sizeBytes, this.#channel.maxReceiveBytes);
    if (tooLarge === undefined) this.#inbox.put(payload);
    else this.#abort(tooLarge);
  }

  onReply(payload: Payload): void {
    this.onMessage(payload);
    this.onStatus('OK', '', NO_METADATA);
  }

  onStatus(status: StatusName, message: string, metadata: Metadata): void {
    this.#finish({ status, message, metadata });
  }

  onCredit(bytes: number): void {
    this.#outbox.credit(bytes);
  }

  /** What was sent is gone: only the caller can say it again. */
  onUnprocessed(text: string): void {
    this.onStatus('Unavailable', text, NO_METADATA);
  }

  /** Ends the call from this side because of a message that is too large. */
  #abort(error: RpcError): void {
    this.#transport?.reset(this.#stream);
    this.refuse(error);
  }

  #begin(): void {
    if (this.#begun || this.#end !== undefined) return;
    this.#begun = true;
    this.#channel.start(this);
  }

  #sendHalfClose(): void {
    if (!this.#halfClosed || this.#halfCloseSent || this.#transport === undefined) return;
    this.#halfCloseSent = true;
    this.#transport.halfClose(this.#stream);
  }

  #expire(): void {
    if (this.#end !== undefined) return;
    const waiting = this.#transport === undefined;
    this.#transport?.reset(this.#stream);
    const message = waiting && this.#begun ? waitingDeadlineText(this.#channel.lastError()) : DEADLINE_TEXT;
    this.#finish({ status: 'DeadlineExceeded', message, metadata: NO_METADATA });
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#timer?.cancel();
    this.#channel.forget(this);
    this.#inbox.end();
    this.#outbox.abandon();
  }
}
