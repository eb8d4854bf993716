import type { Socket } from 'node:net';
import { NetError } from '../../platform/errors.ts';
import { type Connection, type Endpoint, hostPort, type Segment } from '../../platform/net.ts';
import type { TlsClient, TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { Waiting } from '../../platform/waiting.ts';
import { TlsError } from '../../rpc/tls/handshake.ts';
import type { NativeTls, SecuredServer } from '../../rpc/tls/secure.ts';
import type { HostExecutor } from '../executor.ts';
import { netError } from './errors.ts';
import { segmentBytes } from './segments.ts';
import { secureClientSocket, secureServerSocket, tlsErrorText } from './tls.ts';

/** Bytes that may wait unread before the peer is held back. */
const READ_AHEAD_BYTES = 1_048_576;

/** A TCP (or TLS) socket as a Connection. */
export class HostConnection implements Connection, NativeTls {
  readonly local: Endpoint;
  readonly remote: Endpoint;
  readonly #socket: Socket;
  readonly #executor: HostExecutor;
  readonly #userTimeoutUs: number | undefined;
  /** Stops listening to the socket. */
  readonly #letGo: () => void;
  #inbox: Uint8Array[] = [];
  #inboxBytes = 0;
  #finished = false;
  #error: Error | undefined;
  #closed = false;
  readonly #readers = new Waiting();
  readonly #drainers = new Waiting();
  #onSegment: ((segment: Segment) => void) | undefined;
  #onEnd: ((error: Error | undefined) => void) | undefined;
  #stuck: NodeJS.Timeout | undefined;

  constructor(socket: Socket, local: Endpoint, remote: Endpoint, executor: HostExecutor, userTimeoutUs?: number) {
    this.#socket = socket;
    this.local = local;
    this.remote = remote;
    this.#executor = executor;
    this.#userTimeoutUs = userTimeoutUs;
    socket.setNoDelay(true);
    const onData = (chunk: Uint8Array) => executor.enter(() => this.#onData(chunk));
    const onEnd = () => executor.enter(() => this.#onFin());
    const onError = (error: Error) => executor.enter(() => this.#onError(socketError(error, this.#describe())));
    const onClose = () => executor.enter(() => this.#onClose());
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    this.#letGo = () => {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    };
  }

  send(segment: Segment): boolean {
    if (this.#closed || this.#error !== undefined || this.#socket.writableEnded || this.#socket.destroyed) return false;
    this.#socket.write(segmentBytes(segment), () => this.#executor.enter(() => this.#written()));
    if (this.#userTimeoutUs !== undefined && this.#stuck === undefined) this.#watchProgress(this.#userTimeoutUs);
    return true;
  }

  unsentBytes(): number {
    return this.#socket.writableLength;
  }

  *drained(bytes: number): Task<void> {
    for (;;) {
      if (this.#closed) throw this.#usedAfterClose();
      if (this.#error !== undefined) throw this.#error;
      if (this.#socket.writableLength <= bytes) return;
      yield* this.#drainers.woken();
    }
  }

  *receive(): Task<Segment | undefined> {
    for (;;) {
      if (this.#closed) throw this.#usedAfterClose();
      const next = this.#take();
      if (next !== undefined) return next;
      if (this.#error !== undefined) throw this.#error;
      if (this.#finished) return undefined;
      yield* this.#readers.woken();
    }
  }

  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void {
    this.#onSegment = onSegment;
    this.#onEnd = onEnd;
    for (let next = this.#take(); next !== undefined && !this.#closed; next = this.#take()) onSegment(next);
    if (this.#error !== undefined || this.#finished) this.#tellEnd(this.#error);
  }

  shutdownWrite(): void {
    this.#socket.end();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onEnd = undefined;
    this.#onSegment = undefined;
    this.#wakeAll();
    // What arrives from now on is read and dropped, so that the peer's FIN is noticed.
    this.#socket.resume();
    this.#socket.destroySoon();
  }

  abort(): void {
    this.#closed = true;
    this.#onEnd = undefined;
    this.#onSegment = undefined;
    this.#wakeAll();
    this.#socket.resetAndDestroy();
  }

  secureClient(tls: TlsClient, serverName: string): Task<Connection> {
    return secureClientSocket(this.#detach(), this.#executor, tls, serverName, (socket) => this.#over(socket));
  }

  secureServer(tls: TlsServer): Task<SecuredServer> {
    return secureServerSocket(this.#detach(), this.#executor, tls, (socket) => this.#over(socket));
  }

  #over(socket: Socket): HostConnection {
    return new HostConnection(socket, this.local, this.remote, this.#executor, this.#userTimeoutUs);
  }

  /** Hands the socket over; this connection is only a shell from now on. */
  #detach(): Socket {
    this.#letGo();
    this.#socket.pause();
    // What came in before anybody asked for TLS is the beginning of the handshake.
    for (const chunk of this.#inbox.splice(0).reverse()) this.#socket.unshift(chunk);
    this.#inboxBytes = 0;
    return this.#socket;
  }

  #describe(): string {
    return `net/${hostPort(this.local)}>${hostPort(this.remote)}`;
  }

  #usedAfterClose(): NetError {
    return new NetError('closed', `${this.#describe()}: use of closed network connection`);
  }

  #take(): Uint8Array | undefined {
    const next = this.#inbox.shift();
    if (next === undefined) return undefined;
    const before = this.#inboxBytes;
    this.#inboxBytes -= next.length;
    if (before > READ_AHEAD_BYTES && this.#inboxBytes <= READ_AHEAD_BYTES) this.#socket.resume();
    return next;
  }

  #onData(chunk: Uint8Array): void {
    if (this.#closed) return;
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
    if (this.#onSegment !== undefined) {
      this.#onSegment(bytes);
      return;
    }
    this.#inbox.push(bytes);
    this.#inboxBytes += bytes.length;
    if (this.#inboxBytes > READ_AHEAD_BYTES) this.#socket.pause();
    this.#readers.wake();
  }

  #onFin(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#readers.wake();
    this.#tellEnd(undefined);
  }

  #onError(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#wakeAll();
    this.#tellEnd(error);
  }

  #onClose(): void {
    clearTimeout(this.#stuck);
    if (!this.#finished && this.#error === undefined && !this.#closed) {
      this.#onError(new NetError('reset', `${this.#describe()}: connection reset by peer`));
    }
    this.#wakeAll();
  }

  #tellEnd(error: Error | undefined): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(error);
  }

  #written(): void {
    if (this.#socket.writableLength === 0) {
      clearTimeout(this.#stuck);
      this.#stuck = undefined;
    } else if (this.#userTimeoutUs !== undefined && this.#stuck !== undefined) {
      clearTimeout(this.#stuck);
      this.#watchProgress(this.#userTimeoutUs);
    }
    this.#drainers.wake();
  }

  /**
   * Stands in for TCP_USER_TIMEOUT, which Node cannot set: breaks the connection when the system takes nothing more off
   * our hands for that long. What the system's own buffer holds is not seen.
   */
  #watchProgress(limitUs: number): void {
    this.#stuck = setTimeout(() => {
      this.#executor.enter(() => {
        this.#onError(new NetError('timeout', `${this.#describe()}: connection timed out`));
        this.#socket.destroy();
      });
    }, limitUs / 1_000);
  }

  #wakeAll(): void {
    this.#readers.wake();
    this.#drainers.wake();
  }
}

/** A TLS alert is not an error of the network: it says itself what is wrong. */
function socketError(error: Error, connection: string): Error {
  const alert = (error as NodeJS.ErrnoException).code?.startsWith('ERR_SSL') === true;
  return alert ? new TlsError(tlsErrorText(error)) : netError(error, connection);
}
