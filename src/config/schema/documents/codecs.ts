/** Custom scalars of the side documents. */

import { parseBytes } from '../../../platform/text/humanize.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import {
  addressProblem,
  formatAddress,
  formatPrefix,
  parseAddress,
  parsePrefix,
  prefixProblem,
} from '../../text/ip.ts';
import { normalizeUrl } from '../../text/url.ts';
import type { TextCodec, TextResult } from '../types.ts';

const isEmpty = (value: string | number | bigint): boolean => value === '';

/** `meta.URL`: empty text is no URL at all (reference E.1). */
export const urlCodec: TextCodec = Object.freeze({
  name: 'URL',
  goType: 'meta.URL',
  via: 'text' as const,
  decode: (text: string): TextResult => (text === '' ? { value: '' } : normalizeUrl(text)),
  isZero: isEmpty,
});

/** CEL expression: any text is taken at decoding, compiled at validation. */
export const expressionCodec: TextCodec = Object.freeze({
  name: 'CEL expression',
  goType: 'cel.Expression',
  via: 'text' as const,
  decode: (text: string): TextResult => ({ value: text }),
  isZero: isEmpty,
});

/** Byte size; the text is kept as written. From v1.12 on a leading minus means "all but". */
export const byteSizeCodec: TextCodec = Object.freeze({
  name: 'size in bytes or with a unit, e.g. 10GiB',
  goType: 'block.ByteSize',
  via: 'text' as const,
  decode: decodeSize,
  isZero: isEmpty,
});

/** `maxSize`: a byte size or, from v1.12 on, a percentage. */
export const sizeCodec: TextCodec = Object.freeze({
  ...byteSizeCodec,
  name: 'size in bytes, with a unit, or in percent',
  goType: 'block.Size',
  decode: (text: string): TextResult => {
    if (!text.endsWith('%')) {
      return decodeSize(text);
    }
    const number = text.slice(0, -1).replace(/^-/, '');
    if (!/^[0-9]+$/.test(number)) {
      return { error: `strconv.ParseUint: parsing ${goQuote(number)}: invalid syntax` };
    }
    return Number(number) > 100 ? { error: 'percentage must be between 0 and 100' } : { value: text };
  },
});

function decodeSize(text: string): TextResult {
  const bytes = text === '' ? 0n : parseBytes(text.replace(/^-/, ''));
  return typeof bytes === 'string' ? { error: bytes } : { value: text };
}

/** `netip.Prefix`; empty text is the invalid zero prefix, which validation refuses. */
export const prefixCodec: TextCodec = Object.freeze({
  name: 'prefix such as 10.0.0.0/8',
  goType: 'netip.Prefix',
  via: 'text' as const,
  decode: (text: string): TextResult => {
    const problem = text === '' ? undefined : prefixProblem(text);
    if (problem !== undefined) {
      return { error: problem };
    }
    const prefix = parsePrefix(text);
    return { value: prefix === undefined ? '' : formatPrefix(prefix) };
  },
  isZero: isEmpty,
});

/** `netip.Addr`. */
export const addressCodec: TextCodec = Object.freeze({
  name: 'IP address',
  goType: 'netip.Addr',
  via: 'text' as const,
  decode: (text: string): TextResult => {
    const problem = text === '' ? undefined : addressProblem(text);
    if (problem !== undefined) {
      return { error: problem };
    }
    const address = parseAddress(text);
    return { value: address === undefined ? '' : formatAddress(address) };
  },
  isZero: isEmpty,
});

/** `netip.AddrPort`. */
export const addressPortCodec: TextCodec = Object.freeze({
  name: 'IP address and port',
  goType: 'netip.AddrPort',
  via: 'text' as const,
  decode: (text: string): TextResult => {
    const match = /^(?:\[(.*)\]|([^:]*)):([0-9]+)$/.exec(text);
    const host = match?.[1] ?? match?.[2] ?? '';
    const address = parseAddress(host);
    if (match === null || address === undefined || (address.bytes.length === 16) !== (match[1] !== undefined)) {
      return { error: 'not an ip:port' };
    }
    if (Number(match[3]) > 65535) {
      return { error: `invalid port ${goQuote(match[3]!)} parsing ${goQuote(text)}` };
    }
    const name = formatAddress(address);
    return { value: `${address.bytes.length === 16 ? `[${name}]` : name}:${Number(match[3])}` };
  },
  isZero: isEmpty,
});

const TABLES: Readonly<Record<string, string>> = Object.freeze({
  '0': 'unspec',
  '253': 'default',
  '254': 'main',
  '255': 'local',
});

/** `nethelpers.RoutingTable`: a number, of which four have names. */
export const routingTableCodec: TextCodec = Object.freeze({
  name: 'routing table: unspec, default, main, local or a number',
  goType: 'nethelpers.RoutingTable',
  via: 'text' as const,
  decode: (text: string): TextResult => {
    if (Object.values(TABLES).includes(text)) {
      return { value: text };
    }
    const number = /^[0-9]+$/.test(text) ? Number(text) : 0x1_0000_0000;
    return number <= 0xffff_ffff
      ? { value: TABLES[String(number)] ?? String(number) }
      : { error: `${text} does not belong to RoutingTable values` };
  },
  isZero: (value: string | number | bigint) => value === 'unspec',
  zeroText: 'unspec',
});

/** One port, or `low-high`. A single one is held as a number. */
export const portRangeCodec: TextCodec = Object.freeze({
  name: 'port or range of ports such as 8000-8100',
  goType: 'network.PortRange',
  via: 'string' as const,
  decode: (text: string): TextResult => {
    const match = /^([0-9]+)(?:-([0-9]+))?$/.exec(text);
    const low = Number(match?.[1]);
    const high = match?.[2] === undefined ? low : Number(match[2]);
    if (match === null || low > 65535 || high > 65535) {
      return { error: `invalid port range: ${goQuote(text)}` };
    }
    return { value: low === high ? low : `${low}-${high}` };
  },
  isZero: () => false,
});

/** An enumeration whose Go type parses text; the first word is the zero value unless `zero` is given. */
export function enumCodec(goType: string, words: readonly string[], zero: string | undefined): TextCodec {
  const short = goType.slice(goType.lastIndexOf('.') + 1);
  return Object.freeze({
    name: `one of ${words.join(', ')}`,
    goType,
    via: 'text' as const,
    decode: (text: string): TextResult => {
      const found = words.find((word) => word === text) ?? words.find((word) => word === text.toLowerCase());
      return found === undefined ? { error: `${text} does not belong to ${short} values` } : { value: found };
    },
    isZero: (value: string | number | bigint) => value === zero,
    zeroText: words[0] ?? '',
  });
}
