/**
 * What each part of a configuration does in the simulation. The longest matching prefix of a field path decides;
 * list indexes and map keys are left out of the paths. Kept as data so that documentation and `explain` agree.
 */

/** `acts`: behaviour of the simulated machine or cluster depends on it. `inert`: read, checked and kept, no more. */
export type Effect = 'acts' | 'inert';

export interface EffectRule {
  readonly prefix: string;
  readonly effect: Effect;
  readonly reason: string;
}

const acts = (prefix: string, reason: string): EffectRule => Object.freeze({ prefix, effect: 'acts' as const, reason });
const inert = (prefix: string, reason: string): EffectRule =>
  Object.freeze({ prefix, effect: 'inert' as const, reason });

const NO_KERNEL = 'the simulated kernel has no such knob';
const SYSTEM_PARTITIONS = 'the system disk has the partitions of an installation by default, and no others';
const LINK_DETAIL = 'links are modelled by speed, delay and loss, not by driver settings';

/** Rules of the legacy document. */
export const legacyEffects: readonly EffectRule[] = Object.freeze([
  inert('version', 'only one schema version exists'),
  inert('debug', 'changes only how much is logged to the console'),
  acts('persist', 'false is refused by validation'),
  acts('machine.type', 'decides whether etcd, trustd and the control plane run'),
  acts('machine.token', 'a worker gets its API certificate only with the token of the control planes'),
  acts('machine.ca', 'issues and verifies Talos API certificates'),
  acts('machine.acceptedCAs', 'further CAs that API clients may be signed by'),
  acts('machine.certSANs', 'names in the Talos API certificate; a client that uses another name is refused'),
  acts('machine.controlPlane', 'keeps controller-manager or scheduler off this machine'),
  acts('machine.kubelet', 'arguments and configuration of the kubelet'),
  acts('machine.kubelet.nodeIP', 'selects the node address'),
  inert('machine.kubelet.disableManifestsDirectory', 'the simulated kubelet reads no manifest directory'),
  inert('machine.kubelet.clusterDNS', 'pods ask no DNS server'),
  inert('machine.kubelet.extraMounts', 'file systems inside containers are not modelled'),
  inert('machine.kubelet.credentialProviderConfig', 'image pulls carry no credentials'),
  inert('machine.kubelet.defaultRuntimeSeccompProfileEnabled', 'system call filters are not modelled'),
  acts('machine.pods', 'static pods that the kubelet runs'),
  acts('machine.network.hostname', 'name of the machine, its Node and its etcd member'),
  acts('machine.network.interfaces', 'addresses, routes, DHCP and the shared address of the link'),
  acts(
    'machine.network.interfaces.deviceSelector',
    'which card is meant; one chosen by bus path, PCI id or driver is none, since the simulated kernel shows none of them',
  ),
  inert('machine.network.interfaces.vip.hcloud', 'there is no cloud that a shared address is announced to'),
  inert('machine.network.interfaces.vip.equinixMetal', 'there is no cloud that a shared address is announced to'),
  inert('machine.network.interfaces.dhcpOptions', 'the simulated DHCP gives a lease without options'),
  inert('machine.network.interfaces.dummy', 'a link that is not there is not made'),
  inert('machine.network.interfaces.vlans', 'VLANs have no model'),
  inert('machine.network.interfaces.bridgePort', 'bridges have no model'),
  inert('machine.network.interfaces.bridge', 'bridges have no model: the link has to exist by itself'),
  inert('machine.network.interfaces.routes.mtu', LINK_DETAIL),
  inert('machine.network.interfaces.routes.source', 'addresses of a link are not told apart by route'),
  inert('machine.network.interfaces.wireguard', 'tunnels other than KubeSpan are not modelled'),
  inert('machine.network.interfaces.bond', 'bonds have no model: the link has to exist by itself'),
  acts('machine.network.nameservers', 'whom the machine asks for names'),
  inert('machine.network.searchDomains', 'names are looked up as they are written'),
  inert('machine.network.disableSearchDomain', 'names are looked up as they are written'),
  inert('machine.network.extraHostEntries', 'names are answered by the simulated DNS alone'),
  acts('machine.network.kubespan', 'machines reach one another through a mesh of WireGuard tunnels'),
  inert('machine.network.kubespan.advertiseKubernetesNetworks', 'no link of a machine has an address of a pod network'),
  inert('machine.network.kubespan.mtu', 'the link shows it; packets are not cut to it'),
  inert('machine.network.kubespan.filters.excludeAdvertisedNetworks', 'the simulated release has no such filter'),
  inert('machine.disks', 'further disks are neither partitioned nor mounted'),
  acts('machine.install', 'disk and image of the installation'),
  inert('machine.install.extraKernelArgs', NO_KERNEL),
  inert('machine.install.extensions', 'extensions have no model'),
  inert('machine.install.bootloader', 'never had an effect'),
  inert('machine.install.legacyBIOSSupport', 'firmware is UEFI or container'),
  inert('machine.install.grubUseUKICmdline', NO_KERNEL),
  inert('machine.files', 'files of the machine are not written; they change nothing that is simulated'),
  inert('machine.env', 'services do not read their environment, except proxies'),
  acts('machine.time', 'time servers, and whether boot waits for them'),
  inert('machine.sysctls', NO_KERNEL),
  inert('machine.sysfs', NO_KERNEL),
  inert('machine.registries.mirrors', 'every registry answers by its own name'),
  inert('machine.registries.config', 'registries ask for no credentials'),
  inert('machine.systemDiskEncryption', 'disks are not encrypted; the key methods are checked only'),
  acts('machine.features', 'feature switches of the release'),
  inert('machine.features.hostDNS.resolveMemberNames', 'names are answered by the simulated DNS alone'),
  inert('machine.features.kubernetesTalosAPIAccess', 'no pod asks the Talos API'),
  inert('machine.features.diskQuotaSupport', 'file system quota is not modelled'),
  inert('machine.features.imageCache', 'there is no image cache'),
  inert('machine.udev', NO_KERNEL),
  inert('machine.logging', 'logs are kept in the trace; nothing receives them'),
  inert('machine.kernel', NO_KERNEL),
  inert('machine.seccompProfiles', 'system call filters are not modelled'),
  inert('machine.baseRuntimeSpecOverrides', 'container runtime settings are not modelled'),
  acts('machine.nodeLabels', 'labels of the Node'),
  acts('machine.nodeAnnotations', 'annotations of the Node'),
  acts('machine.nodeTaints', 'taints of the Node'),
  acts('cluster.id', 'separates clusters in the discovery service'),
  acts('cluster.secret', 'encrypts what the discovery service stores'),
  acts('cluster.controlPlane', 'where kubelets and clients find the Kubernetes API'),
  acts('cluster.clusterName', 'name in kubeconfig and talosconfig'),
  acts('cluster.network', 'pod and service networks, DNS domain, network plugin'),
  inert('cluster.network.cni.urls', 'manifests are not fetched by URL: a custom plugin is never installed'),
  inert('cluster.network.cni.flannel', 'in the DaemonSet of flannel, whose process reads no flags here'),
  acts('cluster.token', 'kubelets join with it'),
  inert('cluster.aescbcEncryptionSecret', 'only whether one exists matters: stored objects are not encrypted'),
  inert('cluster.secretboxEncryptionSecret', 'only whether one exists matters: stored objects are not encrypted'),
  acts('cluster.ca', 'issues and verifies Kubernetes certificates'),
  acts('cluster.acceptedCAs', 'further CAs of Kubernetes clients'),
  acts('cluster.aggregatorCA', 'its absence keeps the control plane from starting'),
  acts('cluster.serviceAccount', 'signs service-account tokens'),
  acts('cluster.apiServer', 'arguments of kube-apiserver'),
  inert('cluster.apiServer.extraVolumes', 'file systems inside containers are not modelled'),
  inert('cluster.apiServer.env', 'control plane programs do not read their environment'),
  inert('cluster.apiServer.admissionControl', 'the plugins that it sets up, such as Pod security, are not modelled'),
  inert('cluster.apiServer.auditPolicy', 'there is no audit log'),
  inert('cluster.apiServer.resources', 'processor and memory shares are not modelled'),
  inert('cluster.apiServer.authorizationConfig', 'the Node and RBAC authorizers decide, whatever else is listed'),
  acts('cluster.controllerManager', 'arguments of kube-controller-manager'),
  inert('cluster.controllerManager.extraVolumes', 'file systems inside containers are not modelled'),
  inert('cluster.controllerManager.env', 'control plane programs do not read their environment'),
  inert('cluster.controllerManager.resources', 'processor and memory shares are not modelled'),
  acts('cluster.proxy', 'whether kube-proxy is deployed'),
  acts('cluster.scheduler', 'arguments of kube-scheduler'),
  inert('cluster.scheduler.extraVolumes', 'file systems inside containers are not modelled'),
  inert('cluster.scheduler.env', 'control plane programs do not read their environment'),
  inert('cluster.scheduler.resources', 'processor and memory shares are not modelled'),
  inert('cluster.scheduler.config', 'the scheduler has one profile'),
  acts('cluster.discovery', 'how machines find each other'),
  acts('cluster.etcd', 'addresses, arguments and CA of etcd'),
  acts('cluster.coreDNS', 'whether CoreDNS is deployed'),
  acts('cluster.externalCloudProvider', 'nodes stay uninitialised until a provider acts'),
  inert('cluster.externalCloudProvider.manifests', 'manifests are not fetched by URL'),
  inert('cluster.extraManifests', 'manifests are not fetched by URL'),
  inert('cluster.extraManifestHeaders', 'manifests are not fetched by URL'),
  acts('cluster.inlineManifests', 'objects applied at bootstrap'),
  acts('cluster.adminKubeconfig', 'lifetime of the admin certificate'),
  acts('cluster.allowSchedulingOnMasters', 'taint of control planes'),
  acts('cluster.allowSchedulingOnControlPlanes', 'taint of control planes'),
]);

