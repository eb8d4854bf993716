import type { Clock, Timer } from '../../src/platform/clock.ts';
import type { CryptoPort } from '../../src/platform/crypto.ts';
import { NetError } from '../../src/platform/errors.ts';
import type { Log } from '../../src/platform/log.ts';
import type {
  Connection,
  DialOptions,
  Endpoint,
  Listener,
  ListenOptions,
  Net,
  Segment,
} from '../../src/platform/net.ts';
import { segmentSizeBytes } from '../../src/platform/net.ts';
import type { Random } from '../../src/platform/random.ts';
import { Scope } from '../../src/platform/scope.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { QueueExecutor } from '../platform/queue-executor.ts';

interface Event {
  readonly atUs: number;
  readonly order: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/**
 * The smallest world in which RPC can be tested: one clock, processes at addresses, connections that deliver in order
 * after a fixed latency, addresses that refuse or swallow. The whole network is tested in test/net.
 */
export class TinyWorld {
  readonly executor = new QueueExecutor();
  readonly root = new Scope(this.executor, 'root');
  readonly events: { kind: string; fields: unknown }[] = [];
  readonly latencyUs = 100;
  nowUs = 0;
  /** Offset of the wall clock. */
  wallUs = 1_700_000_000_000_000;
  readonly listeners = new Map<string, TinyListener>();
  /** Addresses that answer nothing. */
  readonly silent = new Set<string>();
  readonly connections: TinyConnection[] = [];
  /** Every segment that was delivered. */
  segments = 0;
  segmentBytes = 0;
  dials: { readonly atUs: number; readonly to: Endpoint }[] = [];
  #queue: Event[] = [];
  #order = 0;

  readonly clock: Clock = {
    nowUs: () => this.wallUs + this.nowUs,
    monotonicUs: () => this.nowUs,
    after: (delayUs, callback) => this.after(delayUs, callback),
    sleep: (durationUs) =>
      wait<void>((resume) => {
        const timer = this.after(durationUs, () => resume());
        return () => timer.cancel();
      }),
  };

  readonly log: Log = {
    event: (kind, fields) => {
      this.events.push({ kind: kind.name, fields });
    },
    child: () => this.log,
  };

  after(delayUs: number, callback: () => void): Timer {
    const event: Event = { atUs: this.nowUs + delayUs, order: this.#order++, callback, cancelled: false };
    let at = this.#queue.length;
    while (at > 0 && this.#queue[at - 1]!.atUs > event.atUs) at--;
    this.#queue.splice(at, 0, event);
    return {
      cancel: () => {
        event.cancelled = true;
      },
    };
  }

  /** Runs until nothing is left to happen, or until a time. */
  advance(untilUs = Number.MAX_SAFE_INTEGER): void {
    this.executor.drain();
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || next.atUs > untilUs) break;
      this.#queue.shift();
      if (next.cancelled) continue;
      this.nowUs = next.atUs;
      next.callback();
      this.executor.drain();
    }
    if (untilUs < Number.MAX_SAFE_INTEGER) this.nowUs = untilUs;
    if (this.executor.escapes.length > 0) throw this.executor.escapes[0]!.error;
  }

  advanceBy(durationUs: number): void {
    this.advance(this.nowUs + durationUs);
  }

  /** Runs one task until it ends and gives its value or throws its error. */
  run<T>(body: () => Task<T>, limitUs = 600_000_000): T {
    let outcome: { value: T } | { error: unknown } | undefined;
    this.root.spawn('test', function* () {
      try {
        outcome = { value: yield* body() };
      } catch (error) {
        outcome = { error };
      }
    });
    const endUs = this.nowUs + limitUs;
    this.executor.drain();
    while (outcome === undefined) {
      const next = this.#queue[0];
      if (next === undefined || next.atUs > endUs) throw new Error(`the task did not end by ${this.nowUs} us`);
      this.advance(next.atUs);
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** The network as the process at `address` sees it. */
  net(address: string): Net {
    return {
      dial: (to, options) => this.#dial(address, to, options),
      lookup: () => {
        throw new Error('no names here');
      },
      listen: (options) => this.#listen(address, options),
      bindDatagram: () => {
        throw new Error('no datagrams here');
      },
      links: () => [],
    };
  }

  *#dial(address: string, to: Endpoint, options: DialOptions = {}): Task<Connection> {
    this.dials.push({ atUs: this.nowUs, to });
    if (this.silent.has(to.address)) {
      yield* this.clock.sleep(options.timeoutUs ?? 127_000_000);
      throw new NetError('timeout', 'no answer');
    }
    yield* this.clock.sleep(this.latencyUs);
    const listener = this.listeners.get(`${to.address}:${to.port}`);
    if (listener === undefined) {
      yield* this.clock.sleep(this.latencyUs);
      throw new NetError('refused', 'nobody listens');
    }
    const near = new TinyConnection(this, { address, port: 33_000 + this.connections.length }, to);
    const far = new TinyConnection(this, to, near.local);
    near.peer = far;
    far.peer = near;
    this.connections.push(near);
    listener.offer(far);
    yield* this.clock.sleep(this.latencyUs);
    return near;
  }

  *#listen(address: string, options: ListenOptions): Task<Listener> {
    const key = `${address}:${options.port}`;
    if (this.listeners.has(key)) throw new NetError('address-in-use', key);
    const listener = new TinyListener({ address, port: options.port }, () => this.listeners.delete(key));
    this.listeners.set(key, listener);
    return listener;
  }
}

class TinyListener implements Listener {
  readonly local: Endpoint;
  readonly #onClose: () => void;
  #queue: Connection[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(local: Endpoint, onClose: () => void) {
    this.local = local;
    this.#onClose = onClose;
  }

