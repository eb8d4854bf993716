import { MachineService } from '../../../api/machine/services.ts';
import { parseKubernetesVersion, versionProblem } from '../../../config/validate/kubernetes.ts';
import { parseVersion } from '../../../config/version.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { internalIpOf } from '../../../kube/objects/node-addresses.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import { all } from '../../../platform/combinators.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty } from '../../../rpc/well-known.ts';
import { CommandFailure } from '../run.ts';
import { type Cluster, explained } from './run.ts';

const NODES = findResource('v1', 'nodes')!;
const PODS = findResource('v1', 'pods')!;
const COMPONENTS: readonly string[] = ['kube-apiserver', 'kube-controller-manager', 'kube-proxy', 'kube-scheduler'];

/** Internal addresses of control planes or workers, in the order of node names. */
export function* nodeAddresses(kube: KubeClient, role: 'controlplane' | 'worker'): Task<readonly string[]> {
  const { items } = yield* kube.list(NODES);
  return items.flatMap((node) => {
    const isControlPlane = node.metadata.labels?.['node-role.kubernetes.io/control-plane'] !== undefined;
    return isControlPlane === (role === 'controlplane') ? (internalIpOf(node) ?? []) : [];
  });
}

/** The lowest version that a component of the control plane or kube-proxy runs with, by the tags of its images. */
export function* lowestVersion(kube: KubeClient): Task<string> {
  const { items } = yield* kube.list(PODS, 'kube-system');
  const versions = items.flatMap(({ metadata, spec }) => {
    const app = metadata.labels?.['k8s-app'] ?? '';
    if (!COMPONENTS.includes(app)) return [];
    const { containers } = spec as {
      readonly containers: readonly { readonly name: string; readonly image: string }[];
    };
    return containers.filter(({ name }) => name === app).flatMap(({ image }) => image.split(':')[1] ?? []);
  });
  const parsed = versions.map((tag) => parseKubernetesVersion(tag.replace(/^v+/, '')));
  const known = parsed.filter((version) => typeof version !== 'string');
  known.sort((a, b) => a.major - b.major || a.minor - b.minor || a.patch - b.patch);
  // The real tool would crash here: there is nothing whose version it could take.
  if (known.length === 0) throw new CommandFailure('no pods of Kubernetes components found');
  return known[0]!.text;
}

/** Asks every machine whether its Talos runs that Kubernetes; all are asked at once (reference/v1.11.3.md 14). */
export function* checkCompatibility(cluster: Cluster, nodes: readonly string[], to: string): Task<void> {
  const wanted = parseKubernetesVersion(to);
  if (typeof wanted === 'string') throw new CommandFailure(`error parsing Kubernetes version "${to}": ${wanted}`);
  yield* all(
    nodes.map(function* (node): Task<void> {
      const asked = cluster.talos.single(MachineService.Version, Empty.empty, node);
      const { messages } = yield* explained(`error getting Talos version on node "${node}"`, asked);
      const tag = messages[0]?.version?.tag ?? '';
      const talos = parseVersion(tag);
      if (talos === undefined)
        throw new CommandFailure(`error parsing Talos version on node "${node}": invalid version "${tag}"`);
      const problem = versionProblem(wanted, talos);
      if (problem !== undefined) throw new CommandFailure(`compatibility check failed on node "${node}": ${problem}`);
      cluster.log(`> "${node}": Talos version ${talos.text} is compatible with Kubernetes version ${to}`);
    }),
  );
}
