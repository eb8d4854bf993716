import { emitDocument, type Out } from '../../config/encode/emit.ts';
import { encodeBase64 } from '../../platform/base64.ts';

/** A spec as YAML, keys in the order they were written. */
export function specYaml(spec: unknown): string {
  return emitDocument(outOf(spec));
}

function outOf(value: unknown): Out {
  if (value === null || value === undefined) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', value };
  if (value instanceof Uint8Array) return { kind: 'string', text: encodeBase64(value) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(outOf) };
  const object = value as Readonly<Record<string, unknown>>;
  return { kind: 'map', entries: Object.keys(object).map((key) => [key, outOf(object[key])] as const) };
}
