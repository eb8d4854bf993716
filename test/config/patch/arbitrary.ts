/** Random decoded values of a struct of the schema. */

import fc, { type Arbitrary } from 'fast-check';
import { fieldsIn } from '../../../src/config/schema/registry.ts';
import type {
  ConfigObject,
  ConfigValue,
  Field,
  StructSpec,
  TextCodec,
  Type,
} from '../../../src/config/schema/types.ts';

/** Texts of which every custom scalar accepts some. */
const SAMPLES = Object.freeze([
  ...[
    '30s',
    '5m',
    '0s',
    'https://a:6443',
    'http://b/x',
    '10.0.0.0/8',
    '10.1.2.3',
    '10.1.2.3/24',
    '20GiB',
    '1MB',
    '50%',
  ],
  ...[
    'tcp',
    'accept',
    'block',
    'ext4',
    'xfs',
    'luks2',
    'disk',
    'partition',
    'directory',
    'system_disk',
    '1000-2000',
    '80',
  ],
  ...['aa:bb:cc:dd:ee:ff', '0644', 'v4', 'worker', 'controlplane', 'off', 'Metadata', 'create', 'append', 'overwrite'],
]);

export interface ValueOptions {
  readonly minor: number;
  /** Leaves out what a patch erases or resets by not mentioning it: plain flags and fields that are copied. */
  readonly steady?: boolean;
}

export function anyStruct(spec: StructSpec, options: ValueOptions, depth = 0): Arbitrary<ConfigObject> {
  const shape: Record<string, Arbitrary<ConfigValue | undefined>> = {};
  for (const field of fieldsIn(spec, options.minor)) {
    if (options.steady === true && isFleeting(field)) continue;
    const value = anyValue(field.type, options, depth + 1);
    if (value === null) continue;
    const present = fc.option(value, { freq: depth < 2 ? 2 : 1, nil: undefined });
    shape[field.name] = field.pointer
      ? present
      : present.map((one) => (one === undefined || isPlainZero(field.type, one) ? undefined : one));
  }
  return fc.record(shape).map((record) => {
    const entries = Object.entries(record).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries) as ConfigObject;
  });
}

function isFleeting(field: Field): boolean {
  return field.merge === 'copy' || (field.type.kind === 'bool' && !field.pointer);
}

/** A plain field never holds its zero value; an empty struct is the zero of a struct. */
function isPlainZero(type: Type, value: ConfigValue): boolean {
  if (type.kind === 'text') return type.codec.isZero(value as string | number | bigint);
  if (type.kind === 'struct') return Object.keys(value as ConfigObject).length === 0;
  if (type.kind === 'list' || type.kind === 'map' || type.kind === 'object') return false;
  return value === '' || value === 0 || value === false;
}

function anyValue(type: Type, options: ValueOptions, depth: number): Arbitrary<ConfigValue> | null {
  switch (type.kind) {
    case 'string':
      return fc.constantFrom('', 'a', 'b', 'yes', '1', 'x y', '# c', 'two\nlines');
    case 'bool':
      return fc.boolean();
    case 'int':
      return fc.integer({ min: 0, max: 200 });
    case 'text':
      return anyText(type.codec);
    case 'struct':
      return depth > 7 ? null : anyStruct(type.struct, options, depth);
    case 'list': {
      const element = anyValue(type.element, options, depth + 1);
      if (element === null) return null;
      // Exactly one where elements meet each other: a patch would merge with itself, an empty list is no change.
      const isMerged = type.mergeBy !== undefined;
      return fc.array(element, { minLength: isMerged ? 1 : 0, maxLength: isMerged ? 1 : 2 });
    }
    case 'map': {
      const value = anyValue(type.value, options, depth + 1);
      return value === null ? null : fc.dictionary(fc.constantFrom('a', 'b', 'c.d'), value, { maxKeys: 2 });
    }
    case 'object':
      return fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom<ConfigValue>(1, true, ['x']), { maxKeys: 2 });
    case 'argument':
      return fc.constantFrom<ConfigValue>('a', 'A=true', ['a', 'b']);
  }
}

function anyText(codec: TextCodec): Arbitrary<ConfigValue> | null {
  const values: ConfigValue[] = [];
  for (const sample of SAMPLES) {
    const decoded = codec.decode(sample);
    if ('value' in decoded) values.push(decoded.value);
  }
  return values.length === 0 ? null : fc.constantFrom(...values);
}
