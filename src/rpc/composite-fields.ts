import { invariant } from '../platform/errors.ts';
import type { ElementField, Field } from './fields.ts';
import { expectWireType, tagSizeBytes } from './fields.ts';
import { DELIMITED, DecodeError, delimitedSizeBytes, Reader, type ReverseWriter } from './wire.ts';

const EMPTY_LIST: readonly never[] = Object.freeze([]);
const EMPTY_MAP: Readonly<Record<string, never>> = Object.freeze({});

/** A list. Numbers, booleans and enums are packed; both forms are read. */
export function repeated<E>(field: ElementField<unknown, E>): Field<readonly E[]> {
  return field.element.wireType === DELIMITED ? unpacked(field) : packed(field);
}

/** A list with a tag for each element (strings, bytes, messages; numbers of proto2). */
export function unpacked<E>(field: ElementField<unknown, E>): Field<readonly E[]> {
  const { number, element } = field;
  const tagBytes = tagSizeBytes(number);
  return Object.freeze({
    numbers: Object.freeze([number]),
    initial: EMPTY_LIST,
    sizeBytes: (list: readonly E[]) => {
      let size = list.length * tagBytes;
      for (const item of list) size += element.sizeBytes(item);
      return size;
    },
    write: (out: ReverseWriter, list: readonly E[]) => {
      for (let i = list.length - 1; i >= 0; i--) {
        element.write(out, list[i]!);
        out.tag(number, element.wireType);
      }
    },
    read: (input: Reader, _number: number, wireType: number, previous: readonly E[]) =>
      readElements(field, input, wireType, previous),
  });
}

function packed<E>(field: ElementField<unknown, E>): Field<readonly E[]> {
  const { number, element } = field;
  const tagBytes = tagSizeBytes(number);
  return Object.freeze({
    numbers: Object.freeze([number]),
    initial: EMPTY_LIST,
    sizeBytes: (list: readonly E[]) => {
      if (list.length === 0) return 0;
      let size = 0;
      for (const item of list) size += element.sizeBytes(item);
      return tagBytes + delimitedSizeBytes(size);
    },
    write: (out: ReverseWriter, list: readonly E[]) => {
      if (list.length === 0) return;
      const end = out.at;
      for (let i = list.length - 1; i >= 0; i--) element.write(out, list[i]!);
      out.varint(end - out.at);
      out.tag(number, DELIMITED);
    },
    read: (input: Reader, _number: number, wireType: number, previous: readonly E[]) =>
      readElements(field, input, wireType, previous),
  });
}

function readElements<E>(
  field: ElementField<unknown, E>,
  input: Reader,
  wireType: number,
  previous: readonly E[],
): readonly E[] {
  const { element, number } = field;
  // The list under construction is still private to this decode.
  const list = previous === EMPTY_LIST ? [] : (previous as E[]);
  if (wireType === element.wireType) {
    list.push(element.read(input));
    return list;
  }
  expectWireType(DELIMITED, wireType, number);
  const length = input.length();
  const inner = new Reader(input.bytes, input.at, input.at + length);
  input.at += length;
  while (!inner.done) list.push(element.read(inner));
  return list;
}

/** A map with text keys, in the order of insertion. `key` has number 1 and `value` number 2, as in the wire's entries. */
export function map<E>(
  number: number,
  key: ElementField<unknown, string>,
  value: ElementField<unknown, E>,
): Field<Readonly<Record<string, E>>> {
  invariant(key.number === 1 && value.number === 2, `map field ${number}: key must be 1 and value 2`);
  const tagBytes = tagSizeBytes(number);
  const entrySizeBytes = (name: string, item: E): number =>
    2 + key.element.sizeBytes(name) + value.element.sizeBytes(item);
  return Object.freeze({
    numbers: Object.freeze([number]),
    initial: EMPTY_MAP as Readonly<Record<string, E>>,
    sizeBytes: (record: Readonly<Record<string, E>>) => {
      let size = 0;
      for (const name of Object.keys(record))
        size += tagBytes + delimitedSizeBytes(entrySizeBytes(name, record[name]!));
      return size;
    },
    write: (out: ReverseWriter, record: Readonly<Record<string, E>>) => {
      const names = Object.keys(record);
      for (let i = names.length - 1; i >= 0; i--) {
        const end = out.at;
        value.element.write(out, record[names[i]!]!);
        out.tag(2, value.element.wireType);
        key.element.write(out, names[i]!);
        out.tag(1, key.element.wireType);
        out.varint(end - out.at);
        out.tag(number, DELIMITED);
      }
    },
    read: (input: Reader, _number: number, wireType: number, previous: Readonly<Record<string, E>>) => {
      expectWireType(DELIMITED, wireType, number);
      const record = previous === EMPTY_MAP ? {} : (previous as Record<string, E>);
      const [name, item] = readEntry(input, key, value);
      Object.defineProperty(record, name, { value: item, writable: true, enumerable: true, configurable: true });
      return record;
    },
  });
}

function readEntry<E>(input: Reader, key: ElementField<unknown, string>, value: ElementField<unknown, E>): [string, E] {
  const length = input.length();
  const inner = new Reader(input.bytes, input.at, input.at + length);
  input.at += length;
  let name = key.element.zero;
  let item: E = value.element.zero;
  while (!inner.done) {
    const tag = inner.varint();
    if (tag === 8 + key.element.wireType) name = key.element.read(inner);
    else if (tag === 16 + value.element.wireType) item = value.element.read(inner);
    else inner.skip(tag & 7);
  }
  if (item === null) throw new DecodeError('map entry without a value');
  return [name, item];
}

type OneofMembers = Readonly<Record<string, ElementField<unknown, unknown>>>;

type ElementOf<F> = F extends ElementField<infer _V, infer E> ? E : never;

/** Which member of a oneof is set, and its value; null when none is. */
export type OneofValue<M extends OneofMembers> =
  | { readonly [K in keyof M & string]: { readonly case: K; readonly value: ElementOf<M[K]> } }[keyof M & string]
  | null;

interface AnyCase {
  readonly case: string;
  readonly value: unknown;
}

/** At most one of several fields: `{ case: 'version', value: 3 }`, or null. The last one on the wire wins. */
export function oneof<M extends OneofMembers>(members: M): Field<OneofValue<M>> {
  const names = Object.keys(members);
  const byNumber = new Map(names.map((name) => [members[name]!.number, name] as const));
  const field: Field<AnyCase | null> = {
    numbers: Object.freeze([...byNumber.keys()]),
    initial: null,
    sizeBytes: (value) => {
      if (value === null) return 0;
      const member = members[value.case]!;
      return tagSizeBytes(member.number) + member.element.sizeBytes(value.value);
    },
    write: (out, value) => {
      if (value === null) return;
      const member = members[value.case]!;
      member.element.write(out, value.value);
      out.tag(member.number, member.element.wireType);
    },
    read: (input, number, wireType) => {
      const name = byNumber.get(number)!;
      const member = members[name]!;
      expectWireType(member.element.wireType, wireType, number);
      return { case: name, value: member.element.read(input) };
    },
  };
  return Object.freeze(field) as unknown as Field<OneofValue<M>>;
}
