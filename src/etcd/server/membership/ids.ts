import type { Id64 } from '../../../api/etcd/kv.ts';
import { toHex, utf8Encode } from '../../../platform/bytes.ts';
import { sha1 } from '../../../platform/hash.ts';

/**
 * The id of a member: the first eight bytes of SHA-1 over its sorted peer URLs, the cluster token and, for members
 * added at run time, the Unix time in seconds (reference/etcd.md B2). Bootstrap members pass no time.
 */
export function memberId(peerUrls: readonly string[], token: string, unixSec: number | null): Id64 {
  const sorted = [...peerUrls].sort();
  const text = sorted.join('') + token + (unixSec === null ? '' : String(unixSec));
  return toHex(sha1(utf8Encode(text)).subarray(0, 8));
}

/** The id of a cluster: the first eight bytes of SHA-1 over the founding members' ids, ascending, eight bytes each. */
export function clusterId(memberIds: readonly Id64[]): Id64 {
  const sorted = [...memberIds].sort();
  const bytes = new Uint8Array(sorted.length * 8);
  sorted.forEach((id, index) => {
    for (let i = 0; i < 8; i++) bytes[index * 8 + i] = Number.parseInt(id.slice(i * 2, i * 2 + 2), 16);
  });
  return toHex(sha1(bytes).subarray(0, 8));
}