  offer(connection: Connection): void {
    this.#queue.push(connection);
    for (const resume of this.#waiting.splice(0)) resume();
  }

  *accept(): Task<Connection> {
    while (this.#queue.length === 0) {
      if (this.#closed) throw new NetError('closed', 'listener closed');
      yield* wait<void>((resume) => {
        this.#waiting.push(resume);
        return () => {};
      });
    }
    return this.#queue.shift()!;
  }

  close(): void {
    this.#closed = true;
    this.#onClose();
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

export class TinyConnection implements Connection {
  readonly local: Endpoint;
  readonly remote: Endpoint;
  peer: TinyConnection | undefined;
  readonly #world: TinyWorld;
  #inbox: (Segment | 'fin')[] = [];
  #error: Error | undefined;
  #waiting: (() => void)[] = [];
  #onSegment: ((segment: Segment) => void) | undefined;
  #onEnd: ((error: Error | undefined) => void) | undefined;
  #sentFin = false;
  /** True after a power cut of either side: nothing arrives any more. */
  cut = false;

  constructor(world: TinyWorld, local: Endpoint, remote: Endpoint) {
    this.#world = world;
    this.local = local;
    this.remote = remote;
  }

  send(segment: Segment): boolean {
    if (this.#error !== undefined || this.#sentFin) return false;
    this.#world.segmentBytes += segmentSizeBytes(segment);
    this.#deliver(segment);
    return true;
  }

  unsentBytes(): number {
    return 0;
  }

  *drained(): Task<void> {}

  *receive(): Task<Segment | undefined> {
    for (;;) {
      const next = this.#inbox[0];
      if (next === 'fin') return undefined;
      if (next !== undefined) {
        this.#inbox.shift();
        return next;
      }
      if (this.#error !== undefined) throw this.#error;
      yield* wait<void>((resume) => {
        this.#waiting.push(resume);
        return () => {};
      });
    }
  }

  consume(onSegment: (segment: Segment) => void, onEnd: (error: Error | undefined) => void): void {
    this.#onSegment = onSegment;
    this.#onEnd = onEnd;
    for (const item of this.#inbox.splice(0)) this.#arrive(item);
    if (this.#error !== undefined) this.#end(this.#error);
  }

  shutdownWrite(): void {
    if (this.#sentFin) return;
    this.#sentFin = true;
    this.#deliver('fin');
  }

  close(): void {
    this.shutdownWrite();
    this.#onSegment = () => {};
    this.#onEnd = undefined;
  }

  abort(): void {
    this.#sentFin = true;
    const peer = this.peer!;
    this.#world.after(this.#world.latencyUs, () => peer.break(new NetError('reset', 'reset')));
  }

  break(error: Error): void {
    this.#error = error;
    for (const resume of this.#waiting.splice(0)) resume();
    this.#end(error);
  }

  #deliver(item: Segment | 'fin'): void {
    const peer = this.peer!;
    this.#world.after(this.#world.latencyUs, () => {
      if (!this.cut && !peer.cut) peer.#arrive(item);
    });
  }

  #arrive(item: Segment | 'fin'): void {
    this.#world.segments++;
    if (this.#onSegment === undefined) {
      this.#inbox.push(item);
      for (const resume of this.#waiting.splice(0)) resume();
    } else if (item === 'fin') this.#end(undefined);
    else this.#onSegment(item);
  }

  #end(error: Error | undefined): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(error);
  }
}

/** Draws from a small generator: enough where only ranges matter. */
export function tinyRandom(seed: number): Random {
  let state = seed >>> 0;
  const uint32 = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const random: Random = {
    uint32,
    int: (min, max) => min + (uint32() % (max - min + 1)),
    chance: (partsPerMillion) => uint32() % 1_000_000 < partsPerMillion,
    bytes: (count) => Uint8Array.from({ length: count }, () => uint32() & 255),
    stream: (purpose) => tinyRandom(seed + purpose.length * 7919),
  };
  return random;
}

/** A crypto port for tests without TLS. */
export const noCrypto = Object.freeze({}) as CryptoPort;
