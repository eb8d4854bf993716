import { rfc3339 } from '../../platform/rfc3339.ts';

/** `2024-05-01T10:00:00.123456Z`: as Go's RFC3339Nano, trailing zeros of the fraction dropped. */
export function rfc3339Nano(timeUs: number): string {
  return rfc3339(timeUs, true).replace(/\.?0+Z$/, 'Z');
}
