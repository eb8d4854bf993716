import type { Process } from '../../src/platform/containers.ts';
import type { Task } from '../../src/platform/task.ts';
import type { Node, SimCluster } from './sim-cluster.ts';

const LIMIT_US = 60_000_000;

/** Runs a program of etcd's image on a node to its end. */
export function runOn(cluster: SimCluster, node: Node, args: readonly string[]): { code: number; text: string } {
  const process = node.station.run({ name: 'once', program: cluster.program, args })!;
  cluster.sim.runUntil(() => process.exit.isSet, { untilUs: cluster.sim.nowUs + LIMIT_US });
  return { code: process.exit.peek()?.code ?? -1, text: process.lines.tail(40).join('\n') };
}

/** Changes a node's files while its member is down. */
export function onDisk(cluster: SimCluster, node: Node, body: (process: Process) => Task<void>): void {
  const process = node.station.run({
    name: 'files',
    program: function* (self: Process): Task<number> {
      yield* body(self);
      return 0;
    },
  })!;
  cluster.sim.runUntil(() => process.exit.isSet, { untilUs: cluster.sim.nowUs + LIMIT_US });
  const code = process.exit.peek()?.code;
  if (code !== 0) throw new Error(`changing the files of ${node.name} ended with ${code}`);
}

export function wipe(cluster: SimCluster, node: Node): void {
  onDisk(cluster, node, ({ platform }) => platform.disk.removeTree('/etcd'));
}
