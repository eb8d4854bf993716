/**
 * Strategic merge of decoded values by the descriptor tree (reference/network-config.md E.10 "Merge rules";
 * v1.11.3.md 11.5). Absent means the zero value of a plain field or nil, see schema/types.ts.
 */

import { isZero } from '../decode/decode.ts';
import { fieldsIn } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, ListMerge, StructSpec, Type } from '../schema/types.ts';
import { goFieldName } from './go-names.ts';
import { define, mergeFreeObject, prefixed } from './merge-free.ts';
import { mergeUrl } from './merge-url.ts';

/** Merges `right` over `left`; neither is changed. */
export function mergeStruct(spec: StructSpec, left: ConfigObject, right: ConfigObject, minor: number): ConfigObject {
  const merged: Record<string, ConfigValue> = {};
  for (const field of fieldsIn(spec, minor)) {
    const value = mergeField(spec, field, left[field.name], right[field.name], minor);
    if (value !== undefined) merged[field.name] = value;
  }
  return merged;
}

type Maybe = ConfigValue | undefined;

function mergeField(spec: StructSpec, field: Field, left: Maybe, right: Maybe, minor: number): Maybe {
  if (field.merge === 'copy') return right;
  if (field.merge === 'replace') return right === undefined ? left : right;
  try {
    return field.pointer ? mergePointer(field.type, left, right, minor) : mergePlain(field.type, left, right, minor);
  } catch (error) {
    throw prefixed(`merge field ${spec.goType}.${goFieldName(spec.goType, field.name)}`, error);
  }
}

/** nil on the right changes nothing; nil on the left takes the right. */
function mergePointer(type: Type, left: Maybe, right: Maybe, minor: number): Maybe {
  if (right === undefined) return left;
  if (left === undefined) return right;
  if (type.kind === 'struct') return mergeStruct(type.struct, asMap(left), asMap(right), minor);
  if (isScalar(type) && !isUrl(type)) {
    // From v1.12 on a pointer overwrites also with zero; before, only booleans do.
    const isWeak = minor < 12 && type.kind !== 'bool' && isZero(type, right);
    return isWeak ? left : right;
  }
  return mergePlain(type, left, right, minor);
}

function isUrl(type: Type): boolean {
  return type.kind === 'text' && type.codec.name === 'URL';
}

function isScalar(type: Type): boolean {
  return type.kind === 'string' || type.kind === 'bool' || type.kind === 'int' || type.kind === 'text';
}

function mergePlain(type: Type, left: Maybe, right: Maybe, minor: number): Maybe {
  switch (type.kind) {
    case 'struct':
      return mergePlainStruct(type.struct, left, right, minor);
    case 'list':
      return mergeList(type, left, right, minor);
    case 'map':
      return right === undefined ? left : mergeMap(type, asMap(left), asMap(right), minor);
    case 'object':
      return right === undefined ? left : mergeFreeObject(asMap(left), asMap(right), type.goType);
    case 'bool':
      // Also by an absent one, which is false.
      return right;
    default:
      if (right === undefined) return left;
      return isUrl(type) && left !== undefined ? mergeUrl(left as string, right as string) : right;
  }
}

/** Merged even where the patch does not mention it, because of fields that are copied unconditionally. */
function mergePlainStruct(spec: StructSpec, left: Maybe, right: Maybe, minor: number): Maybe {
  if (left === undefined) return right;
  const merged = mergeStruct(spec, asMap(left), asMap(right), minor);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function asMap(value: Maybe): ConfigObject {
  return value === undefined || value === null ? {} : (value as ConfigObject);
}

type ListType = Extract<Type, { kind: 'list' }>;

function mergeList(type: ListType, left: Maybe, right: Maybe, minor: number): Maybe {
  if (right === undefined) return left;
  const patch = right as readonly ConfigValue[];
  const existing = left === undefined ? [] : (left as readonly ConfigValue[]);
  if (type.mergeBy === undefined) return [...existing, ...patch];
  if (left === undefined && patch.length === 0) return undefined;
  const merged = [...existing];
  for (const element of patch) mergeElement(type, type.mergeBy, merged, element, minor);
  return merged;
}

/** An element meets the first one with the same key, also one that this patch has just added. */
function mergeElement(
  type: ListType,
  rule: ListMerge,
  merged: ConfigValue[],
  element: ConfigValue,
  minor: number,
): void {
  const at = merged.findIndex((other) => isSameElement(rule, asMap(other), asMap(element)));
  if (at < 0 || type.element.kind !== 'struct') merged.push(element);
  else if (rule.action === 'replace') merged[at] = element;
  else merged[at] = mergeStruct(type.element.struct, asMap(merged[at]), asMap(element), minor);
}

function isSameElement(rule: ListMerge, existing: ConfigObject, element: ConfigObject): boolean {
  const key = rule.keys.find((name) => element[name] !== undefined);
  if (key === undefined) return false;
  const [a, b] = [existing[key], element[key]!];
  if (a === undefined) return false;
  if (typeof b !== 'object') return a === b;
  return isSameSelector(asMap(a), asMap(b));
}

/** Selectors that set `physical` never match: the real tool compares the two pointers, not what they point to. */
function isSameSelector(a: ConfigObject, b: ConfigObject): boolean {
  if (a.physical !== undefined || b.physical !== undefined) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

type MapType = Extract<Type, { kind: 'map' }>;

function mergeMap(type: MapType, left: ConfigObject, right: ConfigObject, minor: number): ConfigObject {
  const merged: Record<string, ConfigValue> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const existing = left[key];
    try {
      const isNew = existing === undefined || existing === null;
      define(merged, key, isNew ? value : mergeMapValue(type, existing, value, minor));
    } catch (error) {
      throw prefixed(`merge map key ${type.goType}[${key}]`, error);
    }
  }
  return merged;
}

/** Empty strings and zeros of the patch do not overwrite; program arguments are replaced from v1.12 on. */
function mergeMapValue(type: MapType, left: ConfigValue, right: ConfigValue, minor: number): ConfigValue {
  if (type.mergeValues === 'replace' && minor >= 12) return right;
  if (right === null) return left;
  if (type.value.kind === 'bool') return right;
  if (right === '' || right === 0) return left;
  return mergePlain(type.value, left, right, minor) ?? left;
}
