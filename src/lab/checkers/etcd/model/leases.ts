import { EtcdError, type EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import { type LeaseId, NO_LEASE } from '../../../../api/etcd/kv.ts';

/** Longest time to live that a grant may ask for, in seconds (reference/etcd.md A9). */
const MAX_TTL_SEC = 9_000_000_000;

/** A lease in the agreed order of writes. */
export interface ModelLease {
  readonly id: LeaseId;
  readonly ttlSec: number;
  readonly keys: Set<string>;
}

/** Leases and the keys attached to them; time plays no part: they go when their revocation is applied. */
export class ModelLeases {
  readonly #leases = new Map<LeaseId, ModelLease>();
  readonly #minTtlSec: number;

  constructor(minTtlSec: number) {
    this.#minTtlSec = minTtlSec;
  }

  get(id: LeaseId): ModelLease | undefined {
    return this.#leases.get(id);
  }

  all(): Iterable<ModelLease> {
    return this.#leases.values();
  }

  grant(id: LeaseId, ttlSec: number): ModelLease | EtcdErrorKind {
    if (ttlSec > MAX_TTL_SEC) return EtcdError.LeaseTtlTooLarge;
    if (this.#leases.has(id)) return EtcdError.LeaseExist;
    const lease: ModelLease = { id, ttlSec: Math.max(ttlSec, this.#minTtlSec), keys: new Set() };
    this.#leases.set(id, lease);
    return lease;
  }

  /** One that was granted before, with what is hung on it. */
  restore(id: LeaseId, ttlSec: number, keys: readonly string[]): void {
    this.#leases.set(id, { id, ttlSec: Math.max(ttlSec, this.#minTtlSec), keys: new Set(keys) });
  }

  remove(id: LeaseId): void {
    this.#leases.delete(id);
  }

  /** A key goes from one lease to another; either may be none. */
  move(text: string, from: LeaseId, to: LeaseId): void {
    if (from === to) return;
    if (from !== NO_LEASE) this.#leases.get(from)?.keys.delete(text);
    if (to !== NO_LEASE) this.#leases.get(to)?.keys.add(text);
  }
}
