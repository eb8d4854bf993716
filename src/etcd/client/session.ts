import { leaseNumber } from '../../api/etcd/ids.ts';
import { type LeaseId, NO_LEASE } from '../../api/etcd/kv.ts';
import { END } from '../../platform/channel.ts';
import { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient, Limits } from './client.ts';

/** Time to live of a session's lease, unless another is asked for. */
export const SESSION_TTL_SEC = 60;

/** A lease that is kept alive as long as its owner lives: what elections and locks hang on (reference/etcd.md A10). */
export class Session {
  readonly client: EtcdClient;
  readonly lease: LeaseId;
  /** Set when the lease is not kept alive any more: lost, expired, or let go. */
  readonly done = new Once<true>();

  private constructor(client: EtcdClient, lease: LeaseId) {
    this.client = client;
    this.lease = lease;
    const answers = client.leases.keepAlive(lease);
    const { done } = this;
    client.ports.scope.spawn('etcd-session', function* (): Task<void> {
      while ((yield* answers.receive()) !== END);
      done.set(true);
    });
  }

  /** Opens a session with a new lease, or with one that exists. */
  static *open(
    client: EtcdClient,
    options: { readonly ttlSec?: number; readonly lease?: LeaseId } & Limits = {},
  ): Task<Session> {
    const { ttlSec = SESSION_TTL_SEC, lease = NO_LEASE, ...limits } = options;
    const id = lease === NO_LEASE ? (yield* client.leases.grant(ttlSec, NO_LEASE, limits)).id : lease;
    return new Session(client, id);
  }

  /** Stops keeping the lease alive; it lives on until its time is over. */
  orphan(): void {
    this.client.leases.letGo(this.lease);
  }

  /** Lets go and revokes the lease, and with it everything that hangs on it. */
  *close(limits?: Limits): Task<void> {
    this.orphan();
    yield* this.client.leases.revoke(this.lease, limits);
  }
}

/** A lease id as it appears in keys: the signed number in hexadecimal without padding. */
export function leaseHex(lease: LeaseId): string {
  return leaseNumber(lease).toString(16);
}
