import type { Lease } from './lessor.ts';

/** Revocations a second that a new primary aims at, when many leases would expire together (reference/etcd.md A9). */
const REVOKE_RATE = 1000;
const SECOND_US = 1_000_000;

/**
 * Spreads expiries after a promotion. Walking the leases by deadline in windows of a second, a window that holds
 * more than three quarters of the revocation rate has its further leases delayed in proportion, so that no
 * second asks for more than the rate. Clusters with fewer leases than that are left alone.
 */
export function spreadExpiries(leases: Lease[], nowUs: number): void {
  if (leases.length < REVOKE_RATE) return;
  leases.sort((a, b) => a.expiresAtUs - b.expiresAtUs || (a.id < b.id ? -1 : 1));
  const target = (3 * REVOKE_RATE) / 4;
  let windowStartUs = leases[0]!.expiresAtUs - nowUs;
  let nextWindowUs = windowStartUs + SECOND_US;
  let inWindow = 0;
  for (const lease of leases) {
    const remainingUs = lease.expiresAtUs - nowUs;
    if (remainingUs > nextWindowUs) {
      windowStartUs = remainingUs;
      nextWindowUs = windowStartUs + SECOND_US;
      inWindow = 1;
      continue;
    }
    inWindow++;
    if (inWindow <= target) continue;
    // The window grows with the delay; a lease that already lies into it needs that much less.
    const delayUs = Math.trunc(SECOND_US * (inWindow / target)) - (remainingUs - windowStartUs);
    nextWindowUs = windowStartUs + delayUs;
    lease.expiresAtUs += delayUs;
  }
}
