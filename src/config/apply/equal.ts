import type { ConfigValue } from '../schema/types.ts';
import { isObject } from '../view.ts';

/** Deep equality of decoded values; absent and empty are different things. */
export function sameValue(a: ConfigValue | undefined, b: ConfigValue | undefined): boolean {
  if (a === b) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
    );
  }
  return Number.isNaN(a) && Number.isNaN(b);
}
