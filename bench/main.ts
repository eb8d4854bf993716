// Speed and memory as JSON, each in relation to a reference loop of the same run:  npm run bench [-- AREA[/PART] …]
import { benchBudget } from './budget.ts';
import { benchCheckers } from './checkers.ts';
import { benchCluster } from './cluster.ts';
import { benchConfig } from './config.ts';
import { benchEtcd, ETCD_PARTS } from './etcd.ts';
import type { Figure } from './figure.ts';
import { benchKernel } from './kernel.ts';
import { benchNet } from './net.ts';
import { benchRaft } from './raft.ts';

const AREAS: Readonly<Record<string, () => readonly Figure[]>> = {
  kernel: benchKernel,
  net: benchNet,
  raft: benchRaft,
  etcd: benchEtcd,
  checkers: benchCheckers,
  cluster: benchCluster,
  budget: benchBudget,
  config: benchConfig,
};

/** Areas by name, and parts of one as `AREA/PART`. */
const runs = new Map(Object.entries(AREAS));
for (const [part, run] of Object.entries(ETCD_PARTS)) runs.set(`etcd/${part}`, run);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(AREAS);
const unknown = chosen.filter((area) => !runs.has(area));
if (unknown.length > 0) {
  console.error(`bench: no area ${unknown.join(', ')}; there are ${[...runs.keys()].join(', ')}`);
  process.exit(2);
}
const referencePerSec = reference();
const figures = chosen.flatMap((area) =>
  runs.get(area)!().map((figure) => ({
    area,
    ...figure,
    ...(figure.unit.endsWith('/s') && { perReference: figure.value / referencePerSec }),
  })),
);
console.log(
  JSON.stringify(
    {
      node: process.version,
      referencePerSec,
      peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
      figures,
    },
    undefined,
    2,
  ),
);

/** Rounds of a fixed integer loop per second: what this machine could do in this minute. */
function reference(): number {
  const rounds = 50_000_000;
  let hash = 1;
  const startedMs = performance.now();
  for (let i = 0; i < rounds; i++) hash = Math.imul(hash ^ i, 0x9e3779b1) ^ (hash >>> 7);
  const elapsedMs = performance.now() - startedMs;
  return Math.round((rounds / elapsedMs) * 1000) + (hash === 42 ? 1 : 0);
}
