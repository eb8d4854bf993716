import type { Task } from '../../../platform/task.ts';
import { onChange } from '../../component/loop.ts';
import { findResource } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';

const NODES = findResource('v1', 'nodes')!;
const PERIOD_US = 60_000_000;

/** Gives every node a /24 of the cluster's pod network. */
export function* assignPodCidrs(context: ControllerContext): Task<never> {
  return yield* onChange(context.platform.clock, [context.nodes.changed], PERIOD_US, function* () {
    const nodes = context.nodes.items();
    const used = new Set(nodes.map((node) => (node.spec as { podCIDR?: string } | undefined)?.podCIDR));
    for (const node of nodes) {
      const spec = (node.spec ?? {}) as { podCIDR?: string };
      if (spec.podCIDR !== undefined) continue;
      const podCIDR = freeSubnet(context.clusterCidr, used);
      if (podCIDR === undefined) return;
      used.add(podCIDR);
      yield* context.client.update(NODES, { ...node, spec: { ...spec, podCIDR, podCIDRs: [podCIDR] } });
    }
  });
}

/** The first /24 below `a.b.0.0/16` that nobody has. */
function freeSubnet(clusterCidr: string, used: ReadonlySet<string | undefined>): string | undefined {
  const [first = '10', second = '244'] = clusterCidr.split('.');
  for (let third = 0; third < 256; third++) {
    const subnet = `${first}.${second}.${third}.0/24`;
    if (!used.has(subnet)) return subnet;
  }
  return undefined;
}
