import type { Expectation } from '../scenario/schema.ts';
import type { ClusterView, EtcdClusterView, MachineView } from '../view/types.ts';

export interface CheckedExpectation {
  readonly text: string;
  readonly held: boolean;
  readonly saw: string;
}

/** Checks one entry of `expect` against what is seen; each field becomes a line of its own. */
export function checkExpectation(expectation: Expectation, view: ClusterView): CheckedExpectation[] {
  return [
    ...etcdChecks(expectation.etcd, view),
    ...kubernetesChecks(expectation.kubernetes, view),
    ...vipChecks(expectation.vip, view),
    ...machineChecks(expectation.machine, view),
  ];
}

function etcdChecks(wanted: Expectation['etcd'], view: ClusterView): CheckedExpectation[] {
  if (wanted === undefined) return [];
  const clusters = view.etcd.clusters;
  const members = clusters.flatMap((cluster) => cluster.members);
  const voters = members.filter((member) => !member.learner);
  const learners = members.filter((member) => member.learner);
  return [
    compare('etcd clusters', wanted.clusters, clusters.length),
    compare('etcd voters', wanted.voters, voters.length),
    compare('etcd learners', wanted.learners, learners.length),
    compare('etcd writable', wanted.writable, view.etcd.writable),
    compare('etcd leader', wanted.leader, leaderNames(clusters)),
    compare(
      'etcd members',
      wanted.members && sortedText(wanted.members),
      sortedText(members.map((member) => member.name)),
    ),
    compare(
      'etcd births',
      wanted.births && sortedText(wanted.births),
      sortedText(clusters.map((cluster) => cluster.birth.machine)),
    ),
  ].filter((check) => check !== undefined);
}

function leaderNames(clusters: readonly EtcdClusterView[]): string {
  const names = clusters.map(
    (cluster) => cluster.members.find((member) => member.id === cluster.leader)?.name ?? 'none',
  );
  return names.length === 0 ? 'none' : names.join(', ');
}

function kubernetesChecks(wanted: Expectation['kubernetes'], view: ClusterView): CheckedExpectation[] {
  if (wanted === undefined) return [];
  const nodes = view.kubernetes.nodes;
  return [
    compare('kubernetes nodes ready', wanted.ready, nodes.filter((node) => node.ready).length),
    compare('kubernetes nodes', wanted.nodes && sortedText(wanted.nodes), sortedText(nodes.map((node) => node.name))),
  ].filter((check) => check !== undefined);
}

function vipChecks(wanted: Expectation['vip'], view: ClusterView): CheckedExpectation[] {
  if (wanted === undefined) return [];
  const owners = view.vip?.owners ?? [];
  return [
    compare(
      'vip owner',
      wanted.owner === null ? 'nobody' : wanted.owner,
      owners.length === 0 ? 'nobody' : owners.join(', '),
    ),
    compare('vip owners', wanted.owners && sortedText(wanted.owners), sortedText(owners)),
  ].filter((check) => check !== undefined);
}

const MACHINE_FIELDS: readonly (keyof MachineView & keyof NonNullable<Expectation['machine']>)[] = [
  'stage',
  'power',
  'disk',
  'config',
  'etcd',
  'controlPlane',
  'kubelet',
];

function machineChecks(wanted: Expectation['machine'], view: ClusterView): CheckedExpectation[] {
  if (wanted === undefined) return [];
  const machine = view.machines.find((candidate) => candidate.name === wanted.name);
  return MACHINE_FIELDS.map((field) =>
    compare(`${wanted.name} ${field}`, wanted[field], machine?.[field] ?? 'unknown'),
  ).filter((check) => check !== undefined);
}

function sortedText(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.toSorted().join(', ');
}

type Plain = string | number | boolean;

function compare(what: string, wanted: Plain | undefined, saw: Plain): CheckedExpectation | undefined {
  if (wanted === undefined) return undefined;
  return { text: `${what} = ${String(wanted)}`, held: wanted === saw, saw: String(saw) };
}
