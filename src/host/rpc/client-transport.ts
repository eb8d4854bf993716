import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Clock, Timer } from '../../platform/clock.ts';
import { type Endpoint, hostPort } from '../../platform/net.ts';
import type { Metadata, StatusName } from '../../platform/rpc.ts';
import type { Payload } from '../../rpc/grpc/payload.ts';
import type { ClientTransport, ConnectOptions, StreamSink } from '../../rpc/grpc/transport.ts';
import type { HostExecutor } from '../executor.ts';
import { ClientCall } from './client-call.ts';
import { formatTimeout, headersOf } from './wire.ts';

const NO_METADATA: Metadata = Object.freeze({});

/** An HTTP/2 session as gRPC's client uses it. */
export class Http2Transport implements ClientTransport {
  readonly #session: ClientHttp2Session;
  readonly #endpoint: Endpoint;
  readonly #executor: HostExecutor;
  readonly #clock: Clock;
  readonly #options: Pick<ConnectOptions, 'keepaliveTimeUs' | 'keepaliveTimeoutUs' | 'maxReceiveBytes'>;
  readonly #calls = new Map<number, ClientCall>();
  #onClosed: ((text: string) => void) | undefined;
  #nextStream = 1;
  #closed = false;
  #draining = false;
  #keepalive: Timer | undefined;

  constructor(
    session: ClientHttp2Session,
    endpoint: Endpoint,
    executor: HostExecutor,
    clock: Clock,
    options: Pick<ConnectOptions, 'keepaliveTimeUs' | 'keepaliveTimeoutUs' | 'maxReceiveBytes'>,
  ) {
    this.#session = session;
    this.#endpoint = endpoint;
    this.#executor = executor;
    this.#clock = clock;
    this.#options = options;
  }

  start(onClosed: (text: string) => void): void {
    this.#onClosed = onClosed;
    if (this.#session.closed || this.#session.destroyed) {
      this.close('error reading from server: EOF');
      return;
    }
    const broken = (error: Error): void =>
      this.#executor.enter(() => this.close(`error reading from server: ${readText(error, this.#endpoint)}`));
    this.#session.on('error', broken);
    this.#session.socket.on('error', broken);
    this.#session.on('goaway', (_code, lastStream) => this.#executor.enter(() => this.#sentAway(lastStream)));
    this.#session.on('close', () => this.#executor.enter(() => this.close('error reading from server: EOF')));
  }

  open(
    sink: StreamSink,
    path: string,
    metadata: Metadata,
    timeoutUs: number,
    payload: Payload | null,
    end: boolean,
  ): number {
    if (this.#closed || this.#draining || this.#session.closed || this.#session.destroyed) return 0;
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const request: ClientHttp2Stream = this.#session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      [constants.HTTP2_HEADER_AUTHORITY]: hostPort(this.#endpoint),
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'talosim',
      'grpc-accept-encoding': 'identity,gzip',
      ...(timeoutUs === 0 ? {} : { 'grpc-timeout': formatTimeout(timeoutUs) }),
      ...headersOf(metadata),
    });
    const call = new ClientCall(request, sink, this.#executor, this.#options.maxReceiveBytes, () => {
      this.#calls.delete(stream);
      this.#closeWhenDrained();
    });
    this.#calls.set(stream, call);
    if (payload !== null) call.write(payload);
    if (end) call.halfClose();
    if (this.#options.keepaliveTimeUs > 0 && this.#keepalive === undefined) this.#waitQuiet();
    return stream;
  }

  message(stream: number, payload: Payload): void {
    this.#calls.get(stream)?.write(payload);
  }

  halfClose(stream: number): void {
    this.#calls.get(stream)?.halfClose();
  }

  credit(stream: number, bytes: number): void {
    this.#calls.get(stream)?.credit(bytes);
  }

  reset(stream: number): void {
    this.#calls.get(stream)?.reset();
    this.#calls.delete(stream);
    this.#closeWhenDrained();
  }

  forget(stream: number): void {
    this.reset(stream);
  }

  drain(): void {
    this.#draining = true;
    this.#closeWhenDrained();
  }

  close(text: string, status: StatusName = 'Unavailable'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#keepalive?.cancel();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#leave(text);
    for (const call of calls) call.end(status, text, NO_METADATA);
    this.#session.destroy();
  }

  /** The server wants no new calls here: the channel connects anew, open calls go on, those it never saw move. */
  #sentAway(lastStream: number): void {
    const text = 'the server sent GOAWAY';
    this.#draining = true;
    this.#leave(text);
    for (const [stream, call] of [...this.#calls]) if (stream > lastStream) call.unprocessed(text);
    this.#closeWhenDrained();
  }

  /** The channel has this connection no longer. */
  #leave(text: string): void {
    const onClosed = this.#onClosed;
    this.#onClosed = undefined;
    onClosed?.(text);
  }

  #closeWhenDrained(): void {
    if (this.#draining && this.#calls.size === 0) this.close('the channel gave the connection up');
  }

  /** Pings while calls are open; one that is not answered in time ends the connection. */
  #waitQuiet(): void {
    this.#keepalive = this.#clock.after(this.#options.keepaliveTimeUs, () => {
      this.#keepalive = undefined;
      if (this.#closed || this.#calls.size === 0) return;
      this.#ping();
    });
  }

  #ping(): void {
    const limit = this.#clock.after(this.#options.keepaliveTimeoutUs, () =>
      this.close('keepalive ping failed to receive ACK within timeout'),
    );
    this.#keepalive = limit;
    this.#session.ping((error) => {
      this.#executor.enter(() => {
        limit.cancel();
        if (error === null && !this.#closed) this.#waitQuiet();
      });
    });
  }
}

/** The error of a session as grpc-go would print the failed read. */
function readText(error: Error, endpoint: Endpoint): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ECONNRESET') return `read tcp ->${hostPort(endpoint)}: read: connection reset by peer`;
  if (code === 'ETIMEDOUT') return `read tcp ->${hostPort(endpoint)}: read: connection timed out`;
  return error.message;
}
