import { checkHexDigit, hexDigit } from '../platform/bytes.ts';
import { Bug, invariant } from '../platform/errors.ts';
import {
  DELIMITED,
  delimitedSizeBytes,
  FIXED32,
  FIXED64,
  type Reader,
  type ReverseWriter,
  textSizeBytes,
  VARINT,
  varint64SizeBytes,
  varintSizeBytes,
  type WireType,
} from './wire.ts';

/** How one value is put on the wire, without its tag. */
export interface Scalar<T> {
  readonly wireType: WireType;
  readonly zero: T;
  isZero(value: T): boolean;
  sizeBytes(value: T): number;
  write(out: ReverseWriter, value: T): void;
  read(input: Reader): T;
}

const TWO_32 = 0x1_0000_0000;

function assertSafe(value: number, what: string): void {
  // The text is made only where it is needed: every number of every message passes here.
  if (!Number.isSafeInteger(value)) throw new Bug(`${what} ${value} is not a safe integer`);
}

/** int64: negative numbers take ten bytes. Beyond ±(2^53 - 1): Bug when encoding, DecodeError when decoding. */
export const int64Scalar: Scalar<number> = Object.freeze({
  wireType: VARINT,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    assertSafe(value, 'int64');
    return value < 0 ? 10 : varintSizeBytes(value);
  },
  write: (out: ReverseWriter, value: number) => {
    if (value >= 0) out.varint(value);
    else out.varint64(Math.floor(value / TWO_32), value >>> 0);
  },
  read: (input: Reader) => {
    input.varint64();
    return input.signed();
  },
});

export const uint64Scalar: Scalar<number> = Object.freeze({
  wireType: VARINT,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    assertSafe(value, 'uint64');
    if (value < 0) throw new Bug(`uint64 ${value} is negative`);
    return varintSizeBytes(value);
  },
  write: (out: ReverseWriter, value: number) => out.varint(value),
  read: (input: Reader) => input.varint(),
});

export const int32Scalar: Scalar<number> = Object.freeze({
  wireType: VARINT,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    if ((value | 0) !== value) throw new Bug(`int32 ${value} is out of range`);
    return value < 0 ? 10 : varintSizeBytes(value);
  },
  write: (out: ReverseWriter, value: number) => out.varint64(value < 0 ? -1 : 0, value),
  read: (input: Reader) => {
    input.varint64();
    return input.low | 0;
  },
});

export const uint32Scalar: Scalar<number> = Object.freeze({
  wireType: VARINT,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    if (value >>> 0 !== value) throw new Bug(`uint32 ${value} is out of range`);
    return varintSizeBytes(value);
  },
  write: (out: ReverseWriter, value: number) => out.varint(value),
  read: (input: Reader) => {
    input.varint64();
    return input.low;
  },
});

export const sint64Scalar: Scalar<number> = Object.freeze({
  wireType: VARINT,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    assertSafe(value * 2, 'sint64 (doubled)');
    return varintSizeBytes(value < 0 ? -value * 2 - 1 : value * 2);
  },
  write: (out: ReverseWriter, value: number) => out.varint(value < 0 ? -value * 2 - 1 : value * 2),
  read: (input: Reader) => {
    const folded = input.varint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  },
});

export const boolScalar: Scalar<boolean> = Object.freeze({
  wireType: VARINT,
  zero: false,
  isZero: (value: boolean) => !value,
  sizeBytes: () => 1,
  write: (out: ReverseWriter, value: boolean) => out.varint(value ? 1 : 0),
  read: (input: Reader) => {
    input.varint64();
    return input.low !== 0 || input.high !== 0;
  },
});

export const fixed32Scalar: Scalar<number> = Object.freeze({
  wireType: FIXED32,
  zero: 0,
  isZero: (value: number) => value === 0,
  sizeBytes: (value: number) => {
    invariant(value >>> 0 === value, `fixed32 ${value} is out of range`);
    return 4;
  },
  write: (out: ReverseWriter, value: number) => out.fixed32(value),
  read: (input: Reader) => input.fixed32(),
});

