/** Values without a schema, ready to be written. */
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import type { Out } from './emit.ts';

/** The tree to write; `keysOf` orders the keys of each map, by default as they are. */
export function plainOut(value: ConfigValue, keysOf: (map: ConfigObject) => readonly string[] = Object.keys): Out {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', value };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => plainOut(item, keysOf)) };
  const map = value as ConfigObject;
  return { kind: 'map', entries: keysOf(map).map((key) => [key, plainOut(map[key]!, keysOf)]) };
}
