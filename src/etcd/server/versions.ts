/** The oldest cluster that every simulated release can be a member of. */
export const MIN_CLUSTER_VERSION = '3.0.0';

/** Compares dotted numbers; what is no number counts as zero. */
export function compareVersions(a: string, b: string): number {
  const x = numbersOf(a);
  const y = numbersOf(b);
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0);
}
