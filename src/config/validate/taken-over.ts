/** Settings that stand both in the legacy document and in one of their own (reference/network-config.md E.4, "Conflict"). */
import type { Path } from '../errors.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { at } from '../view.ts';

/**
 * Legacy field, the words for the clash, and where needed a word on when it counts: `given` when it stands there with
 * any value, also false; otherwise the section of the document that clashes when not the whole does.
 */
type Claim = readonly [path: string, message: string, when?: 'given' | 'hostDNS' | undefined];

const already = (path: string, when?: Claim[2]): Claim => [path, `.${path} is already set in v1alpha1 config`, when];
const given = (path: string): Claim => already(path, 'given');
const PLUGINS: Claim = Object.freeze([
  'cluster.apiServer.admissionControl',
  'admission control plugin config is already set in v1alpha1 config',
] as const);
const component = (name: string, path: string, shown = `.${path}`): Claim => [
  path,
  `${name} config is already set in v1alpha1 config (${shown})`,
];
const insteadOf = (kind: string, what: string, path: string, shown = `.${path}`): Claim => [
  path,
  `${what} is already set in the v1alpha1 config (${shown}). Please remove it and use only the new ${kind} document to avoid conflicts`,
];
const clashes = (kind: string, what: string, path: string, shown = `.${path}`): Claim => [
  path,
  `${what} config in v1alpha1 config (${shown}) can't be used with ${kind} document, please remove it to avoid conflicts`,
];

const machineClaims: Readonly<Record<string, readonly Claim[]>> = Object.freeze({
  HostnameConfig: [
    ['machine.network.hostname', 'static hostname is already set in v1alpha1 config'],
    ['machine.features.stableHostname', 'stable hostname is already set in v1alpha1 config'],
  ],
  ResolverConfig: [
    already('machine.network.searchDomains'),
    already('machine.network.nameservers'),
    already('machine.network.disableSearchDomain'),
    already('machine.features.hostDNS', 'hostDNS'),
  ],
  TimeSyncConfig: [
    ['machine.time.disabled', 'time sync cannot be disabled in both v1alpha1 and new-style configuration'],
    ['machine.time.servers', 'time servers cannot be specified in both v1alpha1 and new-style configuration'],
    ['machine.time.bootTimeout', 'boot timeout cannot be specified in both v1alpha1 and new-style configuration'],
  ],
  KubeSpanConfig: [['machine.network.kubespan', 'kubespan is already configured in v1alpha1 machine.network.kubespan']],
  CRIBaseRuntimeSpecConfig: [
    ['machine.baseRuntimeSpecOverrides', 'base runtime spec overrides are already set in v1alpha1 config'],
  ],
  ImageCacheConfig: [['machine.features.imageCache', 'image cache config is already set in v1alpha1 config']],
  UnattendedInstallConfig: [
    ['machine.install', 'UnattendedInstallConfig config is incompatible with v1alpha1 config (.machine.install)'],
  ],
});

