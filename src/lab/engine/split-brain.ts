import { formatDurationUs } from '../../platform/text/duration.ts';
import type { ClusterView, EtcdClusterView } from '../view/types.ts';

/** Explains a split brain: how it came to be, what each side believes, how to see it, what repairs it (reference/corrections.md part 2 d). */
export function splitBrain(view: ClusterView): string[] {
  const { clusters } = view.etcd;
  return [
    ...cause(clusters),
    ...clusters.map((cluster) => `  ${belief(cluster)}`),
    ...strays(view),
    ...consequences(view),
    'How to see it:',
    '  talosctl etcd members, asked of every control plane: the lists differ. Nothing else says it plainly.',
    '  talosctl get members looks right: discovery knows machines, not etcd. talosctl health may pass: each side is well.',
    ...repair(view),
  ];
}

function cause(clusters: readonly EtcdClusterView[]): string[] {
  const founders = clusters.map((cluster) => cluster.birth.machine).join(' and ');
  return [
    `There are ${clusters.length} etcd clusters, founded on ${founders}; they never merge.`,
    'Bootstrap means: found a new etcd here. Its only guard is that the data directory of this one machine is empty, and a control plane that still waits to join has an empty one. No other machine is asked.',
    'What each side believes:',
  ];
}

function belief(cluster: EtcdClusterView): string {
  const names = cluster.members.map((member) =>
    member.name === ''
      ? 'a learner that never said its name'
      : member.learner
        ? `${member.name} (learner)`
        : member.name,
  );
  const leader = cluster.members.find((member) => member.id === cluster.leader)?.name;
  const leads = leader === undefined ? 'nobody leads it' : `${leader} leads it`;
  return `Born on ${cluster.birth.machine} at ${formatDurationUs(cluster.birth.atUs)} (id ${cluster.id}): "I am the cluster. My members are ${names.join(', ')}." ${leads}, term ${cluster.term}, revision ${cluster.revision}.`;
}

function straysOf(view: ClusterView): string[] {
  const placed = new Set(view.etcd.clusters.flatMap((cluster) => cluster.members.map((member) => member.name)));
  return view.machines
    .filter(({ config, name, power }) => config === 'controlplane' && power === 'on' && !placed.has(name))
    .map(({ name }) => name);
}

/** Control planes that are in no cluster: added to one, told the members of another. */
function strays(view: ClusterView): string[] {
  return straysOf(view).map(
    (name) =>
      `  ${name} belongs to neither: it asks whichever etcd answers, and each call of its joining may reach another side. Added to one and told the members of the other, its etcd ends again and again. A mere reboot would let it found a third cluster.`,
  );
}

function consequences(view: ClusterView): string[] {
  const lines = [
    'What follows:',
    '  Each side has an API server with its own Nodes, Pods and Secrets. Both trust the same certificates, so kubectl and the kubelets take either for the real one, and connections to the endpoint or through KubePrism end on one or the other.',
  ];
  const owners = view.vip?.owners ?? [];
  if (owners.length > 1)
    lines.push(
      `  ${owners.join(' and ')} both hold ${view.vip!.address}: each won the election of the address in its own etcd. Who answers depends on the ARP cache of whoever asks, and changes when that ages.`,
    );
  return lines;
}

/** The side with more members loses least; of equal ones the older. */
function repair(view: ClusterView): string[] {
  const { clusters } = view.etcd;
  const size = (cluster: EtcdClusterView): number => cluster.members.filter(({ name }) => name !== '').length;
  const keep = clusters.reduce((best, cluster) => (size(cluster) > size(best) ? cluster : best));
  const wiped = clusters
    .filter((cluster) => cluster !== keep)
    .flatMap((cluster) => cluster.members.map(({ name }) => name));
  const machines = [...new Set([...wiped.filter((name) => name !== ''), ...straysOf(view)])].join(', ');
  return [
    `Repair: keep one side, here that of ${keep.birth.machine}. What was written to the other is lost: save it first (talosctl etcd snapshot).`,
    `  1. Wipe ${machines}, all of that side before any of it may join again: talosctl reset --graceful=false --system-labels-to-wipe EPHEMERAL --reboot`,
    '  2. A wiped machine joins by itself, as a learner first. Never bootstrap again.',
    `  3. On ${keep.birth.machine}: talosctl etcd members; take out learners without a name with talosctl etcd remove-member ID.`,
    '  4. kubectl get nodes; delete Nodes that are stale.',
  ];
}
