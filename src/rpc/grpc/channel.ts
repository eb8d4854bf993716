import { Bug } from '../../platform/errors.ts';
import { type Endpoint, hostPort } from '../../platform/net.ts';
import type { Random } from '../../platform/random.ts';
import {
  type CallOptions,
  type ChannelState,
  type ClientStream,
  type Method,
  type RpcChannel,
  RpcError,
} from '../../platform/rpc.ts';
import { type Task, type TaskScope, wait } from '../../platform/task.ts';
import { MessageStream, type StreamChannel } from './client-stream.ts';
import type { GrpcDeps } from './deps.ts';
import { tooLargeToSend } from './limits.ts';
import { Payload } from './payload.ts';
import { type BackoffOptions, Subchannel } from './subchannel.ts';
import type { ClientTransport, Connect, ConnectOptions } from './transport.ts';
import { UnaryCall } from './unary-call.ts';

/** A call that waits for, or is given, a connection. */
export interface Startable {
  readonly waitForReady: boolean;
  /** False when the connection turned out to be broken: the call is given another one. */
  startOn(transport: ClientTransport): boolean;
  refuse(error: RpcError): void;
}

type ChannelLimits = BackoffOptions & Pick<ConnectOptions, 'maxSendBytes' | 'maxReceiveBytes'>;

/** Name of a channel's scope and of its draws. */
export function channelName(endpoints: readonly Endpoint[]): string {
  return `channel ${endpoints.map(hostPort).join(',')}`;
}

/**
 * A channel as grpc-go's: one address is kept as pick_first does (idle after a loss until somebody calls), several as
 * round_robin does (reconnected at once, ready ones in strict rotation from a random start).
 */
export class Channel implements RpcChannel {
  readonly #deps: GrpcDeps;
  readonly #scope: TaskScope;
  readonly #connect: Connect;
  readonly #options: ChannelLimits;
  readonly #random: Random;
  /** What its calls may ask of it. */
  readonly #access: StreamChannel;
  #subchannels: Subchannel[] = [];
  #ready: Subchannel[] = [];
  #next = 0;
  /** True while every address has failed since it was last ready: then calls that do not wait are refused. */
  #failing = false;
  #lastError = '';
  readonly #waiting = new Set<Startable>();
  #awake = false;
  #closed = false;

  /** `deps.random` is the channel's own; see {@link channelName}. */
  constructor(deps: GrpcDeps, endpoints: readonly Endpoint[], connect: Connect, options: ChannelLimits) {
    this.#scope = deps.scope.child(channelName(endpoints));
    this.#random = deps.random.stream('picker');
    this.#deps = deps;
    this.#connect = connect;
    this.#options = options;
    this.#access = {
      start: (call) => this.start(call),
      forget: (call) => this.#waiting.delete(call),
      lastError: () => this.#lastError,
      maxSendBytes: options.maxSendBytes,
      maxReceiveBytes: options.maxReceiveBytes,
    };
    this.setEndpoints(endpoints);
  }

  unary<Req, Res>(method: Method<Req, Res>, request: Req, options: CallOptions = {}): Task<Res> {
    return wait<Res>((resume, fail) => {
      const payload = new Payload(
        method.request as Method<unknown, unknown>['request'],
        request,
        this.#deps.strictWire,
      );
      const tooLarge = tooLargeToSend(payload.sizeBytes, this.#options.maxSendBytes);
      if (tooLarge !== undefined) {
        fail(tooLarge);
        return () => {};
      }
      const call = new UnaryCall(
        method as Method<unknown, unknown>,
        payload,
        options,
        this.#deps.clock,
        this.#access,
        resume as (value: unknown) => void,
        fail,
      );
      this.start(call);
      return (how) => call.withdraw(how);
    });
  }

  stream<Req, Res>(method: Method<Req, Res>, options: CallOptions = {}): ClientStream<Req, Res> {
    return new MessageStream(method, options, this.#deps, this.#access);
  }

  state(): ChannelState {
    if (this.#closed) return 'shutdown';
    if (this.#ready.length > 0) return 'ready';
    if (this.#failing) return 'transient-failure';
    return this.#subchannels.some((subchannel) => subchannel.state === 'connecting') ? 'connecting' : 'idle';
  }

  setEndpoints(endpoints: readonly Endpoint[]): void {
    if (this.#closed) return;
    const before = new Map(this.#subchannels.map((subchannel) => [hostPort(subchannel.endpoint), subchannel]));
    const after = new Map<string, Subchannel>();
    for (const endpoint of endpoints) {
      const key = hostPort(endpoint);
      if (!after.has(key)) after.set(key, before.get(key) ?? this.#subchannel(endpoint));
    }
    this.#subchannels = [...after.values()];
    for (const [key, subchannel] of before) if (!after.has(key)) subchannel.close();
    if (this.#awake) this.#connectAll();
    this.#update();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const text = 'grpc: the client connection is closing';
    for (const subchannel of this.#subchannels) subchannel.close(text);
    for (const call of [...this.#waiting]) call.refuse(new RpcError('Canceled', text));
    this.#waiting.clear();
    this.#scope.cancel();
  }

  /** Gives the call a connection, lets it wait for one, or refuses it, as grpc-go's picker does. */
  start(call: Startable): void {
    if (this.#closed) {
      call.refuse(new RpcError('Canceled', 'grpc: the client connection is closing'));
      return;
    }
    for (let tries = this.#ready.length; tries > 0; tries--) {
      if (call.startOn(this.#pick())) return;
    }
    this.#awake = true;
    this.#connectAll();
    if (this.#failing && !call.waitForReady) call.refuse(new RpcError('Unavailable', this.#lastError));
    else this.#waiting.add(call);
  }

  #pick(): ClientTransport {
    if (this.#next >= this.#ready.length) this.#next = 0;
    const { transport } = this.#ready[this.#next++]!;
    if (transport === undefined) throw new Bug('a ready subchannel without a transport');
    return transport;
  }

  #subchannel(endpoint: Endpoint): Subchannel {
    return new Subchannel(endpoint, this.#deps, this.#scope, this.#connect, this.#options, (subchannel) =>
      this.#changed(subchannel),
    );
  }

  #connectAll(): void {
    for (const subchannel of this.#subchannels) subchannel.connect();
  }

  #changed(subchannel: Subchannel): void {
    if (this.#closed || !this.#subchannels.includes(subchannel)) return;
    if (subchannel.state === 'transient-failure') this.#lastError = subchannel.lastError;
    this.#update();
    if (subchannel.state === 'idle' && this.#reconnects()) subchannel.connect();
  }

  #reconnects(): boolean {
    return this.#subchannels.length > 1 || this.#failing || this.#waiting.size > 0;
  }

  #update(): void {
    const ready = this.#subchannels.filter((subchannel) => subchannel.state === 'ready');
    const changed = ready.length !== this.#ready.length || ready.some((item, i) => item !== this.#ready[i]);
    this.#ready = ready;
    if (changed) this.#next = ready.length > 1 ? this.#random.int(0, ready.length - 1) : 0;
    this.#failing = this.#subchannels.every((subchannel) => subchannel.failed);
    if (this.#subchannels.length === 0) this.#lastError = 'name resolver error: produced zero addresses';
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    if (this.#waiting.size === 0) return;
    if (this.#ready.length === 0 && !this.#failing) return;
    for (const call of [...this.#waiting]) {
      if (this.#ready.length === 0 && call.waitForReady) continue;
      if (!this.#waiting.delete(call)) continue;
      this.start(call);
    }
  }
}
