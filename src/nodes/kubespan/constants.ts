import { SECOND_US } from '../../platform/clock.ts';

/** Constants of KubeSpan (reference/network-config.md C.9). */
export const KUBESPAN_LINK = 'kubespan';
export const KUBESPAN_PORT = 51_820;
export const KUBESPAN_MTU_BYTES = 1_420;
export const KEEPALIVE_US = 25 * SECOND_US;
export const RECONCILE_US = 30 * SECOND_US;
/** A peer that was silent for this long is down: keys are rejected after 180 s, and renewing them is tried for 95 s. */
export const PEER_DOWN_US = 275 * SECOND_US;
/** How long a new endpoint may take to answer. */
export const ENDPOINT_TIMEOUT_US = 15 * SECOND_US;
