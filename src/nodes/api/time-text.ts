import { rfc3339 } from '../../platform/x509/time.ts';

/** `2024-05-01T10:00:00.123456Z`: as Go's RFC3339Nano, trailing zeros of the fraction dropped. */
export function rfc3339Nano(timeUs: number): string {
  const seconds = Math.floor(timeUs / 1_000_000);
  const fraction = String(timeUs - seconds * 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const text = rfc3339(seconds);
  return fraction === '' ? text : text.replace(/Z$/, `.${fraction}Z`);
}