/** Rules of side documents, by kind. */
export const documentEffects: Readonly<Record<string, EffectRule>> = Object.freeze({
  NetworkDefaultActionConfig: inert('', 'there is no ingress firewall'),
  NetworkRuleConfig: inert('', 'there is no ingress firewall'),
  KubeSpanEndpointsConfig: acts('', 'further endpoints that peers try, with KubeSpan'),
  EthernetConfig: inert('', LINK_DETAIL),
  VolumeConfig: inert('', SYSTEM_PARTITIONS),
  UserVolumeConfig: inert('', SYSTEM_PARTITIONS),
  RawVolumeConfig: inert('', SYSTEM_PARTITIONS),
  ExistingVolumeConfig: inert('', SYSTEM_PARTITIONS),
  SwapVolumeConfig: inert('', 'memory is not modelled'),
  ZswapConfig: inert('', 'memory is not modelled'),
  EventSinkConfig: inert('', 'events stay in the trace'),
  KmsgLogConfig: inert('', 'kernel messages stay in the trace'),
  WatchdogTimerConfig: inert('', 'machines have no watchdog device'),
  ExtensionServiceConfig: inert('', 'extensions have no model'),
  TrustedRootsConfig: inert('', 'public certificate chains are not modelled'),
  SideroLinkConfig: inert('', 'there is no SideroLink server'),
  PCIDriverRebindConfig: inert('', NO_KERNEL),
});

/** For kinds of later releases, which are read but have no model of their own. */
export const unmodelledKind: EffectRule = inert('', 'documents of later releases are read, merged and printed only');
