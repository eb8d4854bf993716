import {
  AffiliateDeleteRequest,
  AffiliateUpdateRequest,
  Cluster,
  type DiscoveredAffiliate,
  HelloRequest,
  WatchRequest,
  type WatchResponse,
} from '../../api/discovery.ts';
import type { Clock } from '../../platform/clock.ts';
import { race } from '../../platform/combinators.ts';
import type { Log } from '../../platform/log.ts';
import type { Endpoint } from '../../platform/net.ts';
import type { Random } from '../../platform/random.ts';
import { type Rpc, type RpcChannel, RpcError, type TlsClient } from '../../platform/rpc.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { ipBytes } from '../../platform/x509/ip.ts';
import { Duration, secondsAndNanos } from '../../rpc/well-known.ts';
import { clientConnected, clientFailed } from './events.ts';

/** Talos: 30 minutes. */
export const DEFAULT_TTL_US = 1_800_000_000;

const HELLO_LIMIT_US = 10_000_000;
const REFRESH_LIMIT_US = 30_000_000;
const SHORTEST_KEEPALIVE_US = 10_000_000;
const BACKOFF_BASE_US = 500_000;
const BACKOFF_CAP_US = 60_000_000;

export interface DiscoveryClientDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly rpc: Rpc;
}

export interface DiscoveryClientOptions {
  readonly endpoint: Endpoint;
  /** Absent: plain gRPC. */
  readonly tls?: TlsClient;
  readonly clusterId: string;
  readonly affiliateId: string;
  readonly clientVersion: string;
  /** Default {@link DEFAULT_TTL_US}. */
  readonly ttlUs?: number;
}

/** What this member publishes, sealed. */
export interface LocalAffiliate {
  readonly data: Uint8Array;
  readonly endpoints: readonly Uint8Array[];
  /** Endpoints of others that this member has learnt. */
  readonly others?: readonly { readonly affiliateId: string; readonly endpoints: readonly Uint8Array[] }[];
}

/**
 * A member's connection to the discovery service (reference/network-config.md C.7). {@link run} keeps it up for ever:
 * hello, watch, refresh at half the time to live and at every change; when anything fails, everything anew after a pause.
 */
export class DiscoveryClient {
  /** Told when the view of the others may have changed. */
  readonly changed = new Notifier();
  readonly #deps: DiscoveryClientDeps;
  readonly #options: DiscoveryClientOptions;
  readonly #ttlUs: number;
  readonly #localChanged = new Notifier();
  #local: LocalAffiliate | undefined;
  #endpoint: Endpoint;
  #view: ReadonlyMap<string, DiscoveredAffiliate> = new Map();
  #publicIp: Uint8Array | undefined;
  /** Pauses since the service was last of use. */
  #failures = 0;

  constructor(deps: DiscoveryClientDeps, options: DiscoveryClientOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#endpoint = options.endpoint;
    this.#ttlUs = options.ttlUs ?? DEFAULT_TTL_US;
  }

  /** The other members by id, as the service last told; kept while it cannot be reached. */
  affiliates(): ReadonlyMap<string, DiscoveredAffiliate> {
    return this.#view;
  }

  /** Our address as the service sees it: 4 or 16 bytes. */
  publicIp(): Uint8Array | undefined {
    return this.#publicIp;
  }

  /** Publishes this from now on; refreshes send the same bytes again. */
  setLocal(local: LocalAffiliate): void {
    this.#local = local;
    this.#localChanged.notify();
  }

  /** Never returns; RpcErrors are survived. */
  *run(): Task<never> {
    for (;;) {
      yield* this.#deps.clock.sleep(this.#pauseUs());
      this.#failures++;
      try {
        yield* this.#session();
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        this.#deps.log.event(clientFailed, { cluster: this.#options.clusterId, error: error.describe() });
      }
    }
  }

  /** Takes this member out of the cluster, for a machine that is reset. Throws RpcError. */
  *deleteLocal(): Task<void> {
    const { clusterId, affiliateId } = this.#options;
    const request = AffiliateDeleteRequest.of({ clusterId, affiliateId });
    const channel = this.#channel();
    try {
      yield* channel.unary(Cluster.AffiliateDelete, request, { timeoutUs: HELLO_LIMIT_US, waitForReady: true });
    } finally {
      channel.close();
    }
  }