const clusterClaims: Readonly<Record<string, readonly Claim[]>> = Object.freeze({
  DiscoveryServiceConfig: [
    ['cluster.discovery', 'discovery service is already configured in .cluster.discovery of the v1alpha1 config'],
  ],
  DiscoveryIdentityConfig: ['id', 'secret'].map(
    (field): Claim => [
      `cluster.${field}`,
      'cluster identity is already configured in .cluster.id/.cluster.secret of the v1alpha1 config',
    ],
  ),
  KubeClusterConfig: [
    insteadOf('KubeClusterConfig', 'cluster name', 'cluster.clusterName'),
    insteadOf('KubeClusterConfig', 'cluster endpoint', 'cluster.controlPlane.endpoint'),
  ],
  KubeNetworkConfig: [
    insteadOf('KubeNetworkConfig', 'cluster network config', 'cluster.network', '.machine.cluster.network'),
  ],
  KubeFlannelCNIConfig: [
    clashes('KubeFlannelCNIConfig', 'cluster network', 'cluster.network', '.machine.cluster.network'),
  ],
  KubeProxyConfig: [clashes('KubeProxyConfig', 'cluster proxy', 'cluster.proxy', '.machine.cluster.proxy')],
  KubePrismConfig: [clashes('KubePrismConfig', 'KubePrism', 'machine.features.kubePrism')],
  KubeNodeConfig: [
    given('cluster.allowSchedulingOnControlPlanes'),
    given('cluster.allowSchedulingOnMasters'),
    given('machine.kubelet.skipNodeRegistration'),
    given('machine.kubelet.registerWithFQDN'),
    given('machine.kubelet.nodeIP'),
    given('machine.nodeLabels'),
    given('machine.nodeAnnotations'),
    given('machine.nodeTaints'),
  ],
  KubeletConfig: [component('kubelet', 'machine.kubelet')],
  KubeCredentialProviderConfig: [
    ['machine.kubelet', 'cannot use KubeCredentialProviderConfig with legacy kubelet configuration (.machine.kubelet)'],
  ],
  KubeAPIServerConfig: [
    component('kube-apiserver', 'cluster.apiServer'),
    [
      'cluster.controlPlane.localAPIServerPort',
      'kube-apiserver API port is already set in v1alpha1 config (.cluster.controlPlane.localAPIServerPort)',
    ],
  ],
  KubeAPIServerCAConfig: [['cluster.ca', 'kube-apiserver CA is already set in v1alpha1 config (.cluster.ca)']],
  KubeAggregatorCAConfig: [
    [
      'cluster.aggregatorCA',
      'kube-apiserver aggregator CA is already set in v1alpha1 config (.cluster.aggregatorCA), please remove it and use the new KubeAggregatorCAConfig document instead',
    ],
  ],
  KubeAdmissionControlConfig: [PLUGINS],
  // The real check looks at the plugins, not at the authorizers (quirk).
  KubeAuthorizerConfig: [PLUGINS],
  KubeAuditPolicyConfig: [['cluster.apiServer.auditPolicy', 'audit policy config is already set in v1alpha1 config']],
  KubeControllerManagerConfig: [
    component('kube-controller-manager', 'cluster.controllerManager'),
    component(
      'kube-controller-manager',
      'machine.controlPlane.controllerManager',
      '.machine.controlplane.controllerManager',
    ),
  ],
  KubeSchedulerConfig: [
    component('kube-scheduler', 'cluster.scheduler'),
    component('kube-scheduler', 'machine.controlPlane.scheduler', '.machine.controlplane.scheduler'),
  ],
  KubeCoreDNSConfig: [component('CoreDNS', 'cluster.coreDNS')],
  KubeServiceAccountConfig: [
    ['cluster.serviceAccount', 'service account is already set in v1alpha1 config (.cluster.serviceAccount)'],
  ],
  KubeEtcdEncryptionConfig: ['secretboxEncryptionSecret', 'aescbcEncryptionSecret'].map(
    (field): Claim => [`cluster.${field}`, 'etcd encryption config is already set in v1alpha1 config'],
  ),
  KubeTalosAPIAccessConfig: [already('machine.features.kubernetesTalosAPIAccess')],
});

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = Object.freeze({ ...machineClaims, ...clusterClaims });

/** The first clash of a document with the legacy one; a document never tells more than one. */
export function takenOverProblem(
  kind: string,
  document: ConfigObject,
  legacy: ConfigObject,
): { readonly path: Path; readonly message: string } | undefined {
  for (const [path, message, when] of Object.hasOwn(CLAIMS, kind) ? CLAIMS[kind]! : []) {
    const keys = path.split('.');
    const claims = when !== 'hostDNS' || holdsSomething(at(document, when));
    const held = at(legacy, ...keys);
    if (claims && (when === 'given' ? held !== undefined : isTaken(held))) {
      return { path: keys, message };
    }
  }
  return undefined;
}

function holdsSomething(value: ConfigValue | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** False flags and empty lists count as unset; an empty section is there. */
function isTaken(value: ConfigValue | undefined): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}
