import { MachineService } from '../../../api/machine/services.ts';
import { TOOL_V1_11_3 } from '../../../config/generate/tool-release.ts';
import type { Task } from '../../../platform/task.ts';
import { goQuoteList } from '../../../platform/text/quote.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { type FlagValues, flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { onlyOneNode, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { flavourOf, upgradeKubelets } from '../upgrade-k8s/kubelets.ts';
import { syncManifests } from '../upgrade-k8s/manifests.ts';
import { patchNodeConfig } from '../upgrade-k8s/node-config.ts';
import { checkCompatibility, lowestVersion, nodeAddresses } from '../upgrade-k8s/nodes.ts';
import { type UpgradePath, upgradePath } from '../upgrade-k8s/path.ts';
import { checkRemoved, kubeletSpec } from '../upgrade-k8s/removed.ts';
import {
  API_PORT,
  apiErrorText,
  Cluster,
  type Component,
  explained,
  imageOf,
  type Upgrade,
  type UpgradeOptions,
} from '../upgrade-k8s/run.ts';
import { upgradeControlPlane } from '../upgrade-k8s/static-pods.ts';

type Parsed = ParsedCommand<Runner>;

/** Namespaces of containerd, as the API counts them. */
const SYSTEM = 1;
const CRI = 2;

/** A repository with or without a registry before it. */
const REPOSITORY = /^(?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/;

/** In the order in which they are looked at; the real tool has none. */
const IMAGES: readonly Component[] = [
  'kubelet',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
];

/** `talosctl upgrade-k8s` (reference/lifecycle-api-cli.md C.7, reference/v1.11.3.md 14). */
export const upgradeKubernetesCommand: Command<Runner> = {
  use: 'upgrade-k8s',
  short: 'Upgrade Kubernetes control plane in the Talos cluster.',
  args: noArgs,
  run: upgradeKubernetes,
  flags: [
    flag('from', 'string', '', 'the Kubernetes control plane version to upgrade from'),
    flag('to', 'string', TOOL_V1_11_3.kubernetesVersion, 'the Kubernetes control plane version to upgrade to'),
    flag('endpoint', 'string', '', 'the cluster control plane endpoint'),
    flag('with-examples', 'bool', true, 'patch all machine configs with the commented examples'),
    flag('with-docs', 'bool', true, 'patch all machine configs adding the documentation for each field'),
    flag('pre-pull-images', 'bool', true, 'pre-pull images before upgrade'),
    flag('upgrade-kubelet', 'bool', true, 'upgrade kubelet service'),
    flag('dry-run', 'bool', false, 'skip the actual upgrade and show the upgrade plan instead'),
    flag('kubelet-image', 'string', 'ghcr.io/siderolabs/kubelet', 'kubelet image to use'),
    flag('apiserver-image', 'string', 'registry.k8s.io/kube-apiserver', 'kube-apiserver image to use'),
    flag(
      'controller-manager-image',
      'string',
      'registry.k8s.io/kube-controller-manager',
      'kube-controller-manager image to use',
    ),
    flag('scheduler-image', 'string', 'registry.k8s.io/kube-scheduler', 'kube-scheduler image to use'),
    flag('proxy-image', 'string', 'registry.k8s.io/kube-proxy', 'kube-proxy image to use'),
  ],
};

function* upgradeKubernetes(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'upgrade-k8s');
    const cluster = new Cluster(client, context, endpointOf(flags));
    const path = yield* pathOf(cluster, flags);
    try {
      yield* upgradeAll(cluster, optionsOf(flags), path);
    } catch (error) {
      const text = apiErrorText(error);
      if (text === undefined) throw error;
      throw new CommandFailure(text);
    }
    return 0;
  });
}

/** A host, since the port is added: an address of IPv6 has two colons at least. */
function endpointOf(flags: FlagValues): string {
  const endpoint = flags.text('endpoint');
  if (/^(?:[^/:[\]]*|[0-9a-fA-F]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*)$/.test(endpoint)) return endpoint;
  throw new CommandFailure(
    `invalid endpoint "${endpoint}": write a host without scheme and port, such as 10.0.0.10; its port ${API_PORT} is used`,
  );
}

function optionsOf(flags: FlagValues): UpgradeOptions {
  return {
    dryRun: flags.on('dry-run'),
    prePull: flags.on('pre-pull-images'),
    upgradeKubelet: flags.on('upgrade-kubelet'),
    withDocs: flags.on('with-docs'),
    withExamples: flags.on('with-examples'),
    images: {
      kubelet: flags.text('kubelet-image'),
      'kube-apiserver': flags.text('apiserver-image'),
      'kube-controller-manager': flags.text('controller-manager-image'),
      'kube-scheduler': flags.text('scheduler-image'),
      'kube-proxy': flags.text('proxy-image'),
    },
  };
}

