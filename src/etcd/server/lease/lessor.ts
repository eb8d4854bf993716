import type { EtcdErrorKind } from '../../../api/etcd/errors.ts';
import { EtcdError } from '../../../api/etcd/errors.ts';
import type { LeaseId } from '../../../api/etcd/kv.ts';
import type { LeaseItems } from '../mvcc/store.ts';
import { spreadExpiries } from './spread.ts';

/** Largest time to live that a grant may ask for. */
const MAX_LEASE_TTL_SEC = 9_000_000_000;
export const SECOND_US = 1_000_000;

/** "Does not expire here": this member is not the primary. */
const NEVER = Number.POSITIVE_INFINITY;

/** Leases with more than this left are checkpointed, this often (reference/etcd.md A9). */
const CHECKPOINT_SEC = 300;

export interface Lease {
  readonly id: LeaseId;
  /** Granted time to live, after the minimum was applied. */
  readonly ttlSec: number;
  /** What a checkpoint said is left; 0: the full time. */
  remainingTtlSec: number;
  /** The part of that which outlives a restart. */
  storedRemainingTtlSec: number;
  /** Monotonic time of this member's kernel; infinite unless it is primary. */
  expiresAtUs: number;
  /** When its primary is to tell how much time it has left; infinite when nobody needs to know. */
  checkpointAtUs: number;
  readonly keys: Set<string>;
}

/** Where the lessor tells what has to become durable. */
export interface LeaseSink {
  leaseChanged(lease: Lease): void;
  leaseRemoved(id: LeaseId): void;
}

/**
 * All leases of a member. Pure state: what is replicated (which leases exist, their times to live, their keys) and,
 * on the leader only, deadlines (reference/etcd.md A9). A lease expires by a revocation that goes through Raft, never
 * here.
 */
export class Lessor implements LeaseItems {
  readonly #leases = new Map<LeaseId, Lease>();
  readonly #sink: LeaseSink;
  readonly #minTtlSec: number;
  readonly #storesCheckpoints: () => boolean;
  #primary = false;
  /** Called with every deadline that is set. */
  onDeadline: ((atUs: number) => void) | null = null;
  /** Called with every time at which a checkpoint is due. */
  onCheckpoint: ((atUs: number) => void) | null = null;

  /** What was done since the member started. */
  readonly counts = { granted: 0, renewed: 0, revoked: 0 };

  /** `minTtlSec`: shorter grants are raised to it. `storesCheckpoints`: they outlive a restart. */
  constructor(sink: LeaseSink, minTtlSec: number, storesCheckpoints: () => boolean) {
    this.#sink = sink;
    this.#minTtlSec = minTtlSec;
    this.#storesCheckpoints = storesCheckpoints;
  }

  get isPrimary(): boolean {
    return this.#primary;
  }

  get size(): number {
    return this.#leases.size;
  }

  get(id: LeaseId): Lease | undefined {
    return this.#leases.get(id);
  }

  all(): Iterable<Lease> {
    return this.#leases.values();
  }

