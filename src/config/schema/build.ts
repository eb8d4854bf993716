/** Small constructors for the descriptor tree, so that the tree itself reads like a table. */
import type { Field, FieldMerge, IntKind, ListMerge, PrintRule, StructSpec, TextCodec, Type } from './types.ts';

export const str: Type = Object.freeze({ kind: 'string', goType: 'string' });
export const bool: Type = Object.freeze({ kind: 'bool' });
export const object: Type = Object.freeze({ kind: 'object', goType: 'meta.Unstructured' });
export const argument: Type = Object.freeze({ kind: 'argument' });

export const strings: Type = list(str, { goType: '[]string' });
export const stringMap: Type = map(str, { goType: 'map[string]string' });
export const argumentMap: Type = Object.freeze({
  kind: 'map',
  goType: 'meta.Args',
  value: argument,
  valuePointer: false,
  mergeValues: 'replace',
});

/** A Go integer of the given kind. */
export function int(kind: IntKind): Type {
  return Object.freeze({ kind: 'int', goType: kind, int: kind, octal: false });
}

/** A named Go string type, e.g. an enum that is checked later than at decoding. */
export function namedString(goType: string): Type {
  return Object.freeze({ kind: 'string', goType });
}

export function text(codec: TextCodec): Type {
  return Object.freeze({ kind: 'text', codec });
}

export function list(
  element: Type,
  options: { goType?: string; elementPointer?: boolean; mergeBy?: ListMerge } = {},
): Type {
  const pointer = options.elementPointer ?? false;
  const base = {
    kind: 'list' as const,
    goType: options.goType ?? `[]${pointer ? '*' : ''}${goTypeName(element)}`,
    element,
    elementPointer: pointer,
  };
  return Object.freeze(options.mergeBy === undefined ? base : { ...base, mergeBy: options.mergeBy });
}

export function map(value: Type, options: { goType?: string; valuePointer?: boolean } = {}): Type {
  const pointer = options.valuePointer ?? false;
  return Object.freeze({
    kind: 'map',
    goType: options.goType ?? `map[string]${pointer ? '*' : ''}${goTypeName(value)}`,
    value,
    valuePointer: pointer,
  });
}

export interface FieldOptions {
  pointer?: boolean;
  print?: PrintRule;
  omitFrom?: number;
  merge?: FieldMerge;
  since?: number;
  until?: number;
  deprecated?: string;
  default?: string;
  values?: readonly string[];
  secret?: boolean;
}

/** A field; the defaults are the usual ones: plain, `omitempty`, general merge rules, always known. */
export function field(name: string, type: Type, doc: string, options: FieldOptions = {}): Field {
  return Object.freeze({
    name,
    type,
    doc,
    pointer: false,
    print: 'omitempty' as const,
    merge: 'default' as const,
    since: 0,
    ...options,
  });
}

/** A `*bool` field: absent, true and false are three different things. */
export function flag(name: string, doc: string, options: FieldOptions = {}): Field {
  return field(name, bool, doc, { pointer: true, ...options });
}

/** A pointer to a struct: `{}` is present, null is absent. */
export function block(name: string, spec: StructSpec, doc: string, options: FieldOptions = {}): Field {
  return field(name, { kind: 'struct', struct: spec }, doc, { pointer: true, ...options });
}

export function struct(goType: string, fields: readonly Field[]): StructSpec {
  const byName: Record<string, Field> = Object.create(null);
  for (const entry of fields) {
    byName[entry.name] = entry;
  }
  return Object.freeze({ goType, fields: Object.freeze([...fields]), byName: Object.freeze(byName) });
}

export function structType(spec: StructSpec): Type {
  return Object.freeze({ kind: 'struct', struct: spec });
}

/** Go name of a type as it stands in decode errors. */
export function goTypeName(type: Type): string {
  switch (type.kind) {
    case 'bool':
      return 'bool';
    case 'struct':
      return type.struct.goType;
    case 'text':
      return type.codec.goType;
    case 'argument':
      return 'meta.ArgValue';
    default:
      return type.goType;
  }
}
