import { NetError } from '../platform/errors.ts';
import { ipBytes, ipText } from '../platform/x509/ip.ts';

/** An address with the network it is in: `10.0.0.10/24`. */
export interface Cidr {
  /** Canonical text of the whole. */
  readonly text: string;
  /** Canonical text of the address alone. */
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly prefixBits: number;
}

export type Family = 4 | 6;

export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** Parses `10.0.0.10/24`; null when it is none. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  if (slash < 0) return null;
  const bytes = ipBytes(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (bytes === null || !/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > bytes.length * 8) return null;
  const address = ipText(bytes);
  return { text: `${address}/${bits}`, address, bytes, prefixBits: Number(bits) };
}

/** Like {@link parseCidr}; NetError `address-not-available` when it is none. */
export function requireCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new NetError('address-not-available', `${text} is not an address with prefix length`);
  return cidr;
}

/** Canonical text of an address; NetError `address-not-available` when it is none. */
export function canonicalAddress(text: string): string {
  const bytes = ipBytes(text);
  if (bytes === null) throw new NetError('address-not-available', `${text} is not an IP address`);
  return ipText(bytes);
}

/** Bytes of an address that is known to be canonical. */
export function addressBytes(address: string): Uint8Array {
  return ipBytes(address)!;
}

/** Whether an address lies in a network. */
export function contains(network: Cidr, address: Uint8Array): boolean {
  if (network.bytes.length !== address.length) return false;
  const whole = network.prefixBits >> 3;
  for (let i = 0; i < whole; i++) if (network.bytes[i] !== address[i]) return false;
  const rest = network.prefixBits & 7;
  if (rest === 0) return true;
  const mask = 0xff00 >> rest;
  return ((network.bytes[whole]! ^ address[whole]!) & mask & 0xff) === 0;
}

/** 127.0.0.0/8 and ::1 never leave a network namespace. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** 0.0.0.0 and ::, which listen on every address. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
