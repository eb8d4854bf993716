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
  return SHARED_MARKS.some((mark) => mark in value) || Object.isFrozen(value);
}

/** Copies one graph of objects. */
class Copier {
  private readonly copies = new Map<object, object>();

  private readonly root: object;
  private readonly aliases: readonly object[];

  constructor(root: object, kept: readonly object[], aliases: readonly object[]) {
    this.root = root;
    this.aliases = aliases;
    for (const one of kept) this.copies.set(one, one);
  }

  copy<T extends object>(value: T): T {
    const known = this.copies.get(value);
    if (known !== undefined) return known as T;
    return this.fresh(value) as T;
  }

  private item(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? this.copy(value) : value;
  }

  private fresh(value: object): object {
    if (Array.isArray(value)) return this.list(value);
    if (value instanceof Map) return this.map(value);
    if (value instanceof Uint8Array) return value;
    if (value instanceof Set) {
      const set = new Set<unknown>(value);
      this.copies.set(value, set);
      return set;
    }
    const proto: unknown = Object.getPrototypeOf(value);
    return proto === Object.prototype && isShared(value) ? value : this.fields(value, proto as object);
  }

  private list(value: readonly unknown[]): unknown[] {
    const list = value.slice();
    this.copies.set(value, list);
    for (let i = 0; i < list.length; i++) list[i] = this.item(list[i]);
    return list;
  }

  private map(value: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const map = new Map<unknown, unknown>();
    this.copies.set(value, map);
    for (const [key, item] of value) map.set(key, this.item(item));
    return map;
  }

  private fields(value: object, proto: object): object {
    const target = Object.assign(Object.create(proto) as object, value) as Record<string, unknown>;
    this.copies.set(value, target);
    if (value === this.root) for (const alias of this.aliases) this.copies.set(alias, target);
    for (const key of Object.keys(target)) {
      const item = target[key];
      if (typeof item === 'object' && item !== null) target[key] = this.copy(item);
    }
    return target;
  }
}

/**
 * A deep copy of a graph of objects, with prototypes, maps, sets and cycles. Entries, messages, snapshots, disk images
 * and functions are shared, and so is what is `kept`. The copy also stands in for `aliases`, which are not looked into.
 */
export function cloneGraph<T extends object>(root: T, kept: readonly object[], aliases: readonly object[]): T {
  return new Copier(root, kept, aliases).copy(root);
}
