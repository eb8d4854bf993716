import { EtcdError, rpcError } from '../../../api/etcd/errors.ts';
import type { LeaseId } from '../../../api/etcd/kv.ts';
import type { LeaseTimeToLiveResponse } from '../../../api/etcd/lease.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { RpcError } from '../../../platform/rpc.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task, TaskScope } from '../../../platform/task.ts';
import { EtcdEvent } from '../../events.ts';
import type { Lease, Lessor } from '../lease/lessor.ts';
import { bytesOf } from '../mvcc/keys.ts';
import { GridTimer } from './grid-timer.ts';

/** The expiry loop's grid, leases in one pass, revocations under way at once (reference/etcd.md A9). */
const LOOP_US = 500_000;
const BATCH = 500;
const MAX_REVOKING = 16;
/** How long a renewal waits for entries that are committed but not applied. */
const APPLY_WAIT_US = 1_000_000;
const CHECKPOINT_BATCH = 1000;

/** What the keeper needs of the member. */
export interface LeaseOwner {
  readonly memberId: string;
  readonly isLeader: boolean;
  readonly log: Log;
  /** Refuses with NotPrimary unless this member leads for certain, even if its process was stopped for a while. */
  ensureLeadership(): Task<boolean>;
  revokeLease(id: LeaseId): Task<void>;
  checkpointLeases(checkpoints: readonly { readonly id: LeaseId; readonly remainingTtl: number }[]): Task<void>;
  /** Waits until everything committed is applied; false after `limitUs`. */
  waitApplied(limitUs: number): Task<boolean>;
}

export interface LeaseKeeperOptions {
  readonly retryUs: number;
  readonly checkpoint: boolean;
}

/**
 * The leader's half of leases: deadlines, expiry by proposals, renewals (A9). The expiry loop of the real server wakes
 * twice a second; ours sleeps until the first instant of that grid at which a lease is over, which is the same to see.
 */
export class LeaseKeeper {
  readonly #clock: Clock;
  readonly #scope: TaskScope;
  readonly #lessor: Lessor;
  readonly #owner: LeaseOwner;
  readonly #options: LeaseKeeperOptions;
  readonly #settled = new Notifier();
  readonly #retryAtUs = new Map<LeaseId, number>();
  #gridUs = 0;
  readonly #expiry: GridTimer;
  readonly #checkpoints: GridTimer;
  #revoking = 0;
  /** Leases found expired that wait for their turn to be revoked. */
  #expired: LeaseId[] = [];

  constructor(clock: Clock, scope: TaskScope, lessor: Lessor, owner: LeaseOwner, options: LeaseKeeperOptions) {
    this.#clock = clock;
    this.#scope = scope;
    this.#lessor = lessor;
    this.#owner = owner;
    this.#options = options;
    this.#expiry = new GridTimer(clock, LOOP_US, () => this.#expire());
    this.#checkpoints = new GridTimer(clock, LOOP_US, () => scope.spawn('checkpoint', () => this.#checkpoint()));
    lessor.onDeadline = (atUs) => this.#arm(this.#expiry, atUs);
    if (options.checkpoint) lessor.onCheckpoint = (atUs) => this.#arm(this.#checkpoints, atUs);
  }

  promote(extendUs: number): void {
    this.#gridUs = this.#clock.monotonicUs();
    this.#retryAtUs.clear();
    this.#lessor.promote(this.#gridUs, extendUs);
  }

  demote(): void {
    this.#expiry.cancel();
    this.#checkpoints.cancel();
    this.#expired = [];
    this.#lessor.demote();
    this.#settled.notify();
  }

  /** A lease is gone: renewals that wait for it may answer. */
  leaseRemoved(id: LeaseId): void {
    this.#retryAtUs.delete(id);
    this.#settled.notify();
  }

  stop(): void {
    this.#expiry.cancel();
    this.#checkpoints.cancel();
    this.#lessor.onDeadline = null;
    this.#lessor.onCheckpoint = null;
  }

  #arm(timer: GridTimer, atUs: number): void {
    if (this.#lessor.isPrimary) timer.arm(atUs, this.#gridUs);
  }