  /** 0.5 s, growing by half up to a minute, ±50 %. */
  #pauseUs(): number {
    let pauseUs = BACKOFF_BASE_US;
    for (let i = 0; i < this.#failures && pauseUs < BACKOFF_CAP_US; i++) pauseUs += Math.floor(pauseUs / 2);
    pauseUs = Math.min(pauseUs, BACKOFF_CAP_US);
    const half = Math.floor(pauseUs / 2);
    return this.#deps.random.int(half, half + pauseUs - 1);
  }

  #channel(): RpcChannel {
    const { tls } = this.#options;
    const keepaliveTimeUs = Math.max(SHORTEST_KEEPALIVE_US, Math.floor(this.#ttlUs / 10));
    return this.#deps.rpc.channel([this.#endpoint], { keepaliveTimeUs, ...(tls === undefined ? {} : { tls }) });
  }

  /** One connection; ends with an error, or after a redirect. */
  *#session(): Task<void> {
    const channel = this.#channel();
    try {
      if (yield* this.#redirected(channel)) return;
      yield* race<void>({ watch: this.#watching(channel), refresh: this.#refreshing(channel) });
    } finally {
      channel.close();
    }
  }

  *#redirected(channel: RpcChannel): Task<boolean> {
    const { clusterId, clientVersion } = this.#options;
    const request = HelloRequest.of({ clusterId, clientVersion });
    const hello = yield* channel.unary(Cluster.Hello, request, { timeoutUs: HELLO_LIMIT_US });
    if (hello.redirect !== null) {
      this.#endpoint = redirectTarget(hello.redirect.endpoint);
      this.#failures = 0;
      return true;
    }
    if (hello.clientIp.length > 0) this.#publicIp = hello.clientIp;
    return false;
  }

  *#watching(channel: RpcChannel): Task<void> {
    const stream = channel.stream(Cluster.Watch);
    try {
      stream.send(WatchRequest.of({ clusterId: this.#options.clusterId }));
      for (let first = true; ; first = false) {
        const message = yield* stream.receive();
        if (message === undefined) throw new RpcError('Unavailable', 'the watch has ended');
        this.#take(message, first);
        if (!first) continue;
        this.#failures = 0;
        const { clusterId: cluster } = this.#options;
        this.#deps.log.event(clientConnected, { cluster, affiliates: this.#view.size });
      }
    } finally {
      stream.cancel();
    }
  }

  /** The first message replaces the view, later ones change it. Own and empty records are left out. */
  #take(message: WatchResponse, first: boolean): void {
    const view = new Map(first ? [] : this.#view);
    for (const affiliate of message.affiliates) {
      const gone = message.deleted || affiliate.data.length === 0 || affiliate.id === this.#options.affiliateId;
      if (gone) view.delete(affiliate.id);
      else view.set(affiliate.id, affiliate);
    }
    this.#view = view;
    this.changed.notify();
  }

  *#refreshing(channel: RpcChannel): Task<void> {
    const { clock } = this.#deps;
    for (;;) {
      const { version } = this.#localChanged;
      if (this.#local !== undefined) yield* this.#publish(channel, this.#local);
      const intervalUs = Math.floor(this.#ttlUs / 2);
      yield* race<void>({ changed: this.#localChanged.changed(version), due: clock.sleep(intervalUs) });
    }
  }

  *#publish(channel: RpcChannel, local: LocalAffiliate): Task<void> {
    const { clock } = this.#deps;
    const { clusterId, affiliateId } = this.#options;
    const endUs = clock.monotonicUs() + REFRESH_LIMIT_US;
    const ttl = Duration.of(secondsAndNanos(this.#ttlUs));
    const own = { affiliateId, affiliateData: local.data, affiliateEndpoints: local.endpoints };
    const others = (local.others ?? []).map((other) => ({
      affiliateId: other.affiliateId,
      affiliateData: null,
      affiliateEndpoints: other.endpoints,
    }));
    for (const update of [own, ...others]) {
      const request = AffiliateUpdateRequest.of({ clusterId, ttl, ...update });
      yield* channel.unary(Cluster.AffiliateUpdate, request, { timeoutUs: endUs - clock.monotonicUs() });
    }
  }
}

/** `host:port` with a literal address; a name would need a resolver. Throws RpcError. */
function redirectTarget(endpoint: string): Endpoint {
  const match = /^\[?([^\]]+)\]?:(\d+)$/.exec(endpoint.replace(/^[a-z]+:\/\//, ''));
  if (match === null || ipBytes(match[1]!) === null) {
    throw new RpcError(
      'InvalidArgument',
      `cannot follow a redirect to ${JSON.stringify(endpoint)}: address:port expected`,
    );
  }
  return { address: match[1]!, port: Number(match[2]) };
}
