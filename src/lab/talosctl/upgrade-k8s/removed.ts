import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import { specOf } from '../resource-text.ts';
import { getResource } from '../resources.ts';
import { CommandFailure } from '../run.ts';
import type { StaticComponent, Upgrade } from './run.ts';

/** What a minor release of Kubernetes no longer knows. */
interface Removed {
  /** Of all components of the control plane. */
  readonly featureGates?: readonly string[];
  readonly admissionPlugins?: readonly string[];
  /** Without `--`. */
  readonly flags?: Readonly<Partial<Record<StaticComponent | 'kubelet', readonly string[]>>>;
  /** `podschedulingcontexts.v1alpha3.resource.k8s.io` */
  readonly apis?: readonly string[];
}

/**
 * By the step that removes it (reference/lifecycle-api-cli.md C.7). Steps below 1.29 cannot be asked for: no machine of
 * this release runs them.
 */
const REMOVED: Readonly<Record<string, Removed>> = Object.freeze({
  '1.29->1.30': {
    featureGates: names(
      'ExpandedDNSConfig ExperimentalHostUserNamespaceDefaultingGate IPTablesOwnershipCleanup KubeletPodResources',
      'KubeletPodResourcesGetAllocatable MinimizeIPTablesRestore ProxyTerminatingEndpoints RemoveSelfLink',
    ),
    admissionPlugins: ['SecurityContextDeny'],
  },
  '1.30->1.31': {
    featureGates: names(
      'APIPriorityAndFairness CSINodeExpandSecret ConsistentHTTPGetHandlers DefaultHostNetworkHostPortsInPodTemplates',
      'ServiceNodePortStaticSubrange SkipReadOnlyValidationGCE',
    ),
    flags: {
      kubelet: names('keep-terminated-pod-volumes iptables-masquerade-bit iptables-drop-bit'),
      'kube-controller-manager': names(
        'volume-host-cidr-denylist volume-host-allow-local-loopback horizontal-pod-autoscaler-upscale-delay',
        'horizontal-pod-autoscaler-downscale-delay',
      ),
    },
  },
  '1.31->1.32': {
    featureGates: names(
      'AllowServiceLBStatusOnNonLB CloudDualStackNodeIPs DRAControlPlaneController HPAContainerMetrics KMSv2 KMSv2KDF',
      'LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction',
      'NodeOutOfServiceVolumeDetach ServerSideApply ServerSideFieldValidation StableLoadBalancerNodeSet',
      'ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares',
    ),
    apis: ['podschedulingcontexts.v1alpha3.resource.k8s.io'],
  },
  '1.32->1.33': {
    featureGates: names(
      'AppArmor AppArmorFields CPUManager DisableCloudProviders DisableKubeletCloudCredentialProviders',
      'JobPodFailurePolicy KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy',
      'PersistentVolumeLastPhaseTransitionTime VolumeCapacityPriority',
    ),
    flags: { 'kube-apiserver': ['cloud-config'] },
  },
  '1.33->1.34': {
    featureGates: names('DevicePluginCDIDevices LegacySidecarContainers PodDisruptionConditions'),
    flags: { kubelet: ['cloud-config'] },
  },
});

