/** Durations as Go's `time.Duration` reads and prints them. Values are nanoseconds. */
import { goQuote } from './quote.ts';

const UNIT_NS: Readonly<Record<string, bigint>> = Object.freeze(
  Object.assign(Object.create(null), {
    ns: 1n,
    us: 1_000n,
    µs: 1_000n,
    μs: 1_000n,
    ms: 1_000_000n,
    s: 1_000_000_000n,
    m: 60_000_000_000n,
    h: 3_600_000_000_000n,
  }),
);

const MAX_NS = 9223372036854775807n;
const PART = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

/** Nanoseconds, or what is wrong in Go's words. */
export function parseDuration(text: string): bigint | string {
  const quoted = goQuote(text);
  const invalid = `time: invalid duration ${quoted}`;
  let rest = text.replace(/^[-+]/, '');
  const negative = text.startsWith('-');
  if (rest === '0') {
    return 0n;
  }
  if (rest === '') {
    return invalid;
  }
  let total = 0n;
  while (rest !== '') {
    const [whole, digits, fraction, unit] = PART.exec(rest) as unknown as [string, string, string | undefined, string];
    if (digits === '' && (fraction ?? '') === '') {
      return invalid;
    }
    if (unit === '') {
      return `time: missing unit in duration ${quoted}`;
    }
    const scale = UNIT_NS[unit];
    if (scale === undefined) {
      return `time: unknown unit ${goQuote(unit)} in duration ${quoted}`;
    }
    total += BigInt(digits === '' ? '0' : digits) * scale + fractionNs(fraction ?? '', scale);
    if (total > MAX_NS + (negative ? 1n : 0n)) {
      return invalid;
    }
    rest = rest.slice(whole.length);
  }
  return negative ? -total : total;
}

function fractionNs(digits: string, scale: bigint): bigint {
  // More than 18 digits are far below a nanosecond for every unit.
  const kept = digits.slice(0, 18);
  return kept === '' ? 0n : (BigInt(kept) * scale) / BigInt(`1${'0'.repeat(kept.length)}`);
}

/** Canonical text, e.g. `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(ns: bigint): string {
  if (ns === 0n) {
    return '0s';
  }
  const sign = ns < 0n ? '-' : '';
  const size = ns < 0n ? -ns : ns;
  if (size < 1_000_000_000n) {
    const [unit, scale] = size < 1_000n ? ['ns', 1n] : size < 1_000_000n ? ['µs', 1_000n] : ['ms', 1_000_000n];
    return `${sign}${decimal(size, scale as bigint)}${unit as string}`;
  }
  const seconds = size % 60_000_000_000n;
  const minutes = (size / 60_000_000_000n) % 60n;
  const hours = size / 3_600_000_000_000n;
  const tail = `${decimal(seconds, 1_000_000_000n)}s`;
  if (hours > 0n) {
    return `${sign}${hours}h${minutes}m${tail}`;
  }
  return minutes > 0n ? `${sign}${minutes}m${tail}` : `${sign}${tail}`;
}

/** The same in whole microseconds, rounded; undefined when it is no duration. */
export function parseDurationUs(text: string): number | undefined {
  const ns = parseDuration(text);
  return typeof ns === 'string' ? undefined : Math.round(Number(ns) / 1000);
}

/** {@link formatDuration} of microseconds. */
export function formatDurationUs(us: number): string {
  return formatDuration(BigInt(Math.round(us)) * 1000n);
}

function decimal(value: bigint, scale: bigint): string {
  const whole = value / scale;
  const rest = value % scale;
  if (rest === 0n) {
    return String(whole);
  }
  const width = String(scale).length - 1;
  return `${whole}.${String(rest).padStart(width, '0').replace(/0+$/, '')}`;
}
