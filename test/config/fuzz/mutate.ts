/** Damaged configuration texts, from a generator of numbers. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are what this is about
import fc from 'fast-check';
import { documentSpecs } from '../../../src/config/schema/registry.ts';
import type { StructSpec, Type } from '../../../src/config/schema/types.ts';

/** Fragments with a meaning in YAML or Go, which blind byte changes rarely hit. */
const FRAGMENTS: readonly string[] = Object.freeze([
  '---\n',
  '\n---\n---\n',
  '...\n',
  '&a ',
  '*a',
  '<<: *a\n',
  '!!binary ',
  '!!str ',
  '!custom ',
  '? ',
  ': ',
  '- ',
  '|\n',
  '>-\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '\t',
  '\r\n',
  '\u0000',
  '\ufeff',
  '\ud800',
  '~',
  'null',
  'yes',
  'Off',
  '0o17',
  '-0',
  '1e400',
  '.nan',
  '-9223372036854775809',
  '18446744073709551616',
  '2001-12-14t21:59:43.10-05:00',
  '${A}',
  '%YAML 1.2\n',
  '#',
  '\u{1f600}',
  '10GiB',
  '300.0.0.0/99',
  '::/0',
  '1h1m1.5s',
  '$patch: delete\n',
  'kind: UserVolumeConfig\n',
  'apiVersion: v1alpha1\n',
  'machine:\n  type: worker\n',
]);

interface Mutation {
  readonly op: number;
  readonly at: number;
  readonly length: number;
  readonly fragment: number;
  readonly byte: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  op: fc.nat(6),
  at: fc.nat(1_000_000),
  length: fc.nat(40),
  fragment: fc.nat(FRAGMENTS.length - 1),
  byte: fc.nat(255),
});

/** One of the seeds after a few changes. */
export function damaged(seeds: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(seeds.length - 1), fc.nat(seeds.length - 1), fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([first, second, changes]) =>
      changes.reduce((text, change) => apply(text, change, seeds[second]!), seeds[first]!),
    );
}

function apply(text: string, { op, at, length, fragment, byte }: Mutation, other: string): string {
  const start = at % (text.length + 1);
  const head = text.slice(0, start);
  switch (op) {
    case 0:
      return head + text.slice(start + length);
    case 1:
      return head + FRAGMENTS[fragment]! + text.slice(start);
    case 2:
      return head + String.fromCharCode(byte) + text.slice(start + 1);
    case 3:
      return head + text.slice(start, start + length).repeat(2) + text.slice(start + length);
    case 4:
      return head + other.slice(at % (other.length + 1));
    case 5:
      return head;
    default:
      return head + FRAGMENTS[fragment]! + text.slice(start + length);
  }
}

/** Documents of the right shape, with values of the right and of the wrong type. */
export function shaped(): fc.Arbitrary<string> {
  const documents = documentSpecs.map((spec) =>
    ofStruct(spec.struct, 0).map((value) =>
      spec.kind === 'v1alpha1'
        ? { version: 'v1alpha1', ...value }
        : { ...value, apiVersion: 'v1alpha1', kind: spec.kind },
    ),
  );
  return fc
    .array(fc.oneof(...documents), { minLength: 1, maxLength: 3 })
    .map((list) => list.map((value) => JSON.stringify(value)).join('\n---\n'));
}

const WORDS = FRAGMENTS.filter((fragment) => !fragment.includes('\n'));
const oddScalar = fc.oneof(
  fc.constantFrom<string>(
    '',
    'a',
    'worker',
    'controlplane',
    '10.0.0.1',
    '10.0.0.0/8',
    'https://a:6443',
    '1m',
    ...WORDS,
  ),
  fc.string({ maxLength: 8 }),
);
const odd: fc.Arbitrary<unknown> = fc.oneof(
  oddScalar,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.constant([[null]]),
);

function ofStruct(spec: StructSpec, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = spec.fields.filter((entry) => depth < 8 || entry.type.kind !== 'struct');
  if (fields.length === 0) {
    return fc.constant({});
  }
  return fc.array(fc.constantFrom(...fields), { maxLength: depth < 2 ? 5 : 3 }).chain((chosen) => {
    const entries = chosen.map((entry) => [entry.name, ofType(entry.type, depth + 1)] as const);
    return fc.record(Object.fromEntries(entries));
  });
}

function ofType(type: Type, depth: number): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: fitting(type, depth) }, { weight: 1, arbitrary: odd });
}

function fitting(type: Type, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'bool':
      return fc.boolean();
    case 'int':
      return fc.oneof(fc.nat(100), fc.integer());
    case 'struct':
      return ofStruct(type.struct, depth);
    case 'list':
      return fc.array(ofType(type.element, depth), { maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.string({ maxLength: 4 }), ofType(type.value, depth), { maxKeys: 3 });
    case 'object':
      return fc.jsonValue({ maxDepth: 2 });
    default:
      return oddScalar;
  }
}
