/** Address arithmetic within prefixes. */
import { ipText } from '../../platform/x509/ip.ts';
import { parsePrefix } from './ip.ts';

/** The n-th address of a prefix (0 is the network address); undefined when the text is no prefix or too small. */
export function nthAddress(prefixText: string, n: number): string | undefined {
  const prefix = parsePrefix(prefixText);
  if (prefix === undefined) {
    return undefined;
  }
  const bytes = masked(prefix.address, prefix.bits);
  let carry = n;
  for (let at = bytes.length - 1; at >= 0 && carry > 0; at -= 1) {
    const sum = bytes[at]! + carry;
    bytes[at] = sum & 0xff;
    carry = sum >> 8;
  }
  const network = masked(prefix.address, prefix.bits);
  const inside = masked(bytes, prefix.bits).every((byte, index) => byte === network[index]);
  return carry === 0 && inside ? ipText(bytes) : undefined;
}

function masked(address: Uint8Array, bits: number): Uint8Array {
  return address.map((byte, index) => {
    const kept = Math.max(0, Math.min(8, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}
