import type { Timer } from '../../platform/clock.ts';
import { type Endpoint, hostPort } from '../../platform/net.ts';
import type { Task, TaskHandle, TaskScope } from '../../platform/task.ts';
import { channelConnected, channelFailed, channelLost } from '../events.ts';
import { connectionErrorText } from '../go-text.ts';
import type { GrpcDeps } from './deps.ts';
import { AttemptFailed, type ClientTransport, type Connect } from './transport.ts';

export interface BackoffOptions {
  readonly backoffBaseUs: number;
  readonly backoffMaxUs: number;
}

export type SubchannelState = 'idle' | 'connecting' | 'ready' | 'transient-failure';

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
  readonly #deps: GrpcDeps;
  readonly #scope: TaskScope;
  readonly #connect: Connect;
  readonly #options: BackoffOptions;
  readonly #onChange: (subchannel: Subchannel) => void;
  #failures = 0;
  #attempt: TaskHandle<void> | undefined;
  #pause: Timer | undefined;
  #closed = false;

  constructor(
    endpoint: Endpoint,
    deps: GrpcDeps,
    scope: TaskScope,
    connect: Connect,
    options: BackoffOptions,
    onChange: (subchannel: Subchannel) => void,
  ) {
    this.endpoint = endpoint;
    this.#deps = deps;
    this.#scope = scope;
    this.#connect = connect;
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
      const transport = yield* this.#connect(this.endpoint);
      this.#established(transport);
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      this.#failed(connectionErrorText(error.message));
    }
  }

  #established(transport: ClientTransport): void {
    this.#failures = 0;
    this.#attempt = undefined;
    this.transport = transport;
    this.state = 'ready';
    this.failed = false;
    this.#deps.log.event(channelConnected, { address: hostPort(this.endpoint) });
    transport.start((text) => this.#lost(text));
    if (this.transport !== undefined) this.#onChange(this);
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
