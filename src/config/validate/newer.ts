/** Checks of kinds that came after v1.11 (reference/network-config.md E.4). */
import { checkBgp } from './kinds/bgp.ts';
import { named } from './kinds/common.ts';
import { checkContainer } from './kinds/container.ts';
import * as cri from './kinds/cri.ts';
import * as hosts from './kinds/hosts.ts';
import * as kube from './kinds/kube.ts';
import { checkNetworks } from './kinds/kube-network.ts';
import * as links from './kinds/links.ts';
import * as pools from './kinds/pools.ts';
import * as system from './kinds/system.ts';
import type { DocumentCheck } from './report.ts';

const networkChecks: Readonly<Record<string, DocumentCheck>> = Object.freeze({
  LinkConfig: links.checkLink,
  DummyLinkConfig: links.checkLink,
  BridgeConfig: links.checkLink,
  BondConfig: links.checkBond,
  VLANConfig: links.checkVlan,
  VRFConfig: links.checkVrf,
  VethConfig: links.checkVeth,
  WireguardConfig: links.checkWireguard,
  LinkAliasConfig: links.checkLinkAlias,
  DHCPv4Config: hosts.checkDhcp,
  DHCPv6Config: hosts.checkDhcp,
  HostnameConfig: hosts.checkHostname,
  ResolverConfig: hosts.checkResolver,
  StaticHostConfig: hosts.checkStaticHost,
  TimeSyncConfig: hosts.checkTime,
  KubeSpanConfig: hosts.checkKubeSpan,
  Layer2VIPConfig: hosts.checkSharedAddress,
  HCloudVIPConfig: hosts.checkCloudAddress,
  TCPProbeConfig: hosts.checkTcpProbe,
  HTTPProbeConfig: hosts.checkHttpProbe,
  BlackholeRouteConfig: hosts.checkBlackhole,
  RoutingRuleConfig: hosts.checkRoutingRule,
  BGPInstanceConfig: checkBgp,
});

const kubernetesChecks: Readonly<Record<string, DocumentCheck>> = Object.freeze({
  KubeClusterConfig: kube.checkCluster,
  KubeNetworkConfig: checkNetworks,
  KubeNodeConfig: kube.checkNode,
  KubeletConfig: kube.checkKubelet,
  KubePrismConfig: kube.checkPrism,
  KubeAPIServerConfig: kube.checkApiServer,
  KubeAPIServerCAConfig: kube.checkApiServerCa,
  KubeAggregatorCAConfig: kube.checkAggregatorCa,
  KubeAdmissionControlConfig: named('admission control plugin name is required'),
  KubeAuthorizerConfig: kube.checkAuthorizer,
  KubeControllerManagerConfig: kube.checkControllerManager,
  KubeSchedulerConfig: kube.checkScheduler,
  KubeProxyConfig: kube.checkProxy,
  KubeFlannelCNIConfig: kube.checkFlannel,
  KubeServiceAccountConfig: kube.checkServiceAccount,
  KubeEtcdEncryptionConfig: kube.checkEtcdEncryption,
  KubeTalosAPIAccessConfig: kube.checkApiAccess,
  KubeStaticPodConfig: kube.checkStaticPod,
  KubeInlineManifestConfig: kube.checkInlineManifest,
  KubeExternalManifestConfig: kube.checkExternalManifest,
});

/** Checks by kind. */
export const newerChecks: Readonly<Record<string, DocumentCheck>> = Object.freeze({
  ...networkChecks,
  ...kubernetesChecks,
  RegistryAuthConfig: cri.checkRegistryAuth,
  RegistryMirrorConfig: cri.checkRegistryMirror,
  RegistryTLSConfig: cri.checkRegistryTls,
  CRIBaseRuntimeSpecConfig: cri.checkBaseRuntimeSpec,
  CRICustomizationConfig: cri.checkCriCustomization,
  ImageVerificationConfig: cri.checkImageVerification,
  DiscoveryServiceConfig: system.checkDiscoveryService,
  DiscoveryIdentityConfig: system.checkDiscoveryIdentity,
  EnvironmentConfig: system.checkEnvironment,
  EtcFileConfig: system.checkEtcFile,
  KernelModuleConfig: system.checkKernelModule,
  OOMConfig: system.checkOom,
  SysctlConfig: system.keysSet('sysctl key cannot be empty'),
  SysfsConfig: system.keysSet('sysfs key cannot be empty'),
  UnattendedInstallConfig: system.checkUnattendedInstall,
  ContainerConfig: checkContainer,
  ExternalVolumeConfig: pools.checkExternalVolume,
  FilesystemTrimConfig: pools.checkTrim,
  FilesystemScrubConfig: pools.checkScrub,
  RAIDArrayConfig: pools.checkRaid,
  LVMVolumeGroupConfig: pools.checkVolumeGroup,
  LVMLogicalVolumeConfig: pools.checkLogicalVolume,
});
