import { civilTime, unixSecondsOf } from './calendar.ts';

/** RFC 3339 in UTC from microseconds since the epoch; with `fraction` six digits of it, as leases carry. */
export function rfc3339(timeUs: number, fraction = false): string {
  const unixSec = Math.floor(timeUs / 1_000_000);
  const { year, month, day, hour, minute, second } = civilTime(unixSec);
  const micros = fraction ? `.${String(1_000_000 + timeUs - unixSec * 1_000_000).slice(1)}` : '';
  const date = `${year >= 1000 ? year : String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  return `${date}T${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}${micros}Z`;
}

/** Microseconds since the epoch of an RFC 3339 text in UTC; undefined when it is not one. */
export function parseRfc3339(text: string): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  if (parts === null) return undefined;
  const micros = Number((parts[7] ?? '').padEnd(6, '0').slice(0, 6));
  return unixSecondsOf(parts.slice(1, 7)) * 1_000_000 + micros;
}

/** `07`. */
export function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
