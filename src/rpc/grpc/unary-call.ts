import type { Clock, Timer } from '../../platform/clock.ts';
import { type CallOptions, type Metadata, type Method, RpcError, type StatusName } from '../../platform/rpc.ts';
import type { Fail, Withdrawal } from '../../platform/task.ts';
import { DecodeError } from '../wire.ts';
import type { Startable } from './channel.ts';
import { tooLargeReceived } from './limits.ts';
import type { Payload } from './payload.ts';
import type { ClientTransport, StreamSink } from './transport.ts';

/** What a call needs of its channel. */
export interface UnaryChannel {
  /** The call waits for a connection no longer. */
  forget(call: Startable): void;
  /** Gives the call a connection, or lets it wait for one. */
  start(call: Startable): void;
  /** Why the channel has no connection; empty when it never failed. */
  lastError(): string;
  readonly maxReceiveBytes: number;
}

export const NO_METADATA: Metadata = Object.freeze({});
export const DEADLINE_TEXT = 'context deadline exceeded';

/** Text of a deadline that passed before the call had a connection. */
export function waitingDeadlineText(lastError: string): string {
  return lastError === ''
    ? `received context error while waiting for new LB policy update: ${DEADLINE_TEXT}`
    : `latest balancer error: ${lastError}`;
}

/** Reads a response; bytes that do not fit its description become Internal, as in grpc-go. */
export function readResponse(method: Method<unknown, unknown>, payload: Payload): unknown {
  try {
    return payload.readAs(method.response);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new RpcError('Internal', `grpc: failed to unmarshal the received message: proto: ${error.message}`);
  }
}

/** One request, one response, no task of its own. */
export class UnaryCall implements StreamSink, Startable {
  readonly waitForReady: boolean;
  readonly #method: Method<unknown, unknown>;
  readonly #payload: Payload;
  readonly #metadata: Metadata;
  readonly #channel: UnaryChannel;
  readonly #resume: (response: unknown) => void;
  readonly #fail: Fail;
  readonly #clock: Clock;
  /** 0: none. */
  #deadlineUs = 0;
  #timer: Timer | undefined;
  #transport: ClientTransport | undefined;
  #stream = 0;
  #settled = false;
  #response: Payload | undefined;

  constructor(
    method: Method<unknown, unknown>,
    payload: Payload,
    options: CallOptions,
    clock: Clock,
    channel: UnaryChannel,
    resume: (response: unknown) => void,
    fail: Fail,
  ) {
    this.#method = method;
    this.#payload = payload;
    this.#metadata = options.metadata ?? NO_METADATA;
    this.waitForReady = options.waitForReady ?? false;
    this.#channel = channel;
    this.#resume = resume;
    this.#fail = fail;
    this.#clock = clock;
    if (options.timeoutUs !== undefined) this.#limit(options.timeoutUs);
  }

  #limit(timeoutUs: number): void {
    const durationUs = Math.max(1, timeoutUs);
    this.#deadlineUs = this.#clock.monotonicUs() + durationUs;
    this.#timer = this.#clock.after(durationUs, () => this.#expire());
  }

  #expire(): void {
    const waiting = this.#transport === undefined;
    this.#transport?.reset(this.#stream);
    if (waiting) this.#channel.forget(this);
    this.refuse(
      new RpcError('DeadlineExceeded', waiting ? waitingDeadlineText(this.#channel.lastError()) : DEADLINE_TEXT),
    );
  }

  startOn(transport: ClientTransport): boolean {
    const timeoutUs = this.#deadlineUs === 0 ? 0 : Math.max(1, this.#deadlineUs - this.#clock.monotonicUs());
    this.#stream = transport.open(this, this.#method.path, this.#metadata, timeoutUs, this.#payload, true);
    if (this.#stream === 0) return false;
    this.#transport = transport;
    return true;
  }

  refuse(error: RpcError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#timer?.cancel();
    this.#fail(error);
  }

  /** The caller's task was cancelled (the server is told) or killed (nobody is). */
  withdraw(how: Withdrawal): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#timer?.cancel();
    this.#channel.forget(this);
    if (how === 'cancel') this.#transport?.reset(this.#stream);
    else this.#transport?.forget(this.#stream);
  }

  onReply(payload: Payload): void {
    if (this.#settled) return;
    const tooLarge = tooLargeReceived(payload.sizeBytes, this.#channel.maxReceiveBytes);
    if (tooLarge !== undefined) {
      this.refuse(tooLarge);
      return;
    }
    let response: unknown;
    try {
      response = readResponse(this.#method, payload);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.refuse(error);
      return;
    }
    this.#settled = true;
    this.#timer?.cancel();
    this.#resume(response);
  }

  onMessage(payload: Payload): void {
    this.#response = payload;
  }

  onStatus(status: StatusName, message: string, metadata: Metadata): void {
    if (status !== 'OK') this.refuse(new RpcError(status, message, metadata));
    else if (this.#response !== undefined) this.onReply(this.#response);
    else
      this.refuse(
        new RpcError('Internal', 'cardinality violation: received no response message from non-server-streaming RPC'),
      );
  }

  onCredit(): void {}

  onUnprocessed(): void {
    if (this.#settled) return;
    this.#transport = undefined;
    this.#channel.start(this);
  }
}
