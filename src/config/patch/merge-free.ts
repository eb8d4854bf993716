/** Merging of values without a schema (reference/network-config.md E.10 "Merge rules", rows map and slice). */

import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { PatchError } from './error.ts';

/**
 * Free-form objects: keys are merged one by one, lists appended, numbers 0 and empty strings of the patch have no effect,
 * booleans always have, and the types of both sides must be equal.
 */
export function mergeFreeObject(left: ConfigObject, right: ConfigObject, goType: string): ConfigObject {
  const merged: Record<string, ConfigValue> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const existing = left[key];
    if (existing === undefined || existing === null) {
      define(merged, key, value);
      continue;
    }
    try {
      define(merged, key, mergeFreeValue(existing, value));
    } catch (error) {
      throw prefixed(`merge map key ${goType}[${key}]`, error);
    }
  }
  return merged;
}

function mergeFreeValue(left: ConfigValue, right: ConfigValue): ConfigValue {
  const type = goTypeOf(left);
  if (type !== goTypeOf(right)) {
    throw new PatchError(`merge type mismatch left ${type} right ${goTypeOf(right)}`);
  }
  if (Array.isArray(left)) return [...left, ...(right as readonly ConfigValue[])];
  if (typeof left === 'object') return mergeFreeObject(left as ConfigObject, right as ConfigObject, type);
  return right === '' || right === 0 ? left : right;
}

/** Type of a free-form value as Go's YAML decoder makes it. */
function goTypeOf(value: ConfigValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return value > 0n ? 'uint64' : 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** Puts the place before the message of a failed merge; other errors pass unchanged. */
export function prefixed(place: string, error: unknown): unknown {
  return error instanceof PatchError ? new PatchError(`${place}: ${error.message}`, error.located) : error;
}

/** Sets a key also when it is `__proto__`. */
export function define(target: Record<string, ConfigValue>, key: string, value: ConfigValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
