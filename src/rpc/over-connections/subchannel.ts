import type { Timer } from '../../platform/clock.ts';
import { timeout } from '../../platform/combinators.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import type { Connection, DialOptions, Endpoint, Segment } from '../../platform/net.ts';
import type { Task, TaskHandle, TaskScope } from '../../platform/task.ts';
import { channelConnected, channelFailed, channelLost } from '../events.ts';
import { connectionErrorText, dialErrorText, hostPort, readErrorText } from '../go-text.ts';
import { asAlert, clientHandshake, TlsError } from '../tls/handshake.ts';
import type { ClientMaterial } from '../tls/material.ts';
import { ClientTransport } from './client-transport.ts';
import type { RpcDeps } from './deps.ts';
import { type Frame, PREFACE_BYTES } from './frames.ts';

export interface ConnectOptions {
  readonly tls: ClientMaterial | null;
  readonly keepaliveTimeUs: number;
  readonly keepaliveTimeoutUs: number;
  readonly backoffBaseUs: number;
  readonly backoffMaxUs: number;
  readonly connectTimeoutUs: number;
}

export type SubchannelState = 'idle' | 'connecting' | 'ready' | 'transient-failure';

/** Why an attempt failed, as the description inside grpc-go's connection error. */
class AttemptFailed extends Error {}

/**
 * One address of a channel: at most one connection, attempts with growing pauses
 * (corrections.md 1a-36: attempts at 0, 1, 2.6, 5.2, 9.3, 15.8 … s, from the second pause on ±20 %).
 */
export class Subchannel {
  readonly endpoint: Endpoint;
  state: SubchannelState = 'idle';
  /** True from a failed attempt until the next connection. */
  failed = false;
  /** Of the last failed attempt: `connection error: desc = "…"`. */
  lastError = '';
  transport: ClientTransport | undefined;
  readonly #deps: RpcDeps;
  readonly #scope: TaskScope;
  readonly #options: ConnectOptions;
  readonly #onChange: (subchannel: Subchannel) => void;
  #failures = 0;
  #attempt: TaskHandle<void> | undefined;
  #pause: Timer | undefined;
  #closed = false;

