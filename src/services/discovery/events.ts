import { eventKind } from '../../platform/log.ts';

/** An affiliate was not refreshed in time. */
export const affiliateExpired = eventKind<{ cluster: string; affiliate: string }>('discovery.affiliate.expired');
