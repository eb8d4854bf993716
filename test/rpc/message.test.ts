import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex, utf8Encode } from '../../src/platform/bytes.ts';
import { map, oneof, repeated, unpacked } from '../../src/rpc/composite-fields.ts';
import {
  bool,
  bytes,
  double,
  enumeration,
  fixed32,
  float,
  id64,
  int32,
  int64,
  nested,
  optional,
  sint64,
  string,
  uint32,
  uint64,
} from '../../src/rpc/fields.ts';
import { type MessageOf, type MessageType, message } from '../../src/rpc/message.ts';
import { DecodeError } from '../../src/rpc/wire.ts';

const Leaf = message('test.Leaf', { name: string(1), count: int32(2) });

const Everything = message('test.Everything', {
  i64: int64(1),
  u64: uint64(2),
  i32: int32(3),
  u32: uint32(4),
  s64: sint64(5),
  flag: bool(6),
  text: string(7),
  data: bytes(8),
  f32: fixed32(9),
  dbl: double(10),
  flt: float(11),
  order: enumeration(12, { NONE: 0, ASCEND: 1, DESCEND: 2 }),
  member: id64(13, 'uint64'),
  lease: id64(14, 'int64'),
  hash: id64(15, 'fixed64'),
  leaf: nested(16, Leaf),
  maybe: optional(int64(17)),
  leaves: repeated(nested(18, Leaf)),
  numbers: repeated(int64(19)),
  loose: unpacked(int64(20)),
  names: repeated(string(21)),
  labels: map(22, string(1), string(2)),
  leafByName: map(23, string(1), nested(2, Leaf)),
  target: oneof({ version: int64(24), value: bytes(25), leaf: nested(26, Leaf) }),
});
type Everything = MessageOf<typeof Everything>;

interface Tree {
  readonly label: string;
  readonly children: readonly Tree[];
}
const Tree: MessageType<Tree> = message('test.Tree', { label: string(1), children: repeated(nested(2, () => Tree)) });

const safe = fc.maxSafeInteger();
const leaf = fc.record({ name: fc.string(), count: fc.integer() });
const hexId = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((n) => n.toString(16).padStart(16, '0'));
const blob = fc.uint8Array({ maxLength: 300 });
const single = fc.float({ noNaN: true });

const everything: fc.Arbitrary<Everything> = fc.record(
  {
    i64: safe,
    u64: fc.maxSafeNat(),
    i32: fc.integer(),
    u32: fc.nat(0xffffffff),
    s64: fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 }),
    flag: fc.boolean(),
    text: fc.string({ unit: 'binary' }),
    data: blob,
    f32: fc.nat(0xffffffff),
    dbl: fc.double({ noNaN: true }),
    flt: single,
    order: fc.constantFrom('NONE', 'ASCEND', 'DESCEND'),
    member: hexId,
    lease: hexId,
    hash: hexId,
    leaf: fc.option(leaf),
    maybe: fc.option(safe),
    leaves: fc.array(leaf),
    numbers: fc.array(safe),
    loose: fc.array(safe),
    names: fc.array(fc.string()),
    labels: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
    leafByName: fc.dictionary(fc.string(), leaf, { noNullPrototype: true }),
    target: fc.oneof(
      fc.constant(null),
      fc.record({ case: fc.constant('version' as const), value: safe }),
      fc.record({ case: fc.constant('value' as const), value: blob }),
      fc.record({ case: fc.constant('leaf' as const), value: leaf }),
    ),
  },
  { noNullPrototype: true },
);

