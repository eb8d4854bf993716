import type { Figure } from './figure.ts';
import { QuietCluster, round } from './quiet-cluster.ts';

const SECONDS = 120;

/** Events of a quiet cluster by who they belong to, most first: the table of docs/event-budget.md. */
export function benchBudget(): Figure[] {
  const cluster = new QuietCluster();
  const { simulation } = cluster;
  const counts = new Map<string, number>();
  const untilUs = simulation.nowUs + SECONDS * 1_000_000;
  while (simulation.nowUs < untilUs) {
    const group = groupOf(simulation.nextOwner);
    counts.set(group, (counts.get(group) ?? 0) + 1);
    simulation.step();
  }
  cluster.close();
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => ({ name, value: round(count / SECONDS), unit: 'per simulated second' }));
}

/** `cp-1/etcd/member/raft` → `etcd/member`; `net/10.0.0.10:40001>10.0.0.11:2380` → `net 2380`. */
function groupOf(owner: string): string {
  const ports = /^net\/.*:(\d+)>.*:(\d+)$/.exec(owner);
  if (ports !== null) return `segments of port ${Math.min(Number(ports[1]), Number(ports[2]))}`;
  const [, program, ...rest] = owner.replaceAll(/#\d+/g, '').split('/');
  return [program, ...rest.slice(0, 1)].join('/');
}
