const UNITS_US: Readonly<Record<string, number>> = Object.freeze({
  ns: 0.001,
  us: 1,
  µs: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
});

/** Parses a Go duration such as `1h30m` or `500ms` to microseconds; null when it is none. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(body)) return null;
  let totalUs = 0;
  for (const match of body.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
    totalUs += Number.parseFloat(match[1]!) * UNITS_US[match[2]!]!;
  }
  return sign * Math.round(totalUs);
}
