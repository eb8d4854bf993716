/** Decoded documents to emitter nodes, by the descriptor tree (reference/network-config.md E.11 "Encoding"). */

import { fieldsIn } from '../../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec, Type } from '../../schema/types.ts';
import { type EmitEntry, type EmitNode, NULL_NODE, scalarNode } from './emit.ts';
import { compareKeys } from './order.ts';

export interface PrintOptions {
  /** Minor of the release whose tool prints. */
  readonly minor: number;
  /** Explain each field in a comment. */
  readonly docs: boolean;
  /** Show unset fields as commented-out examples. */
  readonly examples: boolean;
}

export function structNode(spec: StructSpec, value: ConfigObject, options: PrintOptions): EmitNode {
  const entries: EmitEntry[] = [];
  for (const field of fieldsIn(spec, options.minor)) {
    const entry = fieldEntry(spec, field, value[field.name], options);
    if (entry !== null) entries.push(entry);
  }
  return { kind: 'map', entries };
}

function fieldEntry(
  spec: StructSpec,
  field: Field,
  value: ConfigValue | undefined,
  options: PrintOptions,
): EmitEntry | null {
  if (!isPrinted(spec, field, value, options)) return null;
  const node = value === undefined ? absentNode(field, options) : valueNode(field.type, value, options);
  return withComments({ key: field.name, value: node }, field, options);
}

function isPrinted(spec: StructSpec, field: Field, value: ConfigValue | undefined, options: PrintOptions): boolean {
  if (field.print === 'always') return value !== undefined || !isSilentWhenAbsent(spec, field, options.minor);
  if (value === undefined) return false;
  if (!isEmptyCollection(field, value)) return true;
  return field.print === 'unless-nil' && (options.docs || options.examples);
}

/** Printed as null by the releases before the endpoint moved to a document of its own (v1.11.3 golden `expected_manifests`). */
function isSilentWhenAbsent(spec: StructSpec, field: Field, minor: number): boolean {
  return spec.goType === 'v1alpha1.ClusterConfig' && field.name === 'controlPlane' && minor >= 14;
}

function isEmptyCollection(field: Field, value: ConfigValue): boolean {
  const { kind } = field.type;
  if (kind === 'list') return (value as readonly ConfigValue[]).length === 0;
  if (kind === 'map' || kind === 'object') return Object.keys(value as ConfigObject).length === 0;
  return false;
}

/** The zero value of a field that is printed although it is absent. */
function absentNode(field: Field, options: PrintOptions): EmitNode {
  if (field.pointer) return NULL_NODE;
  return zeroNode(field.type, options);
}

function zeroNode(type: Type, options: PrintOptions): EmitNode {
  switch (type.kind) {
    case 'bool':
      return scalarNode(false);
    case 'int':
      return scalarNode(0);
    case 'struct':
      return structNode(type.struct, {}, options);
    case 'list':
      return { kind: 'list', items: [] };
    case 'map':
    case 'object':
      return { kind: 'map', entries: [] };
    default:
      return scalarNode('');
  }
}

function valueNode(type: Type, value: ConfigValue, options: PrintOptions): EmitNode {
  if (value === null) return NULL_NODE;
  switch (type.kind) {
    case 'struct':
      return structNode(type.struct, value as ConfigObject, options);
    case 'list':
      return {
        kind: 'list',
        items: (value as readonly ConfigValue[]).map((item) => valueNode(type.element, item, options)),
      };
    case 'map':
      return mapNode(value as ConfigObject, (item) => valueNode(type.value, item, options));
    case 'int':
      return type.octal ? { kind: 'bare', text: `0o${(value as number).toString(8)}` } : scalarNode(value as number);
    case 'object':
    case 'argument':
      return freeNode(value);
    default:
      return scalarNode(value as string | number | bigint | boolean);
  }
}

function mapNode(value: ConfigObject, child: (item: ConfigValue) => EmitNode): EmitNode {
  const keys = Object.keys(value).sort(compareKeys);
  return { kind: 'map', entries: keys.map((key) => ({ key, value: child(value[key]!) })) };
}

/** A value without a schema: keys sorted as Go sorts map keys. */
export function freeNode(value: ConfigValue): EmitNode {
  if (Array.isArray(value)) return { kind: 'list', items: (value as readonly ConfigValue[]).map(freeNode) };
  if (typeof value === 'object' && value !== null) return mapNode(value as ConfigObject, freeNode);
  return scalarNode(value as string | number | bigint | boolean | null);
}

/** Scalars are explained behind the value, everything else above the key. */
function withComments(entry: EmitEntry, field: Field, options: PrintOptions): EmitEntry {
  if (!options.docs || field.doc === '') return entry;
  const isScalar = entry.value.kind === 'bare' || entry.value.kind === 'string';
  if (!isScalar) return { ...entry, head: field.doc };
  const isMultiline = entry.value.kind === 'string' && entry.value.text.includes('\n');
  return isMultiline ? { ...entry, head: field.doc } : { ...entry, line: field.doc };
}
