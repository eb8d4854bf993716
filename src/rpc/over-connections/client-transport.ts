import type { Clock, Timer } from '../../platform/clock.ts';
import type { Connection, Segment, SizedObject } from '../../platform/net.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { Metadata, StatusName } from '../../platform/rpc.ts';
import { readErrorText } from '../go-text.ts';
import type { Payload } from '../grpc/payload.ts';
import type { ClientTransport, StreamSink } from '../grpc/transport.ts';
import { tlsOverheadBytes } from '../tls/handshake.ts';
import type { CallFrame, Frame } from './frames.ts';
import {
  CREDIT_BYTES,
  callSizeBytes,
  dataSizeBytes,
  FIRST_CALL_EXTRA_BYTES,
  HALF_CLOSE_BYTES,
  PING_BYTES,
  RESET_BYTES,
} from './frames.ts';

export interface TransportOptions {
  readonly secure: boolean;
  /** 0: no keepalive. */
  readonly keepaliveTimeUs: number;
  readonly keepaliveTimeoutUs: number;
}

const NO_METADATA: Metadata = Object.freeze({});

/** The client's end of one connection. */
export class ConnectionTransport implements ClientTransport {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #options: TransportOptions;
  #onClosed: ((text: string) => void) | undefined;
  readonly #streams = new RecentMap<StreamSink>();
  /** Paths that the header table knows. */
  readonly #knownPaths = new Set<string>();
  #nextStream = 1;
  #closed = false;
  #draining = false;
  #lastReceivedUs = 0;
  #keepalive: Timer | undefined;

  constructor(connection: Connection, clock: Clock, options: TransportOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#options = options;
  }

  start(onClosed: (text: string) => void): void {
    this.#onClosed = onClosed;
    this.#connection.consume(
      (segment) => this.#onSegment(segment),
      (error) => this.#onEnd(error),
    );
  }

  open(sink: StreamSink, path: string, metadata: Metadata, timeoutUs: number, payload: Payload | null, end: boolean) {
    if (this.#closed) return 0;
    const stream = this.#nextStream;
    const frame: CallFrame = { kind: 'call', stream, path, metadata, timeoutUs, payload, end };
    let sizeBytes = callSizeBytes(frame);
    if (!this.#knownPaths.has(path)) {
      sizeBytes += path.length + (this.#knownPaths.size === 0 ? FIRST_CALL_EXTRA_BYTES : 0);
      this.#knownPaths.add(path);
    }
    if (!this.#send(frame, sizeBytes)) return 0;
    this.#nextStream += 2;
    this.#streams.set(stream, sink);
    if (this.#options.keepaliveTimeUs > 0 && this.#keepalive === undefined) this.#armKeepalive();
    return stream;
  }

  message(stream: number, payload: Payload): void {
    this.#send({ kind: 'message', stream, payload }, dataSizeBytes(payload));
  }

  halfClose(stream: number): void {
    this.#send({ kind: 'half-close', stream }, HALF_CLOSE_BYTES);
  }

  credit(stream: number, bytes: number): void {
    if (this.#streams.get(stream) !== undefined) this.#send({ kind: 'credit', stream, bytes }, CREDIT_BYTES);
  }

  reset(stream: number): void {
    if (this.#streams.delete(stream)) this.#send({ kind: 'reset', stream }, RESET_BYTES);
    this.#closeWhenDrained();
  }

  forget(stream: number): void {
    this.#streams.delete(stream);
  }

  drain(): void {
    this.#draining = true;
    this.#closeWhenDrained();
  }

  close(text: string, status: StatusName = 'Unavailable'): void {
    if (this.#closed) return;
    this.#end(text, status);
    this.#connection.close();
  }

  #closeWhenDrained(): void {
    if (this.#draining && this.#streams.size === 0) this.close('the channel gave the connection up');
  }

  #send(frame: Frame, sizeBytes: number): boolean {
    if (this.#closed) return false;
    const size = this.#options.secure ? sizeBytes + tlsOverheadBytes(sizeBytes) : sizeBytes;
    return this.#connection.send({ object: frame, sizeBytes: size });
  }

  #onSegment(segment: Segment): void {
    if (this.#closed) return;
    if (this.#options.keepaliveTimeUs > 0) this.#lastReceivedUs = this.#clock.monotonicUs();
    const frame = (segment as SizedObject).object as Frame | undefined;
    switch (frame?.kind) {
      case 'reply': {
        const sink = this.#take(frame.stream);
        sink?.onReply(frame.payload);
        break;
      }
      case 'message':
        this.#streams.get(frame.stream)?.onMessage(frame.payload);
        break;
      case 'status': {
        const sink = this.#take(frame.stream);
        sink?.onStatus(frame.status, frame.message, frame.metadata);
        break;
      }
      case 'credit':
        this.#streams.get(frame.stream)?.onCredit(frame.bytes);
        break;
      case 'ping':
        if (!frame.ack) this.#send({ kind: 'ping', ack: true }, PING_BYTES);
        break;
      default:
        this.close('error reading from server: http2: frame too large');
    }
  }

  #take(stream: number): StreamSink | undefined {
    const sink = this.#streams.get(stream);
    if (sink !== undefined) this.#streams.delete(stream);
    if (this.#draining) this.#closeWhenDrained();
    return sink;
  }

  #onEnd(error: Error | undefined): void {
    const { local, remote } = this.#connection;
    this.close(`error reading from server: ${readErrorText(local, remote, error)}`);
  }

  #end(text: string, status: StatusName): void {
    this.#closed = true;
    this.#keepalive?.cancel();
    const sinks = this.#streams.values();
    this.#streams.clear();
    this.#onClosed?.(text);
    for (const sink of sinks) sink.onStatus(status, text, NO_METADATA);
  }

  /** While streams are open: a ping after every quiet period, and the end of the connection when none is answered. */
  #armKeepalive(): void {
    this.#lastReceivedUs = this.#clock.monotonicUs();
    this.#waitQuiet(this.#options.keepaliveTimeUs);
  }

  #waitQuiet(delayUs: number): void {
    this.#keepalive = this.#clock.after(delayUs, () => {
      this.#keepalive = undefined;
      if (this.#closed || this.#streams.size === 0) return;
      const quietUs = this.#clock.monotonicUs() - this.#lastReceivedUs;
      if (quietUs < this.#options.keepaliveTimeUs) this.#waitQuiet(this.#options.keepaliveTimeUs - quietUs);
      else this.#ping();
    });
  }

  #ping(): void {
    const sentUs = this.#clock.monotonicUs();
    this.#send({ kind: 'ping', ack: false }, PING_BYTES);
    this.#keepalive = this.#clock.after(this.#options.keepaliveTimeoutUs, () => {
      this.#keepalive = undefined;
      if (this.#closed) return;
      if (this.#lastReceivedUs >= sentUs) this.#waitQuiet(this.#options.keepaliveTimeUs);
      else this.close('keepalive ping failed to receive ACK within timeout');
    });
  }
}
