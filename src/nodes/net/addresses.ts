import { parsePrefix, parsePrefixOrAddress, prefixContains } from '../../config/text/ip.ts';
import { compareBytes } from '../../platform/bytes.ts';
import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { NodeError } from '../errors.ts';

/** `10.0.0.10/24` without its length. */
export function addressOf(prefix: string): string {
  const slash = prefix.indexOf('/');
  return slash < 0 ? prefix : prefix.slice(0, slash);
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** An address as the prefix of one host. */
export function hostPrefix(address: string): string {
  return `${address}/${isIpv6(address) ? 128 : 32}`;
}

/** Adds a host length where none is written. */
export function withLength(address: string): string {
  return address.includes('/') ? address : hostPrefix(address);
}

export function contains(cidr: string, address: string): boolean {
  const prefix = parsePrefixOrAddress(cidr);
  const bytes = ipBytes(address);
  if (prefix === undefined) throw new NodeError(`invalid CIDR address: ${cidr}`);
  return bytes !== null && prefixContains(prefix, bytes);
}

/**
 * Walks the list in order: a network appends every candidate in it that is not taken yet, `!network` takes those in it
 * away again (reference/controllers.md B.0.1).
 */
export function filterIps(candidates: readonly string[], networks: readonly string[]): readonly string[] {
  let taken: string[] = [];
  for (const network of networks) {
    if (network.startsWith('!')) {
      taken = taken.filter((address) => !contains(network.slice(1), address));
      continue;
    }
    for (const address of candidates) if (contains(network, address) && !taken.includes(address)) taken.push(address);
  }
  return taken;
}

/** IPv4 before IPv6, then by number. */
export function compareAddresses(a: string, b: string): number {
  const left = ipBytes(a);
  const right = ipBytes(b);
  if (left === null || right === null) return a < b ? -1 : a > b ? 1 : 0;
  return left.length - right.length || compareBytes(left, right);
}

export function sortedUnique(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses)].sort(compareAddresses);
}

/** Orders prefixes of a node (reference/network-config.md D.8). */
export function comparePrefixes(algorithm: 'v1' | 'v2', a: string, b: string): number {
  const byAddress = compareAddresses(addressOf(a), addressOf(b));
  if (algorithm === 'v1') return byAddress || prefixBits(a) - prefixBits(b);
  if (byAddress === 0) return prefixBits(b) - prefixBits(a);
  if (isIpv6(a) === isIpv6(b)) {
    if (prefixBits(a) > prefixBits(b) && contains(b, addressOf(a))) return -1;
    if (prefixBits(b) > prefixBits(a) && contains(a, addressOf(b))) return 1;
  }
  return byAddress;
}

/** The length of `10.0.0.10/24`: 24. */
export function prefixBits(prefix: string): number {
  return Number(prefix.slice(prefix.indexOf('/') + 1));
}

/** Whether two networks have addresses in common; host bits are ignored. */
export function overlaps(a: string, b: string): boolean {
  if (isIpv6(a) !== isIpv6(b)) return false;
  return prefixBits(a) <= prefixBits(b) ? contains(a, addressOf(b)) : contains(b, addressOf(a));
}

/** The `offset`-th address of a network. */
export function nthAddress(cidr: string, offset: number): string {
  const prefix = parsePrefix(cidr);
  if (prefix === undefined) throw new NodeError(`invalid CIDR address: ${cidr}`);
  const bytes = Uint8Array.from(prefix.address);
  for (let bit = prefix.bits; bit < bytes.length * 8; bit++) bytes[bit >> 3]! &= ~(0x80 >> (bit & 7));
  let carry = offset;
  for (let i = bytes.length - 1; i >= 0 && carry > 0; i--) {
    const sum = bytes[i]! + (carry & 255);
    bytes[i] = sum & 255;
    carry = Math.floor(carry / 256) + (sum > 255 ? 1 : 0);
  }
  return ipText(bytes);
}

/** Loopback, link-local and multicast addresses say nothing about where a node is. */
export function isUsable(address: string): boolean {
  const bytes = ipBytes(address);
  if (bytes === null) return false;
  if (bytes.length === 4) {
    return bytes[0] !== 127 && !(bytes[0] === 169 && bytes[1] === 254) && bytes[0]! < 224;
  }
  const loopback = bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
  return !loopback && !(bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80) && bytes[0] !== 0xff;
}
