import { utf8Decode, utf8Encode, utf8SizeBytes } from '../platform/bytes.ts';
import { Bug } from '../platform/errors.ts';

/** Protocol buffer wire types that exist in proto3. */
export type WireType = 0 | 1 | 2 | 5;
export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;

const TWO_32 = 0x1_0000_0000;
/** Up to here a loop copies bytes faster than a call does. */
const FEW_BYTES = 24;

/** Bytes from outside are not an encoding of the expected message. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/** Encoded size of an unsigned number below 2^53. */
export function varintSizeBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  if (value < 0x1000_0000) return 4;
  if (value < 0x8_0000_0000) return 5;
  if (value < 0x400_0000_0000) return 6;
  if (value < 0x2_0000_0000_0000) return 7;
  return 8;
}

/** Encoded size of the unsigned 64-bit number `high` · 2^32 + `low`. */
export function varint64SizeBytes(high: number, low: number): number {
  const upper = high >>> 0;
  if (upper < 0x20_0000) return varintSizeBytes(upper * TWO_32 + (low >>> 0));
  return upper < 0x100_0000 ? 8 : upper < 0x8000_0000 ? 9 : 10;
}

/**
 * Writes an encoding from its end to its start, so that the length of a nested message is known when its prefix is
 * written. The buffer has exactly the final size, and room for a head if one is asked for.
 */
export class ReverseWriter {
  readonly bytes: Uint8Array;
  /** Offset of the first byte written so far. */
  at: number;

  readonly #headBytes: number;

  /** `headBytes` are left free before the encoding. */
  constructor(sizeBytes: number, headBytes = 0) {
    this.bytes = new Uint8Array(headBytes + sizeBytes);
    this.at = this.bytes.length;
    this.#headBytes = headBytes;
  }

  /** Unsigned number below 2^53. */
  varint(value: number): void {
    if (value < 0x80) this.bytes[--this.at] = value;
    else if (value < 0x8000_0000) {
      let at = this.at - varintSizeBytes(value);
      let rest = value;
      this.at = at;
      for (; rest >= 0x80; rest >>>= 7) this.bytes[at++] = (rest & 0x7f) | 0x80;
      this.bytes[at] = rest;
    } else this.varint64(Math.floor(value / TWO_32), value >>> 0);
  }

  varint64(high: number, low: number): void {
    let upper = high >>> 0;
    let lower = low >>> 0;
    let at = this.at - varint64SizeBytes(upper, lower);
    this.at = at;
    while (upper !== 0 || lower >= 0x80) {
      this.bytes[at++] = (lower & 0x7f) | 0x80;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.bytes[at] = lower;
  }

  fixed32(value: number): void {
    this.at -= 4;
    this.bytes[this.at] = value & 0xff;
    this.bytes[this.at + 1] = (value >>> 8) & 0xff;
    this.bytes[this.at + 2] = (value >>> 16) & 0xff;
    this.bytes[this.at + 3] = (value >>> 24) & 0xff;
  }

  fixed64(high: number, low: number): void {
    this.fixed32(high);
    this.fixed32(low);
  }

  raw(bytes: Uint8Array): void {
    const { length } = bytes;
    this.at -= length;
    if (length > FEW_BYTES) this.bytes.set(bytes, this.at);
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = bytes[i]!;
  }

  text(text: string): void {
    this.raw(utf8Encode(text));
  }

  tag(number: number, wireType: WireType): void {
    this.varint(number * 8 + wireType);
  }

  /** The finished encoding. */
  finish(): Uint8Array {
    const off = this.at - this.#headBytes;
    if (off !== 0) throw new Bug(`encoded size is off by ${off} bytes`);
    return this.bytes;
  }
}

/** Reads an encoding; every method throws {@link DecodeError} at its end. */
export class Reader {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  /** Halves of the last 64-bit value read. */
  high = 0;
  low = 0;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.at >= this.end) throw new DecodeError('unexpected EOF');
    return this.bytes[this.at++]!;
  }

  /** Reads up to 64 bits into {@link high} and {@link low}. */
  varint64(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const next = this.byte();
      const bits = next & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (next < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new DecodeError('integer overflow');
  }

  /** Unsigned; DecodeError beyond 2^53 - 1. */
  varint(): number {
    const first = this.bytes[this.at]!;
    if (this.at < this.end && first < 0x80) {
      this.at++;
      return first;
    }
    this.varint64();
    return this.unsigned();
  }

  fixed32(): number {
    if (this.at + 4 > this.end) throw new DecodeError('unexpected EOF');
    const { bytes, at } = this;
    this.at += 4;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }

  fixed64(): void {
    this.low = this.fixed32();
    this.high = this.fixed32();
  }

  /** The last 64-bit value as an unsigned safe integer. */
  unsigned(): number {
    if (this.high >= 0x20_0000) throw new DecodeError('integer beyond 2^53 - 1');
    return this.high * TWO_32 + this.low;
  }

  /** The last 64-bit value as a signed safe integer. */
  signed(): number {
    const value = (this.high | 0) * TWO_32 + this.low;
    if (!Number.isSafeInteger(value)) throw new DecodeError('integer beyond 2^53 - 1');
    return value;
  }

  length(): number {
    const length = this.varint();
    if (length > this.end - this.at) throw new DecodeError('unexpected EOF');
    return length;
  }

  raw(): Uint8Array {
    const length = this.length();
    const start = this.at;
    this.at += length;
    return this.bytes.slice(start, this.at);
  }

  text(): string {
    const length = this.length();
    const start = this.at;
    this.at += length;
    return utf8Decode(this.bytes, start, this.at);
  }

  skip(wireType: number): void {
    if (wireType === VARINT) this.varint64();
    else if (wireType === DELIMITED) {
      const length = this.length();
      this.at += length;
    } else if (wireType === FIXED64) this.fixed64();
    else if (wireType === FIXED32) this.fixed32();
    else throw new DecodeError(`wire type ${wireType}`);
  }
}

/** Size of a length-delimited value with its length prefix. */
export function delimitedSizeBytes(sizeBytes: number): number {
  return varintSizeBytes(sizeBytes) + sizeBytes;
}

export function textSizeBytes(text: string): number {
  return delimitedSizeBytes(utf8SizeBytes(text));
}
