import { HOUR_US, MILLISECOND_US, MINUTE_US, SECOND_US } from '../../platform/clock.ts';

const UNIT_US: Readonly<Record<string, number>> = {
  h: HOUR_US,
  m: MINUTE_US,
  s: SECOND_US,
  ms: MILLISECOND_US,
  us: 1,
  µs: 1,
};

/** Reads a Go-style duration (`1h2m3.5s`, `500ms`, `0`) in microseconds; undefined when it is not one. */
export function parseDurationUs(text: string): number | undefined {
  if (text === '0') return 0;
  const whole = /^([+-]?)((?:\d+(?:\.\d+)?(?:h|ms|us|µs|m|s))+)$/.exec(text);
  if (whole === null) return undefined;
  let totalUs = 0;
  for (const part of whole[2]!.matchAll(/(\d+)(?:\.(\d+))?(h|ms|us|µs|m|s)/g)) {
    const unitUs = UNIT_US[part[3]!]!;
    totalUs += Number(part[1]) * unitUs;
    if (part[2] !== undefined)
      totalUs += Math.round((Number(part[2]) / Number(`1${'0'.repeat(part[2].length)}`)) * unitUs);
  }
  return whole[1] === '-' ? -totalUs : totalUs;
}

/** Prints as Go's time.Duration does: `1m30s`, `1.5s`, `250ms`, `0s`. */
export function formatDurationUs(durationUs: number): string {
  if (durationUs === 0) return '0s';
  const sign = durationUs < 0 ? '-' : '';
  const us = Math.abs(durationUs);
  if (us < MILLISECOND_US) return `${sign}${us}µs`;
  if (us < SECOND_US) return `${sign}${decimal(us, MILLISECOND_US)}ms`;
  const hours = Math.floor(us / HOUR_US);
  const minutes = Math.floor((us % HOUR_US) / MINUTE_US);
  const seconds = `${decimal(us % MINUTE_US, SECOND_US)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

function decimal(value: number, unit: number): string {
  const whole = Math.floor(value / unit);
  const rest = value % unit;
  if (rest === 0) return `${whole}`;
  const digits = `${rest + unit}`.slice(1).replace(/0+$/, '');
  return `${whole}.${digits}`;
}
