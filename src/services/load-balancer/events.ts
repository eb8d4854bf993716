import { eventKind } from '../../platform/log.ts';

/** A backend began or ceased to accept connections. */
export const backendHealth = eventKind<{ backend: string; healthy: boolean }>('load-balancer.backend.health');
