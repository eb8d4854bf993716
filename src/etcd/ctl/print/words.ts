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

/** `%x`: hexadecimal without leading zeros. */
export function hexId(id: string): string {
  const text = id.replace(/^0+/, '');
  return text === '' ? '0' : text;
}

/** `%16x`: padded with spaces to sixteen. */
export function wideId(id: string): string {
  return hexId(id).padStart(16);
}

/** A Go duration of whole microseconds: `1.234567s`, `12.5ms`, `800µs`. */
export function durationText(us: number): string {
  if (us === 0) return '0s';
  if (us < 1000) return `${us}µs`;
  if (us < 1_000_000) return `${trimmed(us, 1000, 3)}ms`;
  const minutes = Math.floor(us / 60_000_000);
  const seconds = `${trimmed(us % 60_000_000, 1_000_000, 6)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}

function trimmed(value: number, unit: number, digits: number): string {
  const whole = Math.floor(value / unit);
  const rest = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return rest === '' ? String(whole) : `${whole}.${rest}`;
}

const UNITS = Object.freeze(['B', 'kB', 'MB', 'GB', 'TB']);

/** Sizes in powers of 1000: `25 kB`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 10) return `${bytes} B`;
  let scale = 1;
  let unit = 0;
  while (bytes / scale >= 1000 && unit < UNITS.length - 1) {
    scale *= 1000;
    unit++;
  }
  const tenths = Math.floor((bytes / scale) * 10 + 0.5);
  const short = tenths < 100 && unit > 0;
  return short
    ? `${Math.floor(tenths / 10)}.${tenths % 10} ${UNITS[unit]}`
    : `${Math.floor(tenths / 10)} ${UNITS[unit]}`;
}
