import { shortId } from '../../../api/etcd/ids.ts';
import type { KeyValue } from '../../../api/etcd/kv.ts';
import { utf8Decode } from '../../../platform/bytes.ts';

/** Text of keys and values on a terminal. With `--hex` every byte is `\xNN`. */
export function bytesText(bytes: Uint8Array, hex: boolean): string {
  if (!hex) return utf8Decode(bytes);
  let text = '';
  for (const byte of bytes) text += `\\x${byte.toString(16).padStart(2, '0')}`;
  return text;
}

/** Key and value, each on a line of its own. */
export function kvLines(kv: KeyValue, hex: boolean, valueOnly: boolean): string {
  const value = `${bytesText(kv.value, hex)}\n`;
  return valueOnly ? value : `${bytesText(kv.key, hex)}\n${value}`;
}

/** `%16x`: padded with spaces to sixteen. */
export function wideId(id: string): string {
  return shortId(id).padStart(16);
}
