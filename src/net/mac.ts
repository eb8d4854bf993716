import { HASH_START, hashText, mixHash } from '../platform/executor.ts';

/** A locally administered MAC address that depends on the names only. */
export function macFor(node: string, link: string): string {
  const low = hashText(HASH_START, `${node}/${link}`);
  const high = mixHash(low, 0x6d6163);
  const bytes = [0x02, high & 0xff, low >>> 24, (low >>> 16) & 0xff, (low >>> 8) & 0xff, low & 0xff];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
