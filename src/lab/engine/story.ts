import type { MistakeSpec } from '../scenario/model.ts';
import { quorumOfCluster } from '../view/quorum.ts';
import type { ClusterView, EtcdClusterView } from '../view/types.ts';
import { splitBrain } from './split-brain.ts';

/** Says in words what went wrong, what each side believes, and what repairs it. Empty when nothing did. */
export function tellStory(view: ClusterView, mistake: MistakeSpec | undefined): string[] {
  const lines: string[] = [];
  if (mistake !== undefined) lines.push(`The mistake: ${mistake.about}`);
  if (view.etcd.clusters.length > 1) lines.push(...splitBrain(view));
  else if (!view.etcd.writable && view.etcd.clusters.length === 1) lines.push(...noQuorum(view.etcd.clusters[0]!));
  if (mistake?.repair !== undefined) lines.push(`Repair: ${mistake.repair}`);
  return lines;
}

function noQuorum(cluster: EtcdClusterView): string[] {
  const { members, needed, healthy } = quorumOfCluster(cluster);
  return [
    `etcd has ${members} voters and needs ${needed} to elect a leader and commit writes; ${healthy} follow a leader now. Reads of old data may work, every write waits; the Kubernetes API is down with it, and the virtual address cannot move.`,
  ];
}
