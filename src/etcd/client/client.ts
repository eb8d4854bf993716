import type { Member, MemberAddResponse, MembersResponse } from '../../api/etcd/cluster.ts';
import {
  CompactionRequest,
  type CompactionResponse,
  DeleteRangeRequest,
  type DeleteRangeResponse,
  PutRequest,
  type PutResponse,
  RangeRequest,
  type RangeResponse,
  TxnRequest,
  type TxnResponse,
} from '../../api/etcd/kv.ts';
import { REQUIRE_LEADER } from '../../api/etcd/metadata.ts';
import { ClusterService, KvService } from '../../api/etcd/services.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import {
  type CallOptions,
  type ChannelOptions,
  type Method,
  type Rpc,
  type RpcChannel,
  RpcError,
  type TlsClient,
} from '../../platform/rpc.ts';
import { Once } from '../../platform/signal.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { parseEndpoint, tlsForEndpoint } from './endpoints.ts';
import { LeaseClient } from './lease.ts';
import { MaintenanceClient } from './maintenance.ts';
import { callWithRetry, type RetryClass } from './retry.ts';
import { WatchClient } from './watch.ts';

/** The ports that a client uses; any platform has them. */
export interface ClientPorts {
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly random: Random;
  readonly scope: TaskScope;
}

export interface ClientOptions {
  /** As users write them: `https://10.0.0.10:2379`. */
  readonly endpoints: readonly string[];
  /** How endpoints without a scheme, and those of https, are secured. */
  readonly tls?: TlsClient;
  /** Longest connection attempt; also how long a first keep-alive may take, plus one second. */
  readonly dialTimeoutUs?: number;
  /** Ask every call to be refused while the server knows no leader. */
  readonly requireLeader?: boolean;
  readonly keepaliveTimeUs?: number;
  readonly keepaliveTimeoutUs?: number;
}

/** What etcd's client sends and takes at most in one message (reference/etcd.md D2). */
export const CLIENT_MESSAGE_LIMITS: Pick<ChannelOptions, 'maxSendBytes' | 'maxReceiveBytes'> = Object.freeze({
  maxSendBytes: 2 * 1024 * 1024,
  maxReceiveBytes: 0x7fff_ffff,
});

/** Limits of one call. */
export interface Limits {
  readonly timeoutUs?: number;
}

/** How long last words may take. */
const FAREWELL: Limits = Object.freeze({ timeoutUs: 5_000_000 });

/**
 * etcd's client: round robin over endpoints, calls that wait for a connection, retries by class, watches that resume,
 * leases that are kept alive (reference/etcd.md E4 to E6). Errors of calls are RpcError with the server's text; an
 * endpoint that is none throws EndpointError at once.
 */
export class EtcdClient {
  readonly watches: WatchClient;
  readonly leases: LeaseClient;
  readonly maintenance: MaintenanceClient;
  readonly ports: ClientPorts;
  readonly #options: ClientOptions;
  readonly #channel: RpcChannel;
  #endpoints: readonly string[];
  /** Set when the client is closed and its last words are said: until then its process must live. */
  readonly gone = new Once<true>();
  #farewells = 0;
  #closed = false;

