const DAY_SEC = 86_400;
/** go-humanize counts months of 30 days and years of twelve of them. */
const UNITS: readonly (readonly [number, string])[] = [
  [360 * DAY_SEC, 'year'],
  [30 * DAY_SEC, 'month'],
  [7 * DAY_SEC, 'week'],
  [DAY_SEC, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** A time from now as go-humanize says it: `10 months from now`, `2 days ago`, `now`. */
export function relativeTime(fromNowSec: number): string {
  const distanceSec = Math.abs(fromNowSec);
  const unit = UNITS.find(([sizeSec]) => distanceSec >= sizeSec);
  if (unit === undefined) return 'now';
  const count = Math.floor(distanceSec / unit[0]);
  return `${count} ${unit[1]}${count === 1 ? '' : 's'} ${fromNowSec > 0 ? 'from now' : 'ago'}`;
}
