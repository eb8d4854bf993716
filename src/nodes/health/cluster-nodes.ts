import { failedPrecondition } from '../api/errors.ts';
import { isControlPlane } from '../config/settings.ts';
import type { Machine } from '../machine.ts';
import { Members } from '../resources/cluster.ts';

/** A node as the checks see it: one address to call, all to compare with. */
export interface ClusterNode {
  readonly internalIp: string;
  readonly addresses: readonly string[];
  readonly controlPlane: boolean;
}

export interface ClusterNodes {
  readonly all: readonly ClusterNode[];
  readonly controlPlanes: readonly ClusterNode[];
}

/** Nodes that the caller named. */
export function namedNodes(controlPlanes: readonly string[], workers: readonly string[]): ClusterNodes {
  const node = (address: string, controlPlane: boolean): ClusterNode => ({
    internalIp: address,
    addresses: [address],
    controlPlane,
  });
  return grouped([
    ...controlPlanes.map((address) => node(address, true)),
    ...workers.map((address) => node(address, false)),
  ]);
}

/**
 * Members that discovery found. The address to call is the first of the member, so the holder of a shared address is
 * called by it (reference/corrections.md 1a-22). The group order of the original is that of a map; here control planes
 * come first.
 */
export function discoveredNodes(machine: Machine): ClusterNodes {
  const nodes = machine.state.list(Members).map(
    ({ spec }): ClusterNode => ({
      internalIp: spec.addresses[0] ?? '',
      addresses: spec.addresses,
      controlPlane: isControlPlane(spec.machineType),
    }),
  );
  if (nodes.length === 0) throw failedPrecondition('no members found: cluster discovery is disabled or has no data');
  return grouped(nodes);
}

function grouped(nodes: readonly ClusterNode[]): ClusterNodes {
  const controlPlanes = nodes.filter((node) => node.controlPlane);
  return { all: [...controlPlanes, ...nodes.filter((node) => !node.controlPlane)], controlPlanes };
}

export function addressesOf(nodes: readonly ClusterNode[]): readonly string[] {
  return nodes.map((node) => node.internalIp);
}
