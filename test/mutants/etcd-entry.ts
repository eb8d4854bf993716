import type { Problem } from '../etcd/fire/checks.ts';
import { cutAt, type PowerCut } from '../etcd/fire/every-point.ts';
import { drawFire } from '../etcd/fire/plan.ts';
import { underFire } from '../etcd/fire/run.ts';
import { compactionStorm } from '../etcd/storm/compaction-storm.ts';
import { leaseStorm } from '../etcd/storm/lease-storm.ts';
import { logStorm } from '../etcd/storm/log-storm.ts';
import { stateStorm } from '../etcd/storm/state-storm.ts';
import { streamStorm } from '../etcd/storm/stream-storm.ts';
import type { SeedRunner } from './mutant.ts';

/** One cluster under fire; every third time, one member that loses its power at one operation of its
 * disk, or parts of one in a storm of requests, watches, leases and power cuts. */
export const runSeed: SeedRunner = (seed) => {
  const cut: PowerCut = { at: 20 + (seed % 97), when: 'crash before', mode: 'torn' };
  if (seed % 12 === 5) return cutAt(cut).problems[0]?.guarantee;
  if (seed % 12 === 11) return cutAt(cut, 3, Math.floor(seed / 12) % 3).problems[0]?.guarantee;
  if (seed % 3 === 2) return inStorm(seed)?.guarantee;
  return underFire(drawFire(seed)).problems[0]?.guarantee;
};

function inStorm(seed: number): Problem | undefined {
  return leaseStorm(seed) ?? logStorm(seed) ?? streamStorm(seed) ?? compactionStorm(seed) ?? stateStorm(seed);
}
