import { Cluster, type DiscoveredAffiliate } from '../../api/discovery.ts';
import { race } from '../../platform/combinators.ts';
import { NetError } from '../../platform/errors.ts';
import { type RpcChannel, RpcError } from '../../platform/rpc.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { ipText } from '../../platform/x509/ip.ts';
import { secondsAndNanos } from '../../rpc/well-known.ts';
import type { Machine } from '../machine.ts';

/** Life of what a machine announces, and half of it: the refresh (reference/network-config.md C.7). */
const TTL_US = 1_800_000_000;
const REFRESH_US = TTL_US / 2;
const HELLO_LIMIT_US = 10_000_000;
const CALL_LIMIT_US = 30_000_000;
const BACKOFF_FIRST_US = 500_000;
const BACKOFF_MAX_US = 60_000_000;
const KEEPALIVE_US = 180_000_000;

export interface DiscoveryClientOptions {
  readonly host: string;
  readonly port: number;
  readonly insecure: boolean;
  readonly clusterId: string;
  readonly affiliateId: string;
}

/** What a machine tells the others, sealed. */
export interface Announcement {
  readonly data: Uint8Array;
  readonly endpoints: readonly Uint8Array[];
}

/** One connection to the discovery service: announces this machine, and keeps the list of the others. */
export class DiscoveryClient {
  readonly options: DiscoveryClientOptions;
  readonly #machine: Machine;
  readonly #onChange: () => void;
  readonly #local = new Notifier();
  #announcement: Announcement | undefined;
  /** Sealed endpoints of others that this machine found, by their ids. */
  #found: ReadonlyMap<string, readonly Uint8Array[]> = new Map();
  #host: string;
  #port: number;
  #affiliates = new Map<string, Announcement>();
  #publicAddress: string | undefined;

  constructor(machine: Machine, options: DiscoveryClientOptions, onChange: () => void) {
    this.#machine = machine;
    this.options = options;
    this.#host = options.host;
    this.#port = options.port;
    this.#onChange = onChange;
  }

  /** What the others announced, sealed; stubs without data left out. */
  get others(): readonly Announcement[] {
    return [...this.#affiliates]
      .filter(([id, { data }]) => id !== this.options.affiliateId && data.length > 0)
      .map(([, announcement]) => announcement);
  }

  /** The address under which the service sees this machine; undefined before it said so. */
  get publicAddress(): string | undefined {
    return this.#publicAddress;
  }

  /** Replaces what this machine announces of itself and, by their ids, of others. */
  announce(announcement: Announcement, found: ReadonlyMap<string, readonly Uint8Array[]> = new Map()): void {
    this.#announcement = announcement;
    this.#found = found;
    this.#local.notify();
  }

  /** Connects, again and again, for ever. */
  *run(): Task<never> {
    const { clock } = this.#machine.platform;
    const random = this.#machine.random.stream('discovery');
    let backoffUs = BACKOFF_FIRST_US;
    for (;;) {
      yield* clock.sleep(random.int(Math.floor(backoffUs / 2), Math.floor((backoffUs * 3) / 2)));
      backoffUs = Math.min(BACKOFF_MAX_US, Math.floor((backoffUs * 3) / 2));
      const channel = yield* this.#open();
      if (channel === undefined) continue;
      try {
        yield* this.#session(channel, () => {
          backoffUs = BACKOFF_FIRST_US;
        });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      } finally {
        channel.close();
      }
    }
  }

  /** Takes this machine out of the list, once, as it is reset. Throws RpcError. */
  *withdraw(): Task<void> {
    const channel = yield* this.#open();
    if (channel === undefined) return;
    const { clusterId, affiliateId } = this.options;
    try {
      yield* channel.unary(Cluster.AffiliateDelete, { clusterId, affiliateId }, { timeoutUs: HELLO_LIMIT_US });
    } finally {
      channel.close();
    }
  }

  /** Undefined while the name of the service cannot be looked up. */
  *#open(): Task<RpcChannel | undefined> {
    const { platform } = this.#machine;
    let addresses: readonly string[];
    try {
      addresses = yield* platform.net.lookup(this.#host);
    } catch (error) {
      if (error instanceof NetError) return undefined;
      throw error;
    }
    const endpoints = addresses.map((address) => ({ address, port: this.#port }));
    return platform.rpc.channel(endpoints, {
      keepaliveTimeUs: KEEPALIVE_US,
      ...(this.options.insecure ? {} : { tls: { serverName: this.#host } }),
    });
  }

  *#session(channel: RpcChannel, onConnected: () => void): Task<void> {
    const { clusterId } = this.options;
    const hello = { clusterId, clientVersion: this.#machine.profile.version };
    const answer = yield* channel.unary(Cluster.Hello, hello, { timeoutUs: HELLO_LIMIT_US, waitForReady: true });
    onConnected();
    this.#learnAddress(answer.clientIp);
    if (answer.redirect !== null) return this.#redirect(answer.redirect.endpoint);
    yield* race({ watch: this.#watch(channel), refresh: this.#refresh(channel) });
  }

  #learnAddress(clientIp: Uint8Array): void {
    if (clientIp.length !== 4 && clientIp.length !== 16) return;
    // The first message of the watch that follows wakes whoever wants to know.
    this.#publicAddress = ipText(clientIp);
  }

  /** Another instance of the service is in charge of this cluster. */
  #redirect(endpoint: string): void {
    const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(endpoint) ?? [];
    if (host === undefined) throw new RpcError('InvalidArgument', `redirected to "${endpoint}": host:port expected`);
    this.#host = host;
    this.#port = Number(port);
  }

  *#watch(channel: RpcChannel): Task<void> {
    const stream = channel.stream(Cluster.Watch);
    try {
      stream.send({ clusterId: this.options.clusterId });
      stream.closeSend();
      let first = true;
      for (let event = yield* stream.receive(); event !== undefined; event = yield* stream.receive()) {
        if (first) this.#affiliates = new Map();
        first = false;
        for (const affiliate of event.affiliates) this.#take(affiliate, event.deleted);
        this.#onChange();
      }
    } finally {
      stream.cancel();
    }
  }

  #take(affiliate: DiscoveredAffiliate, deleted: boolean): void {
    if (deleted) this.#affiliates.delete(affiliate.id);
    else this.#affiliates.set(affiliate.id, affiliate);
  }

  *#refresh(channel: RpcChannel): Task<void> {
    const { clock } = this.#machine.platform;
    for (;;) {
      const seen = this.#local.version;
      if (this.#announcement !== undefined) yield* this.#update(channel, this.#announcement);
      yield* race({ period: clock.sleep(REFRESH_US), change: this.#local.changed(seen) });
    }
  }

  /** This machine as a whole, then the endpoints of others that it found. */
  *#update(channel: RpcChannel, { data, endpoints }: Announcement): Task<void> {
    const { clusterId, affiliateId } = this.options;
    const send = (id: string, affiliateData: Uint8Array | null, affiliateEndpoints: readonly Uint8Array[]) =>
      channel.unary(
        Cluster.AffiliateUpdate,
        { clusterId, affiliateId: id, affiliateData, affiliateEndpoints, ttl: secondsAndNanos(TTL_US) },
        { timeoutUs: CALL_LIMIT_US },
      );
    yield* send(affiliateId, data, endpoints);
    for (const [id, sealed] of this.#found) yield* send(id, null, sealed);
  }
}
