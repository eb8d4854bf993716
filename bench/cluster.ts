import type { Figure } from './figure.ts';
import { QuietCluster, round, timed } from './quiet-cluster.ts';

/** Until the engine has compiled what a quiet cluster runs. */
const WARM_UP_US = 1_200_000_000;
const SLICE_US = 20_000_000;
const SLICES = 180;

/**
 * Five machines from blank to ready, then a quiet hour with everything periodic going on. The hour is measured in slices:
 * what else the machine does only slows them, so the middle one says more than the sum, and the best tenth what the code
 * can do.
 */
export function benchCluster(): Figure[] {
  const cluster = new QuietCluster();
  const { simulation, bringUpMs, bringUpUs } = cluster;
  simulation.runFor(WARM_UP_US);
  const before = simulation.eventsProcessed;
  const slicesMs = Array.from({ length: SLICES }, () => timed(() => simulation.runFor(SLICE_US)));
  const quietEvents = simulation.eventsProcessed - before;
  cluster.close();
  slicesMs.sort((a, b) => a - b);
  const ratioAt = (share: number): number => round(SLICE_US / 1000 / slicesMs[Math.floor(SLICES * share)]!);
  return [
    { name: 'bring-up, wall', value: Math.round(bringUpMs), unit: 'ms' },
    { name: 'bring-ups', value: round(60_000 / bringUpMs), unit: 'per minute' },
    { name: 'bring-up, simulated to wall', value: round(bringUpUs / 1000 / bringUpMs), unit: 'ratio' },
    { name: 'quiet 3 + 2 cluster, simulated to wall, median', value: ratioAt(0.5), unit: 'ratio' },
    { name: 'quiet 3 + 2 cluster, simulated to wall, best tenth', value: ratioAt(0.1), unit: 'ratio' },
    {
      name: 'quiet 3 + 2 cluster, events',
      value: round((quietEvents * 1_000_000) / (SLICES * SLICE_US)),
      unit: 'per simulated second',
    },
  ];
}