  /** Grants a lease; `LeaseTtlTooLarge`, `LeaseExist`. */
  grant(id: LeaseId, ttlSec: number, nowUs: number): Lease | EtcdErrorKind {
    if (ttlSec > MAX_LEASE_TTL_SEC) return EtcdError.LeaseTtlTooLarge;
    if (this.#leases.has(id)) return EtcdError.LeaseExist;
    const effectiveSec = Math.max(ttlSec, this.#minTtlSec);
    const lease = newLease(id, effectiveSec, 0);
    this.#leases.set(id, lease);
    this.counts.granted++;
    if (this.#primary) {
      this.#setDeadline(lease, nowUs + effectiveSec * SECOND_US);
      this.#scheduleCheckpoint(lease, nowUs);
    }
    this.#sink.leaseChanged(lease);
    return lease;
  }

  /** Removes a lease; the caller has deleted its keys. */
  remove(id: LeaseId): void {
    if (!this.#leases.delete(id)) return;
    this.counts.revoked++;
    this.#sink.leaseRemoved(id);
  }

  attach(lease: LeaseId, key: string): void {
    this.#leases.get(lease)?.keys.add(key);
  }

  detach(lease: LeaseId, key: string): void {
    this.#leases.get(lease)?.keys.delete(key);
  }

  /** Resets the deadline; only the primary does. A checkpoint in force has to be cleared by a proposal first. */
  renew(lease: Lease, nowUs: number): void {
    this.counts.renewed++;
    this.#setDeadline(lease, nowUs + this.#timeLeftSec(lease) * SECOND_US);
  }

  /**
   * Notes how much time a lease has left, as its primary saw it: whoever becomes primary next goes on from there. An
   * unknown lease is ignored.
   */
  checkpoint(id: LeaseId, remainingSec: number, nowUs: number): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    lease.remainingTtlSec = remainingSec;
    if (this.#storesCheckpoints()) {
      lease.storedRemainingTtlSec = remainingSec;
      this.#sink.leaseChanged(lease);
    }
    if (this.#primary) this.#scheduleCheckpoint(lease, nowUs);
  }

  /** The checkpoints that are due; those of leases that are over, or were renewed just now, are left out. */
  takeCheckpoints(nowUs: number): { readonly id: LeaseId; readonly remainingTtl: number }[] {
    const due = [...this.#leases.values()].filter((lease) => lease.checkpointAtUs <= nowUs);
    for (const lease of due) lease.checkpointAtUs = NEVER;
    return due
      .map((lease) => ({ lease, remainingTtl: Math.ceil((lease.expiresAtUs - nowUs) / SECOND_US) }))
      .filter(({ lease, remainingTtl }) => remainingTtl > 0 && remainingTtl < lease.ttlSec)
      .map(({ lease, remainingTtl }) => ({ id: lease.id, remainingTtl }));
  }

  /** When the next checkpoint is due; infinite when none will be. */
  nextCheckpointUs(): number {
    let next = NEVER;
    for (const lease of this.#leases.values()) next = Math.min(next, lease.checkpointAtUs);
    return next;
  }

  /** Becomes primary: every lease gets its whole time again, plus `extendUs`; storms of expiries are spread. */
  promote(nowUs: number, extendUs: number): void {
    this.#primary = true;
    for (const lease of this.#leases.values()) {
      lease.expiresAtUs = nowUs + extendUs + this.#timeLeftSec(lease) * SECOND_US;
    }
    spreadExpiries([...this.#leases.values()], nowUs);
    this.onDeadline?.(this.nextExpiryUs());
    for (const lease of this.#leases.values()) this.#scheduleCheckpoint(lease, nowUs);
  }

  /** Is primary no more: nothing expires here. */
  demote(): void {
    this.#primary = false;
    for (const lease of this.#leases.values()) {
      lease.expiresAtUs = NEVER;
      lease.checkpointAtUs = NEVER;
    }
  }

  /** Leases whose time is over, the longest expired first; at most `limit`. */
  expired(nowUs: number, limit: number): Lease[] {
    if (!this.#primary) return [];
    const over = [...this.#leases.values()].filter((lease) => lease.expiresAtUs <= nowUs);
    over.sort((a, b) => a.expiresAtUs - b.expiresAtUs || (a.id < b.id ? -1 : 1));
    return over.slice(0, limit);
  }

  /** When the next lease expires; infinite when none will. */
  nextExpiryUs(): number {
    let next = NEVER;
    for (const lease of this.#leases.values()) next = Math.min(next, lease.expiresAtUs);
    return next;
  }

  /** Whole seconds that are left, negative once expired; the full time on a member that is not primary. */
  remainingSec(lease: Lease, nowUs: number): number {
    if (lease.expiresAtUs === NEVER) return lease.ttlSec;
    return Math.trunc((lease.expiresAtUs - nowUs) / SECOND_US);
  }

  /** Takes a stored lease back in. */
  restore(id: LeaseId, ttlSec: number, remainingTtlSec: number): void {
    const effectiveSec = Math.max(ttlSec, this.#minTtlSec);
    this.#leases.set(id, newLease(id, effectiveSec, remainingTtlSec));
  }

  /** Forgets everything: a snapshot replaces it. A primary stays primary. */
  clear(): void {
    this.#leases.clear();
  }

  #timeLeftSec(lease: Lease): number {
    return lease.remainingTtlSec > 0 ? lease.remainingTtlSec : lease.ttlSec;
  }

  #scheduleCheckpoint(lease: Lease, nowUs: number): void {
    if (this.#timeLeftSec(lease) <= CHECKPOINT_SEC || lease.checkpointAtUs !== NEVER) return;
    lease.checkpointAtUs = nowUs + CHECKPOINT_SEC * SECOND_US;
    this.onCheckpoint?.(lease.checkpointAtUs);
  }

  #setDeadline(lease: Lease, atUs: number): void {
    lease.expiresAtUs = atUs;
    this.onDeadline?.(atUs);
  }
}

function newLease(id: LeaseId, ttlSec: number, remainingTtlSec: number): Lease {
  return {
    id,
    ttlSec,
    remainingTtlSec,
    storedRemainingTtlSec: remainingTtlSec,
    expiresAtUs: NEVER,
    checkpointAtUs: NEVER,
    keys: new Set(),
  };
}
