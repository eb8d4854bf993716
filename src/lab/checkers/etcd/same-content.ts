import type { DatabaseState } from '../../../etcd/server/backend/image.ts';
import { sameBytes } from '../../../platform/bytes.ts';

/** Whether two databases hold the same keys, leases and place in the log: members of one restored cluster do. */
export function sameContent(a: DatabaseState, b: DatabaseState): boolean {
  if (a.index !== b.index || a.revisions.length !== b.revisions.length) return false;
  const leases = ({ leases: list }: DatabaseState): string => list.map(({ id, ttlSec }) => `${id}/${ttlSec}`).join();
  if (leases(a) !== leases(b)) return false;
  return a.revisions.every(({ kv }, i) => {
    const other = b.revisions[i]!.kv!;
    const isSame = kv!.modRevision === other.modRevision && kv!.version === other.version && kv!.lease === other.lease;
    return isSame && sameBytes(kv!.key, other.key) && sameBytes(kv!.value, other.value);
  });
}
