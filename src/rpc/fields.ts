import { invariant } from '../platform/errors.ts';
import {
  boolScalar,
  bytesScalar,
  doubleScalar,
  fixed32Scalar,
  floatScalar,
  type Id64Wire,
  id64Scalar,
  int32Scalar,
  int64Scalar,
  type Scalar,
  sint64Scalar,
  stringScalar,
  uint32Scalar,
  uint64Scalar,
} from './scalars.ts';
import {
  DELIMITED,
  DecodeError,
  delimitedSizeBytes,
  Reader,
  type ReverseWriter,
  VARINT,
  varintSizeBytes,
} from './wire.ts';

/** One property of a message, with everything that its value needs on the wire. */
export interface Field<V> {
  /** Field numbers it occupies: one, or one per member of a oneof. */
  readonly numbers: readonly number[];
  /** What the property holds when nothing is on the wire. */
  readonly initial: V;
  /** With tags; 0 when the value equals {@link initial}. */
  sizeBytes(value: V): number;
  write(out: ReverseWriter, value: V): void;
  /** Folds one occurrence into what was read before. */
  read(input: Reader, number: number, wireType: number, previous: V): V;
}

/** A field with one number whose single elements can also be repeated, made optional, or put into a oneof. */
export interface ElementField<V, E> extends Field<V> {
  readonly number: number;
  readonly element: Scalar<E>;
}

/** Size of a tag. */
export function tagSizeBytes(number: number): number {
  return varintSizeBytes(number * 8);
}

/** Refuses an occurrence of a known field with a foreign wire type. */
export function expectWireType(expected: number, actual: number, number: number): void {
  if (expected !== actual) throw new DecodeError(`wrong wireType = ${actual} for field ${number}`);
}

function assertFieldNumber(number: number): void {
  invariant(Number.isInteger(number) && number >= 1 && number < 0x2000_0000, `field number ${number}`);
}

function singular<E>(number: number, element: Scalar<E>): ElementField<E, E> {
  assertFieldNumber(number);
  const tagBytes = tagSizeBytes(number);
  return Object.freeze({
    number,
    numbers: Object.freeze([number]),
    element,
    initial: element.zero,
    sizeBytes: (value: E) => (element.isZero(value) ? 0 : tagBytes + element.sizeBytes(value)),
    write: (out: ReverseWriter, value: E) => {
      if (element.isZero(value)) return;
      element.write(out, value);
      out.tag(number, element.wireType);
    },
    read: (input: Reader, _number: number, wireType: number) => {
      expectWireType(element.wireType, wireType, number);
      return element.read(input);
    },
  });
}

/** Signed 64-bit integer as a safe integer. */
export function int64(number: number): ElementField<number, number> {
  return singular(number, int64Scalar);
}

/** Unsigned 64-bit integer as a safe integer. */
export function uint64(number: number): ElementField<number, number> {
  return singular(number, uint64Scalar);
}

export function int32(number: number): ElementField<number, number> {
  return singular(number, int32Scalar);
}

export function uint32(number: number): ElementField<number, number> {
  return singular(number, uint32Scalar);
}

/** Zigzag-coded signed 64-bit integer. */
export function sint64(number: number): ElementField<number, number> {
  return singular(number, sint64Scalar);
}

export function fixed32(number: number): ElementField<number, number> {
  return singular(number, fixed32Scalar);
}

export function double(number: number): ElementField<number, number> {
  return singular(number, doubleScalar);
}

export function float(number: number): ElementField<number, number> {
  return singular(number, floatScalar);
}

export function bool(number: number): ElementField<boolean, boolean> {
  return singular(number, boolScalar);
}

export function string(number: number): ElementField<string, string> {
  return singular(number, stringScalar);
}

export function bytes(number: number): ElementField<Uint8Array, Uint8Array> {
  return singular(number, bytesScalar);
}

/** A 64-bit id (member, lease, cluster) as 16 lower-case hex digits; `T` may be a branded string. */
export function id64<T extends string = string>(number: number, wire: Id64Wire): ElementField<T, T> {
  return singular(number, id64Scalar<T>(wire));
}

/** An enum as the union of its names. A number that the enum does not know reads as its zero name. */
export function enumeration<const N extends Readonly<Record<string, number>>>(
  number: number,
  values: N,
): ElementField<keyof N & string, keyof N & string> {
  type Name = keyof N & string;
  const names = new Map<number, Name>();
  for (const name of Object.keys(values) as Name[]) {
    if (!names.has(values[name]!)) names.set(values[name]!, name);
  }
  const zero = names.get(0);
  invariant(zero !== undefined, `enum of field ${number} has no zero value`);
  return singular<Name>(number, {
    wireType: VARINT,
    zero,
    isZero: (name) => values[name] === 0,
    sizeBytes: (name) => {
      const value = values[name];
      invariant(value !== undefined, `enum of field ${number} has no value named ${name}`);
      return int32Scalar.sizeBytes(value);
    },
    write: (out, name) => int32Scalar.write(out, values[name]!),
    read: (input) => names.get(int32Scalar.read(input)) ?? zero,
  });
}

/** What a nested field needs of a message type. */
export interface Nestable<T> {
  sizeBytes(message: T): number;
  writeTo(out: ReverseWriter, message: T): void;
  readFrom(input: Reader): T;
}

/** A message within a message: null when absent. Takes a function for types that contain themselves. */
export function nested<T>(number: number, type: Nestable<T> | (() => Nestable<T>)): ElementField<T | null, T> {
  assertFieldNumber(number);
  const resolve = typeof type === 'function' ? type : () => type;
  const element: Scalar<T> = {
    wireType: DELIMITED,
    // Only oneofs and repeated fields use the element, and those never ask for a zero.
    zero: null as T,
    isZero: () => false,
    sizeBytes: (value) => delimitedSizeBytes(resolve().sizeBytes(value)),
    write: (out, value) => {
      const end = out.at;
      resolve().writeTo(out, value);
      out.varint(end - out.at);
    },
    read: (input) => {
      const length = input.length();
      const inner = new Reader(input.bytes, input.at, input.at + length);
      input.at += length;
      return resolve().readFrom(inner);
    },
  };
  return optional({ ...singular(number, element), element });
}

/** Explicit presence: null when absent, so that a zero can be told from nothing. */
export function optional<E>(field: ElementField<unknown, E>): ElementField<E | null, E> {
  const { number, element } = field;
  const tagBytes = tagSizeBytes(number);
  return Object.freeze({
    number,
    numbers: Object.freeze([number]),
    element,
    initial: null,
    sizeBytes: (value: E | null) => (value === null ? 0 : tagBytes + element.sizeBytes(value)),
    write: (out: ReverseWriter, value: E | null) => {
      if (value === null) return;
      element.write(out, value);
      out.tag(number, element.wireType);
    },
    read: (input: Reader, _number: number, wireType: number) => {
      expectWireType(element.wireType, wireType, number);
      return element.read(input);
    },
  });
}
