import { eventKind } from '../../platform/log.ts';

/** An affiliate was not refreshed in time. */
export const affiliateExpired = eventKind<{ cluster: string; affiliate: string }>('discovery.affiliate.expired');

/** A client has the view of its cluster. */
export const clientConnected = eventKind<{ cluster: string; affiliates: number }>('discovery.client.connected');

/** A client's connection failed or ended; it tries again. */
export const clientFailed = eventKind<{ cluster: string; error: string }>('discovery.client.failed');
