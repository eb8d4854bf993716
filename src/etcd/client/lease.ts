import { EtcdError, rpcError } from '../../api/etcd/errors.ts';
import { type LeaseId, NO_LEASE } from '../../api/etcd/kv.ts';
import type {
  LeaseGrantResponse,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseRevokeResponse,
  LeaseTimeToLiveResponse,
} from '../../api/etcd/lease.ts';
import { LeaseService } from '../../api/etcd/services.ts';
import { Channel } from '../../platform/channel.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient, Limits } from './client.ts';
import { KeepAliveLoop } from './keep-alive.ts';
import type { StreamDeps } from './watch.ts';

/** Leases of one client (reference/etcd.md E6). */
export class LeaseClient {
  readonly #deps: StreamDeps;
  readonly #client: EtcdClient;
  readonly #firstTimeoutUs: number;
  #loop: KeepAliveLoop | null = null;

  constructor(deps: StreamDeps, client: EtcdClient, dialTimeoutUs: number) {
    this.#deps = deps;
    this.#client = client;
    this.#firstTimeoutUs = dialTimeoutUs === 0 ? 5_000_000 : dialTimeoutUs + 1_000_000;
  }

  grant(ttl: number, id: LeaseId = NO_LEASE, limits?: Limits): Task<LeaseGrantResponse> {
    return this.#client.call(LeaseService.LeaseGrant, { ttl, id }, 'repeatable', limits);
  }

  revoke(id: LeaseId, limits?: Limits): Task<LeaseRevokeResponse> {
    return this.#client.call(LeaseService.LeaseRevoke, { id }, 'repeatable', limits);
  }

  /** What is left of a lease; a lease that does not exist has −1. */
  timeToLive(id: LeaseId, keys: boolean, limits?: Limits): Task<LeaseTimeToLiveResponse> {
    return this.#client.call(LeaseService.LeaseTimeToLive, { id, keys }, 'repeatable', limits);
  }

  leases(limits?: Limits): Task<LeaseLeasesResponse> {
    return this.#client.call(LeaseService.LeaseLeases, {}, 'repeatable', limits);
  }

  /** Keeps a lease alive until the channel is closed: by {@link close}, or because the lease or the connection is lost. */
  keepAlive(id: LeaseId): Channel<LeaseKeepAliveResponse> {
    if (this.#loop === null || this.#loop.ended) this.#loop = new KeepAliveLoop(this.#deps, this.#firstTimeoutUs);
    const answers = new Channel<LeaseKeepAliveResponse>(16);
    this.#loop.add(id, answers);
    return answers;
  }

  /** Stops keeping a lease alive without revoking it. */
  letGo(id: LeaseId): void {
    this.#loop?.remove(id);
  }

  /** Renews once. Throws LeaseNotFound. Tries for ever while no server can be reached. */
  *keepAliveOnce(id: LeaseId): Task<LeaseKeepAliveResponse> {
    for (;;) {
      const stream = this.#deps.channel.stream(LeaseService.LeaseKeepAlive, { waitForReady: true });
      try {
        stream.send({ id });
        const answer = yield* stream.receive();
        if (answer === undefined) continue;
        if (answer.ttl <= 0) throw rpcError(EtcdError.LeaseNotFound);
        return answer;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (error.status !== 'Unavailable' && error.status !== 'Internal') throw error;
        yield* this.#deps.ports.clock.sleep(10_000);
      } finally {
        stream.cancel();
      }
    }
  }

  close(): void {
    this.#loop?.close();
  }
}
