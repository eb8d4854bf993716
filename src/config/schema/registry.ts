/** All document kinds, and what each simulated release knows (reference/v1.11.3.md 11.1, network-config.md E.4). */
import { blockDocuments } from './documents/block.ts';
import { networkDocuments } from './documents/network.ts';
import { runtimeDocuments } from './documents/runtime.ts';
import type { DocumentSpec, Field, KnownKind, StructSpec } from './types.ts';
import { legacyDocument } from './v1alpha1/root.ts';

/** Every kind with a field tree. */
export const documentSpecs: readonly DocumentSpec[] = Object.freeze([
  legacyDocument,
  ...networkDocuments,
  ...blockDocuments,
  ...runtimeDocuments,
]);

const BY_KIND: Readonly<Record<string, DocumentSpec>> = Object.freeze(
  documentSpecs.reduce<Record<string, DocumentSpec>>((index, spec) => {
    index[spec.kind] = spec;
    return index;
  }, Object.create(null)),
);

/** The kind as a release knows it, or undefined when it does not. */
export function documentSpec(kind: string, minor: number): DocumentSpec | undefined {
  const spec = BY_KIND[kind];
  return spec === undefined || spec.since > minor ? undefined : spec;
}

/** Fields of a struct that a release knows, in printing order. */
export function fieldsIn(spec: StructSpec, minor: number): readonly Field[] {
  return spec.fields.filter((entry) => knows(entry, minor));
}

/** A field by YAML key, if the release knows it. */
export function fieldIn(spec: StructSpec, name: string, minor: number): Field | undefined {
  const found = spec.byName[name];
  return found !== undefined && knows(found, minor) ? found : undefined;
}

function knows(entry: Field, minor: number): boolean {
  return entry.since <= minor && (entry.until === undefined || minor < entry.until);
}

/** First release of each kind that v1.11 does not know. */
const NEWER: readonly (readonly [since: number, kinds: string])[] = Object.freeze([
  [
    12,
    `BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig ExternalVolumeConfig HCloudVIPConfig
     HostnameConfig Layer2VIPConfig LinkAliasConfig LinkConfig OOMConfig RegistryAuthConfig RegistryMirrorConfig
     RegistryTLSConfig ResolverConfig StaticHostConfig TimeSyncConfig VLANConfig WireguardConfig`,
  ],
  [
    13,
    `BlackholeRouteConfig EnvironmentConfig HTTPProbeConfig ImageVerificationConfig KubeSpanConfig RoutingRuleConfig
     TCPProbeConfig VRFConfig`,
  ],
  [
    14,
    `BGPInstanceConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig ContainerConfig DiscoveryIdentityConfig
     DiscoveryServiceConfig EtcFileConfig FilesystemScrubConfig FilesystemTrimConfig ImageCacheConfig
     KernelModuleConfig KubeAPIServerCAConfig KubeAPIServerConfig KubeAdmissionControlConfig KubeAggregatorCAConfig
     KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig
     KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig KubeEtcdEncryptionConfig
     KubeExternalManifestConfig KubeFlannelCNIConfig KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig
     KubePrismConfig KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeStaticPodConfig
     KubeTalosAPIAccessConfig KubeletConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig
     SecurityProfileConfig SysctlConfig SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig`,
  ],
]);

/** Kinds that only releases after v1.11 have, with the first release of each. */
export const newerKinds: readonly KnownKind[] = Object.freeze(
  NEWER.flatMap(([since, kinds]) => kinds.split(/\s+/).map((kind) => Object.freeze({ kind, since }))),
);

/** Minor of the first release that has a kind; 0 for kinds of all simulated releases; undefined for unknown words. */
export function kindSince(kind: string): number | undefined {
  return newerKinds.find((known) => known.kind === kind)?.since ?? BY_KIND[kind]?.since;
}
