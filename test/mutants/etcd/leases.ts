import type { Row } from './row.ts';

/** Leases: who lets them expire, and when. */
export const LEASE_ROWS: readonly Row[] = Object.freeze<Row[]>([
  [
    'lease-not-extended',
    'A9',
    'a new leader counts leases from where it last led, not anew',
    'server/lease/lessor.ts',
    'lease.expiresAtUs = nowUs + extendUs + this.#timeLeftSec(lease) * SECOND_US;',
    'lease.expiresAtUs = nowUs + extendUs;',
  ],
  [
    'lease-kept-by-follower',
    'A9',
    'a follower answers a renewal itself instead of forwarding it to the leader',
    'server/api/lease.ts',
    'const answer = yield* this.#member.peers.askLeader(PeerService.LeaseRenew, { id }, isLeaseRefusal);',
    'const answer = { ttl: this.#member.state.lessor.get(id)?.ttlSec ?? 0 };',
  ],
  [
    'lease-renewed-after-expiry',
    'G2 lease 20615',
    'a lease that has expired and waits to be revoked can still be renewed',
    'server/member/lease-keeper.ts',
    'if (lease.expiresAtUs > now) {',
    'if (lease.expiresAtUs > 0) {',
  ],
  [
    'lease-leaves-keys',
    'A9',
    'a revoked lease leaves its last key behind',
    'server/apply/applier.ts',
    'const keys = [...lease.keys].sort();',
    'const keys = [...lease.keys].sort().slice(0, 1);',
  ],
  [
    'lease-not-detached',
    'A4',
    'a key that is written without its lease stays on it',
    'server/mvcc/store.ts',
    'if (before !== NO_LEASE) this.#leases.detach(before, key);',
    '',
  ],
  [
    'lease-by-wall-clock',
    'G3 11',
    'deadlines follow the wall clock, which jumps',
    'server/member/lease-keeper.ts',
    'this.#lessor.renew(lease, this.#clock.monotonicUs());',
    'this.#lessor.renew(lease, this.#clock.nowUs() - 1_759_276_800_000_000);',
  ],
  [
    'lease-expires-nowhere',
    'A9',
    'a member that comes to lead again does not take deadlines up',
    'server/member/member.ts',
    'if (this.isLeader) this.leases.promote(electionTimeoutUs(this.identity.config));',
    'if (this.isLeader && this.appliedIndex < 50) this.leases.promote(electionTimeoutUs(this.identity.config));',
  ],
  [
    'lease-queue-survives-demotion',
    'A9, G2 lease',
    'leases found expired in an earlier leadership are revoked in a later one',
    'server/member/lease-keeper.ts',
    '    this.#expired = [];\n    this.#lessor.demote();',
    '    this.#lessor.demote();',
  ],
]);