  constructor(ports: ClientPorts, options: ClientOptions) {
    this.ports = ports;
    this.#options = options;
    this.#endpoints = options.endpoints;
    this.#channel = this.open(options.endpoints);
    const streams = { ports, channel: this.#channel };
    this.watches = new WatchClient(streams);
    this.leases = new LeaseClient(streams, this, options.dialTimeoutUs ?? 0);
    this.maintenance = new MaintenanceClient(this);
  }

  get endpoints(): readonly string[] {
    return this.#endpoints;
  }

  /** The channel over all endpoints. */
  get channel(): RpcChannel {
    return this.#channel;
  }

  /** Replaces the endpoints that calls from now on go to. */
  setEndpoints(endpoints: readonly string[]): void {
    this.#endpoints = endpoints;
    this.#channel.setEndpoints(endpoints.map(parseEndpoint));
  }

  /** A channel of its own to some endpoints, for calls that are about one member. */
  open(endpoints: readonly string[]): RpcChannel {
    const { dialTimeoutUs, keepaliveTimeUs, keepaliveTimeoutUs } = this.#options;
    const tls = tlsForEndpoint(endpoints[0], this.#options.tls);
    const options: ChannelOptions = {
      ...CLIENT_MESSAGE_LIMITS,
      ...(tls === undefined ? {} : { tls }),
      ...(dialTimeoutUs === undefined ? {} : { connectTimeoutUs: dialTimeoutUs }),
      ...(keepaliveTimeUs === undefined ? {} : { keepaliveTimeUs }),
      ...(keepaliveTimeoutUs === undefined ? {} : { keepaliveTimeoutUs }),
    };
    return this.ports.rpc.channel(endpoints.map(parseEndpoint), options);
  }

  /** Any unary call with the client's metadata and retry policy. */
  call<Req, Res>(
    method: Method<Req, Res>,
    request: Req,
    retries: RetryClass,
    limits: Limits = {},
    channel: RpcChannel = this.#channel,
  ): Task<Res> {
    const options: CallOptions = { ...limits, metadata: this.metadata };
    const deps = { ...this.ports, channel, endpointCount: () => this.#endpoints.length };
    return callWithRetry(deps, method, request, retries, options);
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#options.requireLeader === true ? REQUIRE_LEADER : {};
  }

  range(request: Partial<RangeRequest>, limits?: Limits): Task<RangeResponse> {
    return this.call(KvService.Range, RangeRequest.of(request), 'repeatable', limits);
  }

  put(request: Partial<PutRequest>, limits?: Limits): Task<PutResponse> {
    return this.call(KvService.Put, PutRequest.of(request), 'once', limits);
  }

  deleteRange(request: Partial<DeleteRangeRequest>, limits?: Limits): Task<DeleteRangeResponse> {
    return this.call(KvService.DeleteRange, DeleteRangeRequest.of(request), 'once', limits);
  }

  txn(request: Partial<TxnRequest>, limits?: Limits): Task<TxnResponse> {
    return this.call(KvService.Txn, TxnRequest.of(request), 'once', limits);
  }

  compact(request: Partial<CompactionRequest>, limits?: Limits): Task<CompactionResponse> {
    return this.call(KvService.Compact, CompactionRequest.of(request), 'once', limits);
  }

  memberList(linearizable = true, limits?: Limits): Task<MembersResponse> {
    return this.call(ClusterService.MemberList, { linearizable }, 'repeatable', limits);
  }

  memberAdd(peerUrls: readonly string[], isLearner: boolean, limits?: Limits): Task<MemberAddResponse> {
    return this.call(ClusterService.MemberAdd, { peerUrls, isLearner }, 'once', limits);
  }

  memberRemove(id: string, limits?: Limits): Task<MembersResponse> {
    return this.call(ClusterService.MemberRemove, { id }, 'once', limits);
  }

  memberUpdate(id: string, peerUrls: readonly string[], limits?: Limits): Task<MembersResponse> {
    return this.call(ClusterService.MemberUpdate, { id, peerUrls }, 'once', limits);
  }

  memberPromote(id: string, limits?: Limits): Task<MembersResponse> {
    return this.call(ClusterService.MemberPromote, { id }, 'once', limits);
  }

  /** Takes the endpoints from the member list: client URLs of started members that are no learners. */
  *sync(limits?: Limits): Task<void> {
    const { members } = yield* this.memberList(true, limits);
    const serving = members.filter((member: Member) => member.name !== '' && !member.isLearner);
    this.setEndpoints(serving.flatMap((member) => member.clientUrls));
  }

  /** Says something last, whatever happens to the caller: a client that is closed closes its channel only after it. */
  farewell(body: (limits: Limits) => Task<unknown>): void {
    const { scope } = this.ports;
    if (scope.closed) return;
    this.#farewells++;
    const self = this;
    scope.spawn('etcd-farewell', function* (): Task<void> {
      try {
        yield* body(FAREWELL);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      } finally {
        self.#farewells--;
        self.#closeChannel();
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.leases.close();
    this.watches.close();
    this.#closeChannel();
  }

  #closeChannel(): void {
    if (!this.#closed || this.#farewells > 0) return;
    this.#channel.close();
    this.gone.set(true);
  }
}