describe('message descriptions', () => {
  it('decode what they encode, in exactly the size they state', () => {
    fc.assert(
      fc.property(everything, (value) => {
        const wire = Everything.encode(value);
        expect(wire.length).toBe(Everything.sizeBytes(value));
        expect(Everything.decode(wire)).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });

  it('keep one order of properties whatever was given or read', () => {
    const names = Object.keys(Everything.empty);
    expect(Object.keys(Everything.of({ target: null, i64: 3 }))).toEqual(names);
    expect(Object.keys(Everything.decode(Everything.encode(Everything.of({ text: 'x', i64: 3 }))))).toEqual(names);
  });

  // Encodings worked out by hand from the protobuf encoding guide.
  it.each<[string, Partial<Everything>, string]>([
    ['nothing', {}, ''],
    ['a small varint', { i64: 150 }, '089601'],
    ['minus one in ten bytes', { i64: -1 }, '08ffffffffffffffffff01'],
    ['a negative int32 as 64 bits', { i32: -2 }, '18feffffffffffffffff01'],
    ['2^53 - 1', { u64: Number.MAX_SAFE_INTEGER }, '10ffffffffffffff0f'],
    ['zigzag', { s64: -3 }, '2805'],
    ['text', { text: 'testing' }, '3a0774657374696e67'],
    ['an id with the top bit set', { member: 'ffffffffffffffff' }, '68ffffffffffffffffff01'],
    ['a fixed id, little-endian', { hash: '0102030405060708' }, '790807060504030201'],
    ['a double', { dbl: 1.5 }, '51000000000000f83f'],
    ['a present zero', { maybe: 0 }, '880100'],
    ['an empty nested message', { leaf: Leaf.empty }, '820100'],
    ['packed numbers', { numbers: [3, 270] }, '9a0103038e02'],
    ['a tag for each', { loose: [3, 4] }, 'a00103a00104'],
    ['a map entry', { labels: { a: 'b' } }, 'b201060a016112' + '0162'],
    ['a set oneof with a zero value', { target: { case: 'version', value: 0 } }, 'c00100'],
  ])('write %s', (_what, values, hex) => {
    const value = Everything.of(values);
    expect(toHex(Everything.encode(value))).toBe(hex);
    expect(Everything.decode(Everything.encode(value))).toEqual(value);
  });

  it('nest within themselves', () => {
    const tree = Tree.of({ label: 'a', children: [Tree.of({ label: 'b', children: [Tree.of({ label: 'c' })] })] });
    expect(Tree.decode(Tree.encode(tree))).toEqual(tree);
  });

  it('skip fields they do not know, of every wire type', () => {
    const Narrow = message('test.Narrow', { text: string(7) });
    const wide = Everything.of({ i64: 1, text: 'kept', dbl: 2, f32: 3, data: utf8Encode('xyz'), leaf: Leaf.empty });
    expect(Narrow.decode(Everything.encode(wide))).toEqual({ text: 'kept' });
  });

  it('read an enum number they do not know as the zero name', () => {
    expect(Everything.decode(Uint8Array.of(0x60, 9)).order).toBe('NONE');
  });

  it('read packed and unpacked lists alike', () => {
    expect(Everything.decode(Uint8Array.of(0x98, 0x01, 5, 0x98, 0x01, 6)).numbers).toEqual([5, 6]);
    expect(Everything.decode(Uint8Array.of(0xa2, 0x01, 2, 5, 6)).loose).toEqual([5, 6]);
  });

  it('refuse damaged input with DecodeError and nothing else', () => {
    expect(() => Everything.decode(Uint8Array.of(0x08))).toThrow(DecodeError);
    expect(() => Everything.decode(Uint8Array.of(0x3a, 5, 1))).toThrow(DecodeError);
    expect(() => Everything.decode(Uint8Array.of(0x0a, 1, 1))).toThrow('wrong wireType = 2 for field 1');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        try {
          Everything.decode(noise);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('assert that numbers fit', () => {
    expect(() => Everything.encode(Everything.of({ i64: 2 ** 53 }))).toThrow('not a safe integer');
    expect(() => Everything.encode(Everything.of({ member: 'FF' }))).toThrow('16 lower-case hex digits');
    for (let code = 0; code < 0x180; code++) {
      const digit = String.fromCharCode(code);
      const encode = (): unknown => Everything.encode(Everything.of({ member: `00000000000000${digit}0` }));
      if (/[0-9a-f]/.test(digit)) encode();
      else expect(encode, digit).toThrow('16 lower-case hex digits');
    }
    expect(() => message('test.Twice', { a: int64(1), b: string(1) })).toThrow('used twice');
  });
});
