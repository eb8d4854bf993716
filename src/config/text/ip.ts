/** Addresses and prefixes as Go's `net` and `net/netip` packages accept them. */
import { goQuote } from '../../platform/text/quote.ts';
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

/** Why a text is no address, in the words of `netip.ParseAddr`; undefined when it is one. */
export function addressProblem(text: string): string | undefined {
  if (parseAddress(text) !== undefined) {
    return undefined;
  }
  const sign = /[.:%]/.exec(text)?.[0];
  const problem = sign === '.' ? fourProblem(text) : sign === '%' ? 'missing IPv6 address' : 'unable to parse IP';
  return `ParseAddr(${goQuote(text)}): ${problem}`;
}

/** The first thing that a reader of dotted decimals stumbles over. */
function fourProblem(text: string): string {
  let dots = 0;
  let digits = '';
  for (let at = 0; at < text.length; at += 1) {
    const rest = `(at ${goQuote(text.slice(at))})`;
    const char = text.charAt(at);
    if (/[0-9]/.test(char)) {
      if (digits === '0') return 'IPv4 field has octet with leading zero';
      digits += char;
      if (Number(digits) > 255) return 'IPv4 field has value >255';
    } else if (char === '.') {
      if (digits === '' || at === text.length - 1) return `IPv4 field must have at least one digit ${rest}`;
      if (dots === 3) return 'IPv4 address too long';
      dots += 1;
      digits = '';
    } else {
      return `unexpected character ${rest}`;
    }
  }
  return 'IPv4 address too short';
}

/** Why a text is no prefix, in the words of `netip.ParsePrefix`; undefined when it is one. */
export function prefixProblem(text: string): string | undefined {
  const wrong = (what: string): string => `netip.ParsePrefix(${goQuote(text)}): ${what}`;
  const at = text.lastIndexOf('/');
  if (at === -1) {
    return wrong("no '/'");
  }
  const address = addressProblem(text.slice(0, at));
  if (address !== undefined) {
    return wrong(address);
  }
  const bits = text.slice(at + 1);
  if (!/^(0|[1-9][0-9]*)$/.test(bits)) {
    return wrong(`bad bits after slash: ${goQuote(bits)}`);
  }
  return parsePrefix(text) === undefined ? wrong('prefix length out of range') : undefined;
}

/** True when one prefix holds the other; families never meet. */
export function prefixesOverlap(a: Prefix, b: Prefix): boolean {
  return prefixContains(a, b.address) || prefixContains(b, a.address);
}
