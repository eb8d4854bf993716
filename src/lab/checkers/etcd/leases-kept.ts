import type { Begun } from './client-operations.ts';
import type { Blame, CommitOrder, Committed } from './commit-order.ts';

const GUARANTEE = 'leases are kept';
const SECOND_US = 1_000_000;
/**
 * A leader that was cut off goes on answering for up to two election timeouts, one of which the next leader adds to
 * every lease (reference/etcd.md A9).
 */
const OVERLAP_US = 3 * SECOND_US;

interface Known {
  readonly ttlSec: number;
  readonly grantedUs: number;
  /** When the last renewal began that was acknowledged. */
  renewedUs: number;
  /** A client asked for its revocation. */
  revocationAsked: boolean;
  /** When it went; undefined while it is there. */
  goneUs: number | undefined;
}

/** How long leases that are gone are remembered. */
const REMEMBERED_US = 600 * SECOND_US;

/**
 * A lease lasts at least its time to live after its last acknowledged renewal, unless a client revokes it; once nobody
 * renews it, it goes (reference/etcd.md A9, F8). True time is what counts; `slackUs` is what clocks may be wrong by.
 */
export class LeasesKept {
  readonly #order: CommitOrder;
  readonly #blame: (detail: string) => void;
  readonly #slackUs: number;
  readonly #leases = new Map<string, Known>();

  constructor(order: CommitOrder, blame: Blame, slackUs: number) {
    this.#order = order;
    this.#blame = (detail) => blame(GUARANTEE, detail);
    this.#slackUs = slackUs;
  }

  /** An entry was committed. */
  take(entry: Committed): void {
    if (entry.answer.kind === 'error') return;
    const { leaseGrant, leaseRevoke } = entry.request;
    if (entry.answer.kind === 'grant' && leaseGrant !== null) {
      const { atUs: grantedUs } = entry;
      const ttlSec = entry.answer.ttl;
      this.#leases.set(leaseGrant.id, {
        ttlSec,
        grantedUs,
        renewedUs: grantedUs,
        revocationAsked: false,
        goneUs: undefined,
      });
    } else if (leaseRevoke !== null) this.#gone(leaseRevoke.id, entry.atUs);
  }

  revocationAsked(id: string): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.revocationAsked = true;
  }

  /** A renewal was answered; time to live 0 says that there is no such lease. */
  renewed(begun: Begun, id: string, ttlSec: number): void {
    const lease = this.#leases.get(id);
    if (ttlSec <= 0) {
      const lasting = lease !== undefined && lease.goneUs === undefined && lease.grantedUs < begun.atUs - OVERLAP_US;
      if (lasting) this.#blame(`lease ${id} is said to be unknown, but it is there since ${lease.grantedUs} us`);
      return;
    }
    if (lease === undefined) this.#blame(`lease ${id} is renewed, but it was never granted`);
    else if (lease.goneUs !== undefined && lease.goneUs < begun.atUs - OVERLAP_US) {
      this.#blame(`lease ${id} is renewed, but it went at ${lease.goneUs} us`);
    } else if (lease.ttlSec !== ttlSec) this.#blame(`lease ${id} of ${lease.ttlSec} s is renewed for ${ttlSec} s`);
    else lease.renewedUs = Math.max(lease.renewedUs, begun.atUs);
  }

  /** Everything is well since `sinceUs` and nobody renews: what should have expired by now has. */
  finish(sinceUs: number): void {
    const { nowUs } = this.#order;
    for (const [id, lease] of this.#leases) {
      if (lease.goneUs !== undefined) continue;
      const dueUs = Math.max(lease.renewedUs, sinceUs) + lease.ttlSec * SECOND_US + OVERLAP_US + this.#slackUs;
      if (nowUs > dueUs)
        this.#blame(`lease ${id} of ${lease.ttlSec} s, last renewed at ${lease.renewedUs} us, never expires`);
    }
  }

  #gone(id: string, atUs: number): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    lease.goneUs = atUs;
    const lastedUs = atUs - lease.renewedUs;
    if (!lease.revocationAsked && lastedUs + this.#slackUs < lease.ttlSec * SECOND_US) {
      this.#blame(`lease ${id} of ${lease.ttlSec} s expired ${lastedUs} us after its last renewal`);
    }
    for (const [old, { goneUs }] of this.#leases) {
      if (goneUs === undefined || goneUs > atUs - REMEMBERED_US) break;
      this.#leases.delete(old);
    }
  }
}
