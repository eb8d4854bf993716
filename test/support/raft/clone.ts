/** What is never changed in place, by the names of fields that only such objects have. */
const SHARED_MARKS: readonly string[] = Object.freeze([
  'typePresent',
  'responses',
  'confState',
  'baseIndex',
  'learnersNext',
  'unconfirmedReads',
  'prevTerm',
  'byTerm',
]);

function isShared(value: object): boolean {
  if (value instanceof Uint8Array || Object.isFrozen(value)) return true;
  return Object.getPrototypeOf(value) === Object.prototype && SHARED_MARKS.some((mark) => mark in value);
}

/**
 * A deep copy of a graph of objects, with prototypes, maps, sets and cycles; entries, messages, snapshots, disk images
 * and functions are shared. `stop` is shared too.
 */
export function cloneGraph<T extends object>(root: T, stop: ReadonlySet<object>): T {
  const copies = new Map<object, object>();
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || stop.has(value) || isShared(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      copies.set(value, list);
      for (const item of value) list.push(copy(item));
      return list;
    }
    if (value instanceof Map) {
      const map = new Map<unknown, unknown>();
      copies.set(value, map);
      for (const [key, item] of value) map.set(key, copy(item));
      return map;
    }
    if (value instanceof Set) {
      const set = new Set(value);
      copies.set(value, set);
      return set;
    }
    const target = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>;
    copies.set(value, target);
    for (const [key, item] of Object.entries(value)) target[key] = copy(item);
    return target;
  };
  return copy(root) as T;
}
