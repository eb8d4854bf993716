/** Merging documents without a field tree: the rules for structs, guessed from the shape of the values. */

import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { at, isObject } from '../view.ts';
import { copiedFields, inLooseOrder, isReplacedField } from './loose.ts';

/** Scalars override unless they are zero, lists are appended, mappings merged. */
export function mergeLoose(kind: string, left: ConfigObject, right: ConfigObject): ConfigObject {
  let merged = mergeLevel(kind, '', left, right);
  for (const path of copiedFields(kind)) {
    if (at(right, ...path.split('.')) === undefined) merged = withoutPath(merged, path.split('.'));
  }
  return inLooseOrder(kind, merged);
}

function mergeLevel(kind: string, prefix: string, left: ConfigObject, right: ConfigObject): ConfigObject {
  const merged = new Map<string, ConfigValue>(Object.entries(left));
  for (const [key, value] of Object.entries(right)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const existing = left[key];
    if (existing === undefined || isReplacedField(kind, path)) merged.set(key, value);
    else merged.set(key, mergeValue(kind, path, existing, value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(kind: string, path: string, left: ConfigValue, right: ConfigValue): ConfigValue {
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (isObject(left) && isObject(right)) return mergeLevel(kind, path, left, right);
  return right === '' || right === 0 ? left : right;
}

function withoutPath(value: ConfigObject, path: readonly string[]): ConfigObject {
  const [key, ...rest] = path as [string, ...string[]];
  const held = value[key];
  if (held === undefined) return value;
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  if (!isObject(held)) return value;
  return { ...value, [key]: withoutPath(held, rest) };
}
