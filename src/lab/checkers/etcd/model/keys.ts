/**
 * Keys of the checkers' own model. It shares no code with the server, so that a mistake there is not repeated here.
 */

/** A key as text, one UTF-16 unit per byte: compares in byte order. */
export function textOf(bytes: Uint8Array): string {
  let text = '';
  let i = 0;
  // Four at once: each piece is a string of its own, and most of what checkers do begins with a key.
  for (; i + 4 <= bytes.length; i += 4) {
    text += String.fromCharCode(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!, bytes[i + 3]!);
  }
  for (; i < bytes.length; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/** Keys `from` ≤ key < `end`; `end` undefined: all that follow. */
export interface Interval {
  readonly from: string;
  readonly end: string | undefined;
  /** `from` is the only one, and `end` says nothing. */
  readonly single: boolean;
}

/** What (key, range_end) stands for in a range, a delete or a comparison (reference/etcd.md A3). */
export function intervalOf(key: Uint8Array, rangeEnd: Uint8Array): Interval {
  const from = textOf(key);
  if (rangeEnd.length === 0) return onlyKey(from);
  const end = textOf(rangeEnd);
  return { from, end: end === '\u0000' ? undefined : end, single: false };
}

/** One key alone. */
export function onlyKey(text: string): Interval {
  return { from: text, end: undefined, single: true };
}

/** The same for a watch: an empty key means "from the first" (A8). */
export function watchedInterval(key: Uint8Array, rangeEnd: Uint8Array): Interval {
  return intervalOf(key.length === 0 ? Uint8Array.of(0) : key, rangeEnd);
}

export function covers(interval: Interval, text: string): boolean {
  if (interval.single) return text === interval.from;
  return text >= interval.from && (interval.end === undefined || text < interval.end);
}
