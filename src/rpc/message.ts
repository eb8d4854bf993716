import { invariant } from '../platform/errors.ts';
import type { Codec } from '../platform/rpc.ts';
import { compile, type Slot } from './compiled.ts';
import type { Field, Nestable } from './fields.ts';
import { Reader, ReverseWriter } from './wire.ts';

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
 */
export function message<const S extends Shape>(typeName: string, shape: S): MessageType<ValuesOf<S>> {
  return new DescribedMessage<ValuesOf<S>>(typeName, shape);
}

class DescribedMessage<T> implements MessageType<T> {
  readonly typeName: string;
  readonly shape: Shape;
  readonly empty: T;
  readonly of: (values?: Partial<T>) => T;
  readonly sizeBytes: (value: T) => number;
  readonly writeTo: (out: ReverseWriter, value: T) => void;
  readonly #byNumber = new Map<number, Slot>();

  constructor(typeName: string, shape: Shape) {
    this.typeName = typeName;
    this.shape = shape;
    const slots = Object.keys(shape).map((name): Slot => ({ name, field: shape[name]! }));
    for (const slot of slots) {
      for (const number of slot.field.numbers) {
        invariant(!this.#byNumber.has(number), `${typeName}: field number ${number} is used twice`);
        this.#byNumber.set(number, slot);
      }
    }
    const { of, sizeBytes, write } = compile<T>(slots);
    this.of = of;
    this.sizeBytes = sizeBytes;
    this.writeTo = write;
    this.empty = Object.freeze(of());
  }

  encode(value: T): Uint8Array {
    const out = new ReverseWriter(this.sizeBytes(value));
    this.writeTo(out, value);
    return out.finish();
  }

  /** Throws DecodeError. */
  decode(bytes: Uint8Array): T {
    return this.readFrom(new Reader(bytes));
  }

  readFrom(input: Reader): T {
    const values = this.of() as Record<string, unknown>;
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
