import type { Figure } from './figure.ts';
import { QuietCluster, round, timed } from './quiet-cluster.ts';

const QUIET_US = 600_000_000;

/** Five machines from blank to ready, then ten quiet minutes with everything periodic going on. */
export function benchCluster(): Figure[] {
  const cluster = new QuietCluster();
  const { simulation, bringUpMs, bringUpUs } = cluster;
  const before = simulation.eventsProcessed;
  const quietMs = timed(() => simulation.runFor(QUIET_US));
  const quietEvents = simulation.eventsProcessed - before;
  cluster.close();
  return [
    { name: 'bring-up, wall', value: Math.round(bringUpMs), unit: 'ms' },
    { name: 'bring-ups', value: round(60_000 / bringUpMs), unit: 'per minute' },
    { name: 'bring-up, simulated to wall', value: round(bringUpUs / 1000 / bringUpMs), unit: 'ratio' },
    { name: 'quiet 3 + 2 cluster, simulated to wall', value: round(QUIET_US / 1000 / quietMs), unit: 'ratio' },
    {
      name: 'quiet 3 + 2 cluster, events',
      value: round((quietEvents * 1_000_000) / QUIET_US),
      unit: 'per simulated second',
    },
  ];
}
