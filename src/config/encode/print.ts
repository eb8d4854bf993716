/** Prints decoded documents by the descriptor tree (reference/network-config.md E.11). */

import { fieldsIn } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec, Type } from '../schema/types.ts';
import { emitDocument, type Out } from './emit.ts';
import { compareKeys } from './key-order.ts';
import { plainOut } from './plain.ts';

export interface PrintOptions {
  readonly minor: number;
  /**
   * `commented` is the layout under the encoder that adds comments (without the comments): it honours
   * "printed unless nil" and sorts map keys bytewise. The default is plain yaml.v3.
   */
  readonly encoder?: 'plain' | 'commented';
}

/** One document as text. */
export function printStruct(spec: StructSpec, value: ConfigObject, options: PrintOptions): string {
  return emitDocument(structOut(spec, value, options));
}

/** Documents as a stream. */
export function printDocuments(
  documents: readonly { readonly spec: { readonly struct: StructSpec }; readonly value: ConfigObject }[],
  options: PrintOptions,
): string {
  return documents.map((document) => printStruct(document.spec.struct, document.value, options)).join('---\n');
}

/** The tree to write for a struct. */
export function structOut(spec: StructSpec, value: ConfigObject, options: PrintOptions): Out {
  const entries: [string, Out][] = [];
  for (const field of fieldsIn(spec, options.minor)) {
    const held = value[field.name];
    if (isPrinted(field, held, options)) {
      entries.push([field.name, held === undefined ? absentOut(field, options) : valueOut(field.type, held, options)]);
    }
  }
  return { kind: 'map', entries };
}

function isPrinted(field: Field, value: ConfigValue | undefined, options: PrintOptions): boolean {
  if (field.print === 'always' && (field.omitFrom === undefined || options.minor < field.omitFrom)) {
    return true;
  }
  if (value === undefined) {
    return false;
  }
  if (field.pointer || (field.print === 'unless-nil' && options.encoder === 'commented')) {
    return true;
  }
  return !isEmpty(field.type, value);
}

/** Go's `omitempty` for values that are not nil: empty lists and maps, and structs that hold nothing. */
function isEmpty(type: Type, value: ConfigValue): boolean {
  switch (type.kind) {
    case 'list':
      return (value as readonly ConfigValue[]).length === 0;
    case 'map':
    case 'object':
      return Object.keys(value as ConfigObject).length === 0;
    case 'struct':
      return Object.entries(value as ConfigObject).every(([name, item]) => {
        const below = type.struct.byName[name];
        return below !== undefined && !below.pointer && isEmpty(below.type, item);
      });
    default:
      return false;
  }
}

/** What an absent field without `omitempty` prints. */
function absentOut(field: Field, options: PrintOptions): Out {
  return field.pointer ? { kind: 'null' } : zeroOut(field.type, options);
}

function zeroOut(type: Type, options: PrintOptions): Out {
  switch (type.kind) {
    case 'bool':
      return { kind: 'bool', value: false };
    case 'int':
      return type.octal ? { kind: 'octal', value: 0 } : { kind: 'number', value: 0 };
    case 'list':
      return { kind: 'list', items: [] };
    case 'map':
    case 'object':
      return { kind: 'map', entries: [] };
    case 'struct':
      return structOut(type.struct, {}, options);
    case 'text':
      return { kind: 'string', text: type.codec.zeroText ?? '' };
    default:
      return { kind: 'string', text: '' };
  }
}

/** The tree to write for a typed value. */
export function valueOut(type: Type, value: ConfigValue, options: PrintOptions): Out {
  if (value === null) {
    return { kind: 'null' };
  }
  switch (type.kind) {
    case 'struct':
      return structOut(type.struct, value as ConfigObject, options);
    case 'list': {
      const items = (value as readonly ConfigValue[]).map((item) => valueOut(type.element, item, options));
      return { kind: 'list', items };
    }
    case 'map': {
      const map = value as ConfigObject;
      const entries = sortedKeys(map, options).map((key) => [key, valueOut(type.value, map[key]!, options)] as const);
      return { kind: 'map', entries };
    }
    case 'int':
      return type.octal ? { kind: 'octal', value: Number(value) } : { kind: 'number', value: value as number | bigint };
    default:
      return plainOut(value, (map) => sortedKeys(map, options));
  }
}

function sortedKeys(map: ConfigObject, options: PrintOptions): string[] {
  const keys = Object.keys(map);
  return options.encoder === 'commented' ? keys.sort() : keys.sort(compareKeys);
}
