/** Limits of the discovery service (reference/network-config.md C.8). */

export const CLUSTER_ID_MAX_BYTES = 256;
export const AFFILIATE_ID_MAX_BYTES = 256;
export const AFFILIATE_DATA_MAX_BYTES = 2_048;
export const ENDPOINT_MAX_BYTES = 32;
export const AFFILIATES_MAX = 1_024;
export const ENDPOINTS_MAX = 64;
export const TTL_MAX_US = 1_800_000_000;
export const SUBSCRIPTION_BUFFER = 32;
export const COLLECT_INTERVAL_US = 60_000_000;
/** Each client address may send this many requests a second … */
export const REQUESTS_PER_SECOND = 15;
/** … and this many at once. */
export const REQUEST_BURST = 60;