  #nextDueUs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const lease of this.#lessor.all()) {
      const due = Math.max(lease.expiresAtUs, this.#retryAtUs.get(lease.id) ?? 0);
      next = Math.min(next, due);
    }
    return next;
  }

  #expire(): void {
    const now = this.#clock.monotonicUs();
    let found = 0;
    for (const lease of this.#lessor.expired(now, Number.MAX_SAFE_INTEGER)) {
      if (found >= BATCH) break;
      if ((this.#retryAtUs.get(lease.id) ?? 0) > now) continue;
      found++;
      this.#retryAtUs.set(lease.id, now + this.#options.retryUs);
      this.#owner.log.event(EtcdEvent.LeaseExpired, { memberId: this.#owner.memberId, lease: lease.id });
      this.#expired.push(lease.id);
    }
    this.#revokeNext();
    this.#arm(this.#expiry, this.#nextDueUs());
  }

  #revokeNext(): void {
    while (this.#revoking < MAX_REVOKING) {
      const id = this.#expired.shift();
      if (id === undefined) return;
      this.#revoking++;
      this.#scope.spawn('revoke', () => this.#revoke(id));
    }
  }

  *#revoke(id: LeaseId): Task<void> {
    try {
      if (yield* this.#owner.ensureLeadership()) yield* this.#owner.revokeLease(id);
    } catch (error) {
      // It is tried again when its retry is due, if it is still there.
      if (!(error instanceof RpcError)) throw error;
    } finally {
      this.#revoking--;
    }
    this.#revokeNext();
  }

  /**
   * Renews a lease on the leader: the time to live, or 0 when there is no such lease. `null` when leadership went away
   * meanwhile, so that the new leader has to be asked. Throws NotPrimary.
   */
  *renew(id: LeaseId): Task<number | null> {
    if (!(yield* this.#owner.ensureLeadership())) throw rpcError(EtcdError.NotPrimary);
    if (!(yield* this.#owner.waitApplied(APPLY_WAIT_US))) throw rpcError(EtcdError.TimeoutWaitAppliedIndex);
    for (;;) {
      if (!this.#lessor.isPrimary) return null;
      const lease = this.#lessor.get(id);
      if (lease === undefined) return 0;
      const now = this.#clock.monotonicUs();
      if (lease.expiresAtUs > now) {
        yield* this.#clearCheckpoint(lease);
        // Much may have happened meanwhile (reference/etcd.md G2 #20615).
        if (!this.#lessor.isPrimary) return null;
        if (this.#lessor.get(id) !== lease) return 0;
        this.#lessor.renew(lease, this.#clock.monotonicUs());
        return lease.ttlSec;
      }
      // Expired, but not revoked yet: the answer is "not found" once it is.
      yield* this.#settled.changed();
    }
  }

  /** A checkpoint must not outlive the renewal: the full time is replicated first. */
  *#clearCheckpoint(lease: Lease): Task<void> {
    if (!this.#options.checkpoint || lease.remainingTtlSec === 0) return;
    yield* this.#owner.checkpointLeases([{ id: lease.id, remainingTtl: 0 }]);
  }

  /** Answers a question about a lease on the leader; header left to the caller. */
  *timeToLive(id: LeaseId, keys: boolean): Task<Omit<LeaseTimeToLiveResponse, 'header'>> {
    if (!(yield* this.#owner.waitApplied(APPLY_WAIT_US))) throw rpcError(EtcdError.TimeoutWaitAppliedIndex);
    const lease = this.#lessor.get(id);
    if (lease === undefined || !this.#lessor.isPrimary) {
      if (!this.#lessor.isPrimary) throw rpcError(EtcdError.LeaderChanged);
      return { id, ttl: -1, grantedTtl: 0, keys: [] };
    }
    const ttl = this.#lessor.remainingSec(lease, this.#clock.monotonicUs());
    return { id, ttl, grantedTtl: lease.ttlSec, keys: keys ? [...lease.keys].map(bytesOf) : [] };
  }

  *#checkpoint(): Task<void> {
    const due = this.#lessor.takeCheckpoints(this.#clock.monotonicUs());
    this.#arm(this.#checkpoints, this.#lessor.nextCheckpointUs());
    try {
      for (let at = 0; at < due.length; at += CHECKPOINT_BATCH) {
        yield* this.#owner.checkpointLeases(due.slice(at, at + CHECKPOINT_BATCH));
      }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
}
