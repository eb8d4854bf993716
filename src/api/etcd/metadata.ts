import type { Metadata } from '../../platform/rpc.ts';

/** Metadata of a call that is to be refused, or ended, while the server knows no leader (reference/etcd.md E3). */
export const REQUIRE_LEADER: Metadata = Object.freeze({ hasleader: 'true' });

export function requiresLeader(metadata: Metadata): boolean {
  return metadata.hasleader === 'true';
}
