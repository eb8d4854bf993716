import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { isObject } from '../../config/view.ts';

/** Values of a decoded document with a fallback for what is missing or of another shape. */
export function text(value: ConfigValue | undefined, fallback = ''): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

export function flag(value: ConfigValue | undefined, fallback = false): boolean {
  return typeof value === 'boolean' ? value : fallback;
}

export function integer(value: ConfigValue | undefined, fallback: number): number {
  return typeof value === 'number' && value !== 0 ? value : fallback;
}

export function texts(value: ConfigValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function objects(value: ConfigValue | undefined): readonly ConfigObject[] {
  return Array.isArray(value) ? value.filter((item): item is ConfigObject => isObject(item)) : [];
}

/** String values of a map; other values in their JSON form. */
export function textMap(value: ConfigValue | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  const result: Record<string, string> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item !== null && item !== undefined) result[key] = typeof item === 'string' ? item : String(item);
  }
  return result;
}

export function object(value: ConfigValue | undefined): ConfigObject {
  return isObject(value) ? value : {};
}
