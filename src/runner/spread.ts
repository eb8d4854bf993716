import { tabulate } from '../lab/cobra/tabwriter.ts';
import { MILESTONES } from '../lab/engine/milestones.ts';
import type { SeedOutcome } from './seed-run.ts';

/** Minimum, median and maximum of every milestone over the seeds that reached it. */
export function spreadText(outcomes: readonly SeedOutcome[]): string {
  const rows = MILESTONES.map((milestone) => {
    const times = outcomes.flatMap((outcome) => outcome.milestones[milestone] ?? []).sort((a, b) => a - b);
    if (times.length === 0) return [milestone, '0', '—', '—', '—'];
    return [
      milestone,
      String(times.length),
      seconds(times[0]!),
      seconds(times[Math.floor(times.length / 2)]!),
      seconds(times.at(-1)!),
    ];
  });
  return tabulate([['MILESTONE', 'RUNS', 'MIN', 'MEDIAN', 'MAX'], ...rows]);
}

function seconds(us: number): string {
  return `${(us / 1_000_000).toFixed(1)}s`;
}

/** How often each value of something occurred. */
export function countText(label: string, values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const parts = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(
      ([value, count]) => `${value === '' ? 'none' : value} ${count} (${((count * 100) / values.length).toFixed(0)} %)`,
    );
  return `${label}: ${parts.join(', ')}\n`;
}