  constructor(
    endpoint: Endpoint,
    deps: RpcDeps,
    scope: TaskScope,
    options: ConnectOptions,
    onChange: (subchannel: Subchannel) => void,
  ) {
    this.endpoint = endpoint;
    this.#deps = deps;
    this.#scope = scope;
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Starts an attempt unless there is a connection, an attempt or a pause. */
  connect(): void {
    if (this.state !== 'idle' || this.#closed) return;
    this.state = 'connecting';
    this.#attempt = this.#scope.spawn(`connect ${hostPort(this.endpoint)}`, () => this.#connecting());
    this.#onChange(this);
  }

  /** No more attempts; an open connection lives until its streams have ended, or ends now: its calls with Canceled and `text`. */
  close(text?: string): void {
    this.#closed = true;
    this.#attempt?.cancel();
    this.#pause?.cancel();
    if (text === undefined) this.transport?.drain();
    else this.transport?.close(text, 'Canceled');
  }

  *#connecting(): Task<void> {
    try {
      const connection = yield* this.#open();
      this.#established(connection);
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      this.#failed(connectionErrorText(error.message));
    }
  }

  *#open(): Task<Connection> {
    const { clock } = this.#deps;
    const deadlineUs = clock.monotonicUs() + this.#options.connectTimeoutUs;
    const connection = yield* this.#dial();
    let ready = false;
    try {
      const leftUs = Math.max(0, deadlineUs - clock.monotonicUs());
      yield* timeout(clock, leftUs, this.#introduce(connection), 'connecting');
      ready = true;
      return connection;
    } catch (error) {
      if (error instanceof TimeoutError) throw new AttemptFailed('failed to receive server preface within timeout');
      throw error;
    } finally {
      if (!ready) connection.close();
    }
  }

  *#dial(): Task<Connection> {
    const options: DialOptions = {
      timeoutUs: this.#options.connectTimeoutUs,
      ...(this.#options.keepaliveTimeUs > 0 ? { userTimeoutUs: this.#options.keepaliveTimeoutUs } : {}),
    };
    try {
      return yield* this.#deps.net.dial(this.endpoint, options);
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      throw new AttemptFailed(`transport: Error while dialing: ${dialErrorText(this.endpoint, error, true)}`);
    }
  }

  /** TLS, then HTTP/2: the connection is ready once the server's settings are there. */
  *#introduce(connection: Connection): Task<void> {
    if (this.#options.tls !== null) yield* this.#secure(connection, this.#options.tls);
    connection.send({ object: { kind: 'preface' } satisfies Frame, sizeBytes: PREFACE_BYTES });
    const problem = yield* this.#settingsProblem(connection);
    if (problem !== undefined) throw new AttemptFailed(`error reading server preface: ${problem}`);
  }

  *#secure(connection: Connection, material: ClientMaterial): Task<void> {
    try {
      yield* clientHandshake(connection, material, this.endpoint.address, this.#deps);
    } catch (error) {
      const { local, remote } = connection;
      if (error instanceof TlsError)
        throw new AttemptFailed(`transport: authentication handshake failed: ${error.message}`);
      if (!(error instanceof NetError)) throw error;
      throw new AttemptFailed(`transport: authentication handshake failed: ${readErrorText(local, remote, error)}`);
    }
  }

  *#settingsProblem(connection: Connection): Task<string | undefined> {
    const { local, remote } = connection;
    let received: Segment | undefined;
    try {
      received = yield* connection.receive();
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      return readErrorText(local, remote, error);
    }
    if (received === undefined) return readErrorText(local, remote, undefined);
    const alert = asAlert(received);
    if (alert !== undefined) return `remote error: tls: ${alert.description}`;
    const settings = !(received instanceof Uint8Array) && (received.object as Frame | null)?.kind === 'settings';
    return settings ? undefined : 'http2: frame too large';
  }

  #established(connection: Connection): void {
    this.#failures = 0;
    this.#attempt = undefined;
    this.transport = new ClientTransport(
      connection,
      this.#deps.clock,
      { ...this.#options, secure: this.#options.tls !== null },
      (text) => this.#lost(text),
    );
    this.state = 'ready';
    this.failed = false;
    this.#deps.log.event(channelConnected, { address: hostPort(this.endpoint) });
    this.#onChange(this);
    this.transport?.start();
  }

  #lost(text: string): void {
    this.transport = undefined;
    this.state = 'idle';
    if (this.#closed) return;
    this.#deps.log.event(channelLost, { address: hostPort(this.endpoint), error: text });
    this.#onChange(this);
  }

  #failed(text: string): void {
    this.lastError = text;
    this.#attempt = undefined;
    this.state = 'transient-failure';
    this.failed = true;
    this.#deps.log.event(channelFailed, { address: hostPort(this.endpoint), error: text });
    const pauseUs = this.#backoffUs();
    this.#failures++;
    this.#pause = this.#deps.clock.after(pauseUs, () => {
      this.#pause = undefined;
      this.state = 'idle';
      this.#onChange(this);
    });
    this.#onChange(this);
  }

  #backoffUs(): number {
    const { backoffBaseUs, backoffMaxUs } = this.#options;
    if (this.#failures === 0) return backoffBaseUs;
    let pauseUs = backoffBaseUs;
    for (let i = 0; i < this.#failures && pauseUs < backoffMaxUs; i++) pauseUs = Math.round(pauseUs * 1.6);
    pauseUs = Math.min(pauseUs, backoffMaxUs);
    const spreadUs = Math.floor(pauseUs / 5);
    return pauseUs - spreadUs + this.#deps.random.int(0, 2 * spreadUs);
  }
}
