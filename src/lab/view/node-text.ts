import type { ClusterView, MachineView } from './types.ts';

/** How Kubernetes sees a machine: `Ready`, `NotReady`, or a dash where it has no Node for it. */
export function nodeText(view: ClusterView, machine: MachineView): string {
  const node = view.kubernetes.nodes.find((candidate) => candidate.name === machine.node);
  return node === undefined ? '—' : node.ready ? 'Ready' : 'NotReady';
}
