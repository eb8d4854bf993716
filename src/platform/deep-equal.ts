/**
 * Deep equality of data: plain objects by their keys, arrays and byte arrays by content, NaN equal to itself. A missing
 * key and a key that holds `undefined` differ, as a nil and an empty slice do in the original.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalArrays(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalArrays(a, b);
  if (Array.isArray(b) || b instanceof Uint8Array) return false;
  return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalArrays(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  return true;
}