function names(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

const STATIC: readonly StaticComponent[] = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** What was found that the new release would not take, by kind of thing: rows of node, component, name. */
interface Findings {
  readonly plugins: string[][];
  readonly gates: string[][];
  readonly flags: string[][];
  readonly apis: string[][];
}

/** Fails with a table of what the cluster uses that the next minor release has no more; nothing is checked within a minor. */
export function* checkRemoved(upgrade: Upgrade, kube: KubeClient): Task<void> {
  const removed = REMOVED[upgrade.path.minors];
  if (removed === undefined) return;
  const found: Findings = { plugins: [], gates: [], flags: [], apis: [] };
  upgrade.cluster.log('checking for removed Kubernetes component flags');
  for (const node of upgrade.controlPlanes)
    for (const component of STATIC) {
      const command = yield* commandOf(upgrade, node, component);
      if (component === 'kube-apiserver')
        note(found.plugins, [node, component], listed(command, 'enable-admission-plugins'), removed.admissionPlugins);
      note(found.flags, [node, component], flagNames(command), removed.flags?.[component]);
      note(found.gates, [node, component], gateNames(command), removed.featureGates);
    }
  for (const node of [...upgrade.controlPlanes, ...upgrade.workers]) {
    const args = (yield* kubeletSpec(upgrade, node))?.args ?? [];
    note(found.flags, [node, 'kubelet'], flagNames(args), removed.flags?.kubelet);
  }
  upgrade.cluster.log('checking for removed Kubernetes API resource versions');
  for (const api of removed.apis ?? []) {
    const count = yield* countOf(kube, api);
    if (count > 0) found.apis.push([api, String(count), '']);
  }
  const text = report(found);
  if (text !== '') throw new CommandFailure(text);
}

function note(rows: string[][], where: readonly string[], used: readonly string[], removed: readonly string[] = []) {
  for (const name of removed) if (used.includes(name)) rows.push([...where, name]);
}

function flagNames(command: readonly string[]): readonly string[] {
  return command.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=', 1)[0]!);
}

function listed(command: readonly string[], flag: string): readonly string[] {
  const prefix = `--${flag}=`;
  const word = command.find((candidate) => candidate.startsWith(prefix));
  return word === undefined ? [] : word.slice(prefix.length).split(',');
}

function gateNames(command: readonly string[]): readonly string[] {
  return listed(command, 'feature-gates').map((gate) => gate.split('=', 1)[0]!);
}

function report({ plugins, gates, flags, apis }: Findings): string {
  const tables: readonly (readonly [string, string[][]])[] = [
    ['REMOVED ADMISSION PLUGIN', plugins],
    ['REMOVED FEATURE GATE', gates],
    ['REMOVED FLAG', flags],
  ];
  const texts = tables.flatMap(([head, rows]) =>
    rows.length === 0 ? [] : [`\n${tabulate([['NODE', 'COMPONENT', head], ...rows])}`],
  );
  if (apis.length > 0) texts.push(`\n${tabulate([['REMOVED RESOURCE', 'COUNT', ''], ...apis])}`);
  return texts.join('');
}

/** Command line of a static pod's container; empty when the node has none. */
function* commandOf(upgrade: Upgrade, node: string, component: StaticComponent): Task<readonly string[]> {
  const pod = (yield* find(upgrade, node, 'StaticPods.kubernetes.talos.dev', component)) as
    | { readonly spec: { readonly containers: readonly { readonly command?: readonly string[] }[] } }
    | undefined;
  return pod?.spec.containers[0]?.command ?? [];
}

/** What Talos runs the kubelet of a node with. */
export interface KubeletSpec {
  readonly image: string;
  readonly args: readonly string[];
}

export function* kubeletSpec(upgrade: Upgrade, node: string): Task<KubeletSpec | undefined> {
  return (yield* find(upgrade, node, 'KubeletSpecs.kubernetes.talos.dev', 'kubelet')) as KubeletSpec | undefined;
}

function* find({ cluster }: Upgrade, node: string, type: string, id: string): Task<unknown> {
  try {
    return specOf(yield* getResource(cluster.talos, node, { namespace: 'k8s', type, id }));
  } catch (error) {
    if (error instanceof RpcError && error.status === 'NotFound') return undefined;
    throw error;
  }
}

/** Objects of an API; none when the server does not know it. */
function* countOf(kube: KubeClient, api: string): Task<number> {
  const [resource = '', version = '', ...group] = api.split('.');
  try {
    const list = (yield* kube.raw(`/apis/${group.join('.')}/${version}/${resource}`)) as { readonly items: unknown[] };
    return list.items.length;
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'NotFound') return 0;
    throw error;
  }
}