/** IEEE 754 double. The sign of zero travels, as in every implementation. */
export const doubleScalar: Scalar<number> = Object.freeze({
  wireType: FIXED64,
  zero: 0,
  isZero: (value: number) => Object.is(value, 0),
  sizeBytes: () => 8,
  write: (out: ReverseWriter, value: number) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    out.raw(bytes);
  },
  read: (input: Reader) => {
    input.fixed64();
    const view = new DataView(new ArrayBuffer(8));
    view.setUint32(0, input.low, true);
    view.setUint32(4, input.high, true);
    return view.getFloat64(0, true);
  },
});

/** IEEE 754 single; a value that is not one is rounded to the nearest. */
export const floatScalar: Scalar<number> = Object.freeze({
  wireType: FIXED32,
  zero: 0,
  isZero: (value: number) => Object.is(value, 0),
  sizeBytes: () => 4,
  write: (out: ReverseWriter, value: number) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    out.raw(bytes);
  },
  read: (input: Reader) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, input.fixed32(), true);
    return view.getFloat32(0, true);
  },
});

export const stringScalar: Scalar<string> = Object.freeze({
  wireType: DELIMITED,
  zero: '',
  isZero: (value: string) => value.length === 0,
  sizeBytes: textSizeBytes,
  write: (out: ReverseWriter, value: string) => {
    const end = out.at;
    out.text(value);
    out.varint(end - out.at);
  },
  read: (input: Reader) => input.text(),
});

export const bytesScalar: Scalar<Uint8Array> = Object.freeze({
  wireType: DELIMITED,
  zero: new Uint8Array(0),
  isZero: (value: Uint8Array) => value.length === 0,
  sizeBytes: (value: Uint8Array) => delimitedSizeBytes(value.length),
  write: (out: ReverseWriter, value: Uint8Array) => {
    out.raw(value);
    out.varint(value.length);
  },
  read: (input: Reader) => input.raw(),
});

/** Wire forms of a 64-bit id. */
export type Id64Wire = 'uint64' | 'int64' | 'fixed64';

export const ZERO_ID64 = '0000000000000000';

const ID_DIGITS = 16;

/** 32 bits of an id, from its digit `from` on; −1 when one of them is no digit. */
function half(id: string, from: number): number {
  let value = 0;
  let check = 0;
  for (let i = from; i < from + ID_DIGITS / 2; i++) {
    const code = id.charCodeAt(i);
    check |= checkHexDigit(code);
    value = (value << 4) | hexDigit(code);
  }
  return check < 0 ? -1 : value >>> 0;
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** A 64-bit id as 16 lower-case hex digits; `int64` and `uint64` have the same bits on the wire. */
export function id64Scalar<T extends string>(wire: Id64Wire): Scalar<T> {
  const fixed = wire === 'fixed64';
  return Object.freeze({
    wireType: fixed ? FIXED64 : VARINT,
    zero: ZERO_ID64 as T,
    isZero: (value: T) => value === ZERO_ID64,
    sizeBytes: (value: T) => {
      const high = half(value, 0);
      const low = half(value, ID_DIGITS / 2);
      if (value.length !== ID_DIGITS || high < 0 || low < 0) {
        throw new Bug(`64-bit id ${JSON.stringify(value)} is not 16 lower-case hex digits`);
      }
      return fixed ? 8 : varint64SizeBytes(high, low);
    },
    write: (out: ReverseWriter, value: T) => {
      if (fixed) out.fixed64(half(value, 0), half(value, ID_DIGITS / 2));
      else out.varint64(half(value, 0), half(value, ID_DIGITS / 2));
    },
    read: (input: Reader) => {
      if (fixed) input.fixed64();
      else input.varint64();
      return (hex32(input.high) + hex32(input.low)) as T;
    },
  });
}
