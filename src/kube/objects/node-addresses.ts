import type { KubeObject } from './object.ts';

export interface NodeAddress {
  /** `InternalIP`, `Hostname` … */
  readonly type: string;
  readonly address: string;
}

/** Addresses in the status of a Node. */
export function addressesOfNode(node: KubeObject): readonly NodeAddress[] {
  return (node.status as { addresses?: readonly NodeAddress[] } | undefined)?.addresses ?? [];
}

/** The first internal address of a Node; undefined when it has none. */
export function internalIpOf(node: KubeObject): string | undefined {
  return addressesOfNode(node).find(({ type }) => type === 'InternalIP')?.address;
}
