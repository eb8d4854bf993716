/** Reads decoded values without ceremony: a wrong or absent part is simply absent. */
import { parseUrl, type Url } from '../platform/text/url.ts';
import type { ConfigObject, ConfigValue } from './schema/types.ts';

/** The value below a chain of keys. */
export function at(value: ConfigValue | undefined, ...keys: readonly string[]): ConfigValue | undefined {
  let current: ConfigValue | undefined = value;
  for (const key of keys) {
    if (!isObject(current) || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = current[key];
  }
  return current;
}

export function isObject(value: ConfigValue | undefined): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A struct or map; undefined when absent or null. */
export function objectAt(value: ConfigValue | undefined, ...keys: readonly string[]): ConfigObject | undefined {
  const found = at(value, ...keys);
  return isObject(found) ? found : undefined;
}

/** A list; empty when absent. */
export function listAt(value: ConfigValue | undefined, ...keys: readonly string[]): readonly ConfigValue[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** Names in a struct or map; none when absent. */
export function keysAt(value: ConfigValue | undefined, ...keys: readonly string[]): readonly string[] {
  return Object.keys(objectAt(value, ...keys) ?? {});
}

/** Structs of a list; what is none is left out. */
export function objectsAt(value: ConfigValue | undefined, ...keys: readonly string[]): readonly ConfigObject[] {
  return listAt(value, ...keys).filter(isObject);
}

/** A list of strings; empty when absent. */
export function stringsAt(value: ConfigValue | undefined, ...keys: readonly string[]): readonly string[] {
  return listAt(value, ...keys).filter((item) => typeof item === 'string');
}

/** A string; empty when absent. */
export function textAt(value: ConfigValue | undefined, ...keys: readonly string[]): string {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** A URL; undefined when absent, empty or none. */
export function urlAt(value: ConfigValue | undefined, ...keys: readonly string[]): Url | undefined {
  const text = textAt(value, ...keys);
  const url = text === '' ? undefined : parseUrl(text);
  return typeof url === 'string' ? undefined : url;
}

/** A flag; undefined when absent. */
export function flagAt(value: ConfigValue | undefined, ...keys: readonly string[]): boolean | undefined {
  const found = at(value, ...keys);
  return typeof found === 'boolean' ? found : undefined;
}

/** A number; zero when absent. */
export function numberAt(value: ConfigValue | undefined, ...keys: readonly string[]): number {
  const found = at(value, ...keys);
  return typeof found === 'number' ? found : typeof found === 'bigint' ? Number(found) : 0;
}

/** A map of strings; empty when absent. Other scalars in their text form, null as nothing. */
export function textMapAt(
  value: ConfigValue | undefined,
  ...keys: readonly string[]
): Readonly<Record<string, string>> {
  const map: Record<string, string> = Object.create(null);
  for (const [key, item] of Object.entries(objectAt(value, ...keys) ?? {})) {
    map[key] = item === null || typeof item === 'object' ? '' : String(item);
  }
  return map;
}
