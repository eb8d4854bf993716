const SI_UNITS: readonly string[] = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Sizes as go-humanize prints them: powers of 1000, one decimal below ten (`1.2 MB`, `25 MB`, `999 B`). */
export function humanBytes(bytes: number): string {
  return human(bytes, 1000, SI_UNITS);
}

function human(bytes: number, base: number, units: readonly string[]): string {
  if (bytes < 10) return `${bytes} B`;
  let scale = 1;
  let unit = 0;
  while (bytes / scale >= base && unit < units.length - 1) {
    scale *= base;
    unit++;
  }
  const tenths = Math.floor((bytes / scale) * 10 + 0.5);
  return tenths < 100 && unit > 0
    ? `${Math.floor(tenths / 10)}.${tenths % 10} ${units[unit]}`
    : `${Math.round(tenths / 10)} ${units[unit]}`;
}
