import { invariant } from '../platform/errors.ts';
import type { Codec } from '../platform/rpc.ts';
import type { Field, Nestable } from './fields.ts';
import { Reader, ReverseWriter } from './wire.ts';
import type { Encoding } from './written-out.ts';

/** The properties of a message. */
export type Shape = Readonly<Record<string, Field<unknown>>>;

type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Field<infer V> ? V : never };

/** A message type: its codec, and how values of it are made. */
export interface MessageType<T> extends Codec<T>, Nestable<T> {
  /** The message with nothing set. */
  readonly empty: T;
  /** A message with the given properties; the others hold their proto3 defaults. */
  of(values?: Partial<T>): T;
  readonly shape: Shape;
}

/** The values of a message type: `MessageOf<typeof RangeRequest>`. */
export type MessageOf<M> = M extends MessageType<infer T> ? T : never;

/**
 * Describes a protobuf message: `message('etcdserverpb.RangeRequest', { key: bytes(1), limit: int64(3) })`. Values are
 * immutable objects that always hold every property: proto3 defaults where nothing was set, null where presence is
 * explicit (nested messages, `optional`, `oneof`). Fields unknown to the description are skipped when reading.
 *
 * `encoding` writes the same out by hand, for messages that are too frequent to ask their fields.
 */
export function message<const S extends Shape>(
  typeName: string,
  shape: S,
  encoding?: Encoding<ValuesOf<S>>,
): MessageType<ValuesOf<S>> {
  return encoding === undefined
    ? new DescribedMessage<ValuesOf<S>>(typeName, shape)
    : new WrittenOutMessage<ValuesOf<S>>(typeName, shape, encoding);
}

/**
 * Whether a property certainly takes no room on the wire: most of them hold what nothing gives, and then their field
 * need not be asked. The zero below zero is one that travels.
 */
function isUnset(value: unknown, initial: unknown): boolean {
  return value === initial && (value !== 0 || !Object.is(value, -0));
}

interface Slot {
  readonly name: string;
  readonly field: Field<unknown>;
}

type Values = Readonly<Record<string, unknown>>;

class DescribedMessage<T> implements MessageType<T> {
  readonly typeName: string;
  readonly shape: Shape;
  readonly empty: T;
  /** Copied for each new value; not frozen, since copies of frozen objects are several times slower to make. */
  readonly #defaults: Values;
  /** Ascending by field number, as encoders write them. */
  readonly #names: readonly string[];
  readonly #fields: readonly Field<unknown>[];
  readonly #initials: readonly unknown[];
  readonly #byNumber = new Map<number, Slot>();

  constructor(typeName: string, shape: Shape) {
    this.typeName = typeName;
    this.shape = shape;
    const defaults: Record<string, unknown> = {};
    const slots: Slot[] = [];
    for (const name of Object.keys(shape)) {
      const slot = { name, field: shape[name]! };
      slots.push(slot);
      defaults[name] = slot.field.initial;
      for (const number of slot.field.numbers) {
        invariant(!this.#byNumber.has(number), `${typeName}: field number ${number} is used twice`);
        this.#byNumber.set(number, slot);
      }
    }
    slots.sort((a, b) => a.field.numbers[0]! - b.field.numbers[0]!);
    this.#names = slots.map((slot) => slot.name);
    this.#fields = slots.map((slot) => slot.field);
    this.#initials = slots.map((slot) => slot.field.initial);
    this.#defaults = defaults;
    this.empty = Object.freeze({ ...defaults }) as T;
  }

  of(values?: Partial<T>): T {
    return { ...this.#defaults, ...values } as T;
  }

  sizeBytes(value: T): number {
    const values = value as Values;
    const names = this.#names;
    const fields = this.#fields;
    const initials = this.#initials;
    let size = 0;
    for (let i = 0; i < names.length; i++) {
      const one = values[names[i]!];
      if (!isUnset(one, initials[i])) size += fields[i]!.sizeBytes(one);
    }
    return size;
  }

  encode(value: T): Uint8Array {
    const out = new ReverseWriter(this.sizeBytes(value));
    this.writeTo(out, value);
    return out.finish();
  }

  writeTo(out: ReverseWriter, value: T): void {
    const values = value as Values;
    const names = this.#names;
    const initials = this.#initials;
    for (let i = names.length - 1; i >= 0; i--) {
      const one = values[names[i]!];
      if (!isUnset(one, initials[i])) this.#fields[i]!.write(out, one);
    }
  }

  /** Throws DecodeError. */
  decode(bytes: Uint8Array): T {
    return this.readFrom(new Reader(bytes));
  }

  readFrom(input: Reader): T {
    const values: Record<string, unknown> = { ...this.#defaults };
    while (!input.done) {
      const tag = input.varint();
      const number = Math.floor(tag / 8);
      const slot = this.#byNumber.get(number);
      if (slot === undefined) input.skip(tag & 7);
      else values[slot.name] = slot.field.read(input, number, tag & 7, values[slot.name]);
    }
    return values as T;
  }
}

class WrittenOutMessage<T> extends DescribedMessage<T> {
  readonly #encoding: Encoding<T>;

  constructor(typeName: string, shape: Shape, encoding: Encoding<T>) {
    super(typeName, shape);
    this.#encoding = encoding;
  }

  override sizeBytes(value: T): number {
    return this.#encoding.sizeBytes(value);
  }

  override writeTo(out: ReverseWriter, value: T): void {
    this.#encoding.writeTo(out, value);
  }
}
