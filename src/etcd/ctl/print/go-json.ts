import { decimalId, leaseNumber } from '../../../api/etcd/ids.ts';
import { encodeBase64 } from '../../../platform/base64.ts';

/**
 * JSON as Go's encoder prints etcd's messages: names of the fields' tags, empty fields left out, bytes in base64, 64-bit
 * numbers as numbers.
 */
export type JsonField<T> = readonly [name: string, render: (value: T) => string | null];

/** One object; a field whose rendering is null is left out. */
export function object<T>(fields: readonly JsonField<T>[]): (value: T) => string {
  return (value) => {
    const parts: string[] = [];
    for (const [name, render] of fields) {
      const text = render(value);
      if (text !== null) parts.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${parts.join(',')}}`;
  };
}

/** A number, left out when it is zero. */
export function num(value: number): string | null {
  return value === 0 ? null : String(value);
}

/** An unsigned 64-bit id as a decimal number. */
export function unsigned(id: string): string | null {
  const value = decimalId(id);
  return value === '0' ? null : value;
}

/** A lease id as the signed number it stands for. */
export function signed(id: string): string | null {
  const value = leaseNumber(id);
  return value === 0n ? null : value.toString();
}

/** A string as Go escapes it: also the characters that matter to HTML. */
export function text(value: string): string | null {
  return value === '' ? null : quoted(value);
}

export function quoted(value: string): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function bool(value: boolean): string | null {
  return value ? 'true' : null;
}

export function bytes(value: Uint8Array): string | null {
  return value.length === 0 ? null : `"${encodeBase64(value)}"`;
}

export function list<T>(values: readonly T[], render: (value: T) => string): string | null {
  return values.length === 0 ? null : `[${values.map(render).join(',')}]`;
}

export function optional<T>(value: T | null, render: (value: T) => string): string | null {
  return value === null ? null : render(value);
}
