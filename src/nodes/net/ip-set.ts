import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { addressOf, prefixBits } from './addresses.ts';

/** Addresses `first` to `last`, as numbers of one family. */
interface Range {
  readonly sizeBytes: 4 | 16;
  readonly first: bigint;
  readonly last: bigint;
}

/** A set of addresses: prefixes go in and are taken out, the fewest prefixes that make it up come out. */
export class IpSet {
  #ranges: readonly Range[] = [];

  /** Adds a network, as CIDR. */
  add(cidr: string): void {
    this.remove(cidr);
    this.#ranges = [...this.#ranges, rangeOf(cidr)];
  }

  /** Takes every address of a network out. */
  remove(cidr: string): void {
    const gone = rangeOf(cidr);
    this.#ranges = this.#ranges.flatMap((range) => without(range, gone));
  }

  /** In order, IPv4 first. */
  prefixes(): readonly string[] {
    return merged(this.#ranges).flatMap(prefixesOf);
  }
}

function rangeOf(cidr: string): Range {
  const bytes = ipBytes(addressOf(cidr))!;
  const sizeBytes = bytes.length === 4 ? 4 : 16;
  const hostBits = BigInt(sizeBytes * 8 - prefixBits(cidr));
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  const first = (value >> hostBits) << hostBits;
  return { sizeBytes, first, last: first + (1n << hostBits) - 1n };
}

function without(range: Range, gone: Range): readonly Range[] {
  const { sizeBytes, first, last } = range;
  if (sizeBytes !== gone.sizeBytes || gone.last < first || gone.first > last) return [range];
  const left = { sizeBytes, first, last: gone.first - 1n };
  const right = { sizeBytes, first: gone.last + 1n, last };
  return [left, right].filter((part) => part.first <= part.last);
}

/** In order; neighbours become one. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort((a, b) => a.sizeBytes - b.sizeBytes || (a.first < b.first ? -1 : 1));
  const out: Range[] = [];
  for (const range of sorted) {
    const before = out.at(-1);
    if (before?.sizeBytes === range.sizeBytes && before.last + 1n === range.first) {
      out[out.length - 1] = { ...before, last: range.last };
    } else out.push(range);
  }
  return out;
}

function prefixesOf({ sizeBytes, first, last }: Range): readonly string[] {
  const out: string[] = [];
  for (let at = first; at <= last; ) {
    let bits = 0n;
    while (bits < BigInt(sizeBytes * 8) && fits(at, bits + 1n, last)) bits++;
    out.push(`${textOf(at, sizeBytes)}/${sizeBytes * 8 - Number(bits)}`);
    at += 1n << bits;
  }
  return out;
}

/** Whether a block of 2^bits addresses begins at `at` and ends by `last`. */
function fits(at: bigint, bits: bigint, last: bigint): boolean {
  return at % (1n << bits) === 0n && at + (1n << bits) - 1n <= last;
}

function textOf(value: bigint, sizeBytes: number): string {
  const bytes = new Uint8Array(sizeBytes);
  let rest = value;
  for (let i = sizeBytes - 1; i >= 0; i--) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return ipText(bytes);
}
