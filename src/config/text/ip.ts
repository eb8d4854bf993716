/** Addresses and prefixes as Go's `net` and `net/netip` packages accept them. */
import { ipBytes, ipText } from '../../platform/x509/ip.ts';

export interface Address {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

export interface Prefix {
  readonly address: Uint8Array;
  readonly bits: number;
}

/** True for an address without zone (`net.ParseIP`). */
export function isIp(text: string): boolean {
  return ipBytes(text) !== null;
}

/** An address, with a zone allowed for IPv6 (`netip.ParseAddr`). */
export function parseAddress(text: string): Address | undefined {
  const at = text.indexOf('%');
  const bytes = ipBytes(at === -1 ? text : text.slice(0, at));
  if (bytes === null || (at !== -1 && (bytes.length !== 16 || at === text.length - 1))) {
    return undefined;
  }
  return { bytes, zone: at === -1 ? '' : text.slice(at + 1) };
}

/** `address/bits` with a decimal length without leading zero (`net.ParseCIDR`, `netip.ParsePrefix`). */
export function parsePrefix(text: string): Prefix | undefined {
  const at = text.lastIndexOf('/');
  if (at === -1) {
    return undefined;
  }
  const address = ipBytes(text.slice(0, at));
  const length = text.slice(at + 1);
  if (address === null || !/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > address.length * 8) {
    return undefined;
  }
  return { address, bits: Number(length) };
}

/** A prefix, or an address taken as a host prefix. */
export function parsePrefixOrAddress(text: string): Prefix | undefined {
  if (text.includes('/')) {
    return parsePrefix(text);
  }
  const bytes = ipBytes(text);
  return bytes === null ? undefined : { address: bytes, bits: bytes.length * 8 };
}

/** True when all bits behind the prefix length are zero. */
export function isMasked(prefix: Prefix): boolean {
  for (let bit = prefix.bits; bit < prefix.address.length * 8; bit += 1) {
    if (((prefix.address[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1) {
      return false;
    }
  }
  return true;
}

export function formatPrefix(prefix: Prefix): string {
  return `${shown(prefix.address)}/${prefix.bits}`;
}

/** As `net/netip` writes it: an IPv4 address within IPv6 keeps its prefix. */
function shown(bytes: Uint8Array): string {
  const text = ipText(bytes);
  return bytes.length === 16 && !text.includes(':') ? `::ffff:${text}` : text;
}

export function formatAddress(address: Address): string {
  const text = shown(address.bytes);
  return address.zone === '' ? text : `${text}%${address.zone}`;
}

/** True when the address lies in the prefix; families never mix. */
export function prefixContains(prefix: Prefix, address: Uint8Array): boolean {
  if (prefix.address.length !== address.length) {
    return false;
  }
  for (let bit = 0; bit < prefix.bits; bit += 1) {
    const shift = 7 - (bit & 7);
    if (((prefix.address[bit >> 3]! ^ address[bit >> 3]!) >> shift) & 1) {
      return false;
    }
  }
  return true;
}
