import { formatDurationUs } from '../../platform/text/duration.ts';
import type { MistakeSpec } from '../scenario/model.ts';
import { quorumOfCluster } from '../view/quorum.ts';
import type { ClusterView, EtcdClusterView } from '../view/types.ts';
import type { Violation } from './result.ts';

/** Says in words what went wrong, what each side believes, and what repairs it. Empty when nothing did. */
export function tellStory(
  view: ClusterView,
  violations: readonly Violation[],
  mistake: MistakeSpec | undefined,
): string[] {
  const lines: string[] = [];
  if (mistake !== undefined) lines.push(`The mistake: ${mistake.about}`);
  if (view.etcd.clusters.length > 1) lines.push(...splitBrain(view));
  else if (!view.etcd.writable && view.etcd.clusters.length === 1) lines.push(...noQuorum(view.etcd.clusters[0]!));
  if (mistake?.repair !== undefined && violations.length > 0) lines.push(`Repair: ${mistake.repair}`);
  return lines;
}

function splitBrain(view: ClusterView): string[] {
  const [first, ...others] = view.etcd.clusters as [EtcdClusterView, ...EtcdClusterView[]];
  const lines = [
    `There are ${view.etcd.clusters.length} etcd clusters. They share certificates and names, so nothing tells them apart from outside; they never merge.`,
  ];
  for (const cluster of view.etcd.clusters) lines.push(`  ${belief(cluster)}`);
  if ((view.vip?.owners.length ?? 0) > 1) {
    lines.push(
      `  Both sides hold the virtual address ${view.vip!.address}: ${view.vip!.owners.join(' and ')} each won an election in their own etcd. Who answers depends on the ARP cache of whoever asks.`,
    );
  }
  lines.push(
    '  `talosctl etcd members` asked of each control plane shows it: the lists differ. `talosctl get members` does not: discovery knows machines, not etcd.',
  );
  const wipe = others.map((cluster) => cluster.birth.machine).join(', ');
  lines.push(
    `Repair: keep the cluster born on ${first.birth.machine}; on ${wipe}: talosctl reset --graceful=false --system-labels-to-wipe EPHEMERAL --reboot. It then joins as a learner by itself. Remove unnamed learners with talosctl etcd remove-member and delete stale Nodes. Save what was written to the other side first: it is lost.`,
  );
  return lines;
}

function belief(cluster: EtcdClusterView): string {
  const names = cluster.members
    .map((member) =>
      member.name === '' ? 'an unnamed learner' : member.learner ? `${member.name} (learner)` : member.name,
    )
    .join(', ');
  return `${cluster.birth.machine} founded one at ${formatDurationUs(cluster.birth.atUs)} (id ${cluster.id}). It believes its members are ${names}, term ${cluster.term}, revision ${cluster.revision}.`;
}

function noQuorum(cluster: EtcdClusterView): string[] {
  const { members, needed, healthy } = quorumOfCluster(cluster);
  return [
    `etcd has ${members} voters and needs ${needed} to elect a leader and commit writes; ${healthy} follow a leader now. Reads of old data may work, every write waits; the Kubernetes API is down with it, and the virtual address cannot move.`,
  ];
}
