import { SECOND_US } from '../../platform/clock.ts';

/** Timers of WireGuard (its white paper, section 6; the same in Linux). */
export const REKEY_AFTER_US = 120 * SECOND_US;
export const REJECT_AFTER_US = 180 * SECOND_US;
export const REKEY_TIMEOUT_US = 5 * SECOND_US;
export const KEEPALIVE_TIMEOUT_US = 10 * SECOND_US;
/** Handshakes that nobody answers are begun again for 90 s: Linux gives up after two more than this. */
export const MAX_ATTEMPTS = 18;
/** Added at random to what would otherwise happen at both ends at once: up to a third of a second. */
export const MAX_JITTER_US = 333_000;
/** Packets that wait for a handshake; the oldest goes when there are more. */
export const MAX_STAGED = 128;