function* pathOf(cluster: Cluster, flags: FlagValues): Task<UpgradePath> {
  let from = flags.text('from');
  if (from === '') {
    from = yield* detected(cluster);
    cluster.log(`automatically detected the lowest Kubernetes version ${from}`);
  }
  const path = upgradePath(from, flags.text('to'));
  if (typeof path === 'string') throw new CommandFailure(`error creating upgrade path ${path}`);
  return path;
}

function* detected(cluster: Cluster): Task<string> {
  try {
    return yield* cluster.withKube(lowestVersion);
  } catch (error) {
    const text = apiErrorText(error);
    if (text === undefined) throw error;
    throw new CommandFailure(`error detecting the lowest Kubernetes version ${text}`);
  }
}

/** The steps, in their order. */
function* upgradeAll(cluster: Cluster, options: UpgradeOptions, path: UpgradePath): Task<void> {
  for (const component of IMAGES)
    if (!REPOSITORY.test(options.images[component]))
      throw new CommandFailure(
        `invalid upgrade options: ${component.replace('kube-', '')}: invalid image reference: could not parse reference: ${options.images[component]}`,
      );
  if (!path.supported)
    throw new CommandFailure(`unsupported upgrade path ${path.minors} (from "${path.from}" to "${path.to}")`);
  yield* cluster.withKube(function* (kube): Task<void> {
    const controlPlanes = yield* explained('error fetching controlplane nodes', nodeAddresses(kube, 'controlplane'));
    if (controlPlanes.length === 0) throw new CommandFailure('no controlplane nodes discovered');
    cluster.log(`discovered controlplane nodes ${goQuoteList(controlPlanes)}`);
    let workers: readonly string[] = [];
    if (options.upgradeKubelet) {
      workers = yield* explained('error fetching worker nodes', nodeAddresses(kube, 'worker'));
      cluster.log(`discovered worker nodes ${goQuoteList(workers)}`);
    }
    const upgrade: Upgrade = { cluster, options, path, controlPlanes, workers };
    yield* checkCompatibility(cluster, [...controlPlanes, ...workers], path.to);
    yield* checkRemoved(upgrade, kube);
    if (options.prePull) yield* explained('failed pre-pulling images', prePull(upgrade));
    yield* upgradeControlPlane(upgrade);
    yield* explained('failed updating kube-proxy', upgradeProxy(upgrade));
    if (options.upgradeKubelet) yield* explained('failed upgrading kubelet', upgradeKubelets(upgrade));
    else cluster.log('skipped updating kubelet');
    yield* cluster.withKube((fresh) => syncManifests(upgrade, fresh));
  });
}

function* prePull(upgrade: Upgrade): Task<void> {
  const { controlPlanes, workers, options } = upgrade;
  for (const component of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const)
    for (const node of controlPlanes) yield* pull(upgrade, node, CRI, imageOf(upgrade, component));
  if (!options.upgradeKubelet) return;
  for (const node of [...controlPlanes, ...workers]) {
    const spec = yield* explained(`error fetching kubelet spec on node ${node}`, kubeletSpec(upgrade, node));
    yield* pull(upgrade, node, SYSTEM, imageOf(upgrade, 'kubelet', flavourOf(spec?.image ?? '')));
  }
}

function* pull({ cluster }: Upgrade, node: string, namespace: number, reference: string): Task<void> {
  cluster.log(` > "${node}": pre-pulling ${reference}`);
  const asked = cluster.talos.single(MachineService.ImagePull, { namespace, reference }, node);
  yield* explained(`error pre-pulling ${reference} on ${node}`, asked);
}

/** The image goes into the config of every control plane; the DaemonSet takes it with the manifests. */
function* upgradeProxy(upgrade: Upgrade): Task<void> {
  const { cluster, options, path } = upgrade;
  cluster.log(`updating kube-proxy to version "${path.to}"`);
  for (const node of upgrade.controlPlanes) {
    cluster.log(` > "${node}": starting update`);
    if (options.dryRun) cluster.log(' > skipped in dry-run');
    const change = { place: ['cluster', 'proxy'], image: imageOf(upgrade, 'kube-proxy') };
    const patched = patchNodeConfig(upgrade, node, options.dryRun ? undefined : change);
    yield* explained(`error updating node "${node}"`, patched);
  }
}
