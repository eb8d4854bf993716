import { resourceKind } from '../../cosi/index.ts';
import type { MachineType } from '../config/settings.ts';

export interface IdentitySpec {
  readonly nodeId: string;
}

/** Id `local`. */
export const Identities = resourceKind<IdentitySpec>('cluster', 'Identities.cluster.talos.dev', {
  columns: [{ name: 'ID', jsonPath: '{.nodeId}' }],
});

export interface InfoSpec {
  readonly clusterId: string;
  readonly clusterName: string;
}

/** Id `current`. */
export const Infos = resourceKind<InfoSpec>('cluster', 'Infos.cluster.talos.dev', {
  columns: [
    { name: 'Cluster ID', jsonPath: '{.clusterId}' },
    { name: 'Cluster Name', jsonPath: '{.clusterName}' },
  ],
});

export interface DiscoveryConfigSpec {
  readonly discoveryEnabled: boolean;
  readonly registryKubernetesEnabled: boolean;
  readonly registryServiceEnabled: boolean;
  /** `host:port`. */
  readonly serviceEndpoint: string;
  readonly serviceEndpointInsecure: boolean;
  readonly serviceEncryptionKey: Uint8Array;
  readonly serviceClusterID: string;
}

/** Id `cluster`. */
export const DiscoveryConfigs = resourceKind<DiscoveryConfigSpec>('config', 'DiscoveryConfigs.cluster.talos.dev', {
  sensitive: true,
});

/** What a machine tells of itself so that others can reach it through the mesh. */
export interface KubeSpanAffiliateSpec {
  readonly publicKey: string;
  readonly address: string;
  /** Further networks behind it. */
  readonly additionalAddresses: readonly string[];
  /** `address:port`, the likeliest first. */
  readonly endpoints: readonly string[];
}

export interface AffiliateSpec {
  readonly nodeId: string;
  readonly addresses: readonly string[];
  readonly hostname: string;
  readonly nodename: string;
  readonly operatingSystem: string;
  readonly machineType: MachineType;
  /** Only with KubeSpan. */
  readonly kubespan?: KubeSpanAffiliateSpec;
  /** Port of the API server on a control plane, null on workers. */
  readonly controlPlane: { readonly port: number } | null;
}

/** Ids: node id; in `cluster-raw` with the registry before it: `service/<node id>`. */
export const Affiliates = resourceKind<AffiliateSpec>('cluster', 'Affiliates.cluster.talos.dev', {
  columns: [
    { name: 'Hostname', jsonPath: '{.hostname}' },
    { name: 'Machine Type', jsonPath: '{.machineType}' },
    { name: 'Addresses', jsonPath: '{.addresses}' },
  ],
});
export const RAW_AFFILIATES = 'cluster-raw';

export interface MemberSpec {
  readonly nodeId: string;
  readonly addresses: readonly string[];
  readonly hostname: string;
  readonly machineType: MachineType;
  readonly operatingSystem: string;
  readonly controlPlane: { readonly port: number } | null;
}

/** Ids are node names. */
export const Members = resourceKind<MemberSpec>('cluster', 'Members.cluster.talos.dev', {
  columns: [
    { name: 'Hostname', jsonPath: '{.hostname}' },
    { name: 'Machine Type', jsonPath: '{.machineType}' },
    { name: 'OS', jsonPath: '{.operatingSystem}' },
    { name: 'Addresses', jsonPath: '{.addresses}' },
  ],
});
