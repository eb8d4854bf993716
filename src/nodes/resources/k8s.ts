import type { ConfigObject } from '../../config/schema/types.ts';
import { resourceKind } from '../../cosi/index.ts';

export interface EndpointSpec {
  readonly addresses: readonly string[];
}

/** Ids `controlplane` (resolved endpoint), `discovery`, `kube-apiserver`. */
export const Endpoints = resourceKind<EndpointSpec>('controlplane', 'Endpoints.kubernetes.talos.dev', {
  columns: [{ name: 'Addresses', jsonPath: '{.addresses}' }],
});

export interface NodenameSpec {
  readonly nodename: string;
  readonly hostnameVersion: string;
  readonly skipNodeRegistration: boolean;
}

/** Id `nodename`. */
export const Nodenames = resourceKind<NodenameSpec>('k8s', 'Nodenames.kubernetes.talos.dev', {
  columns: [{ name: 'Nodename', jsonPath: '{.nodename}' }],
});

export interface NodeIpConfigSpec {
  readonly validSubnets: readonly string[];
  readonly excludeSubnets: readonly string[];
}

/** Id `kubelet`. */
export const NodeIpConfigs = resourceKind<NodeIpConfigSpec>('k8s', 'NodeIPConfigs.kubernetes.talos.dev');

export interface NodeIpSpec {
  readonly addresses: readonly string[];
}

/** Id `kubelet`. */
export const NodeIps = resourceKind<NodeIpSpec>('k8s', 'NodeIPs.kubernetes.talos.dev');

export interface KubeletConfigSpec {
  readonly image: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly extraConfig: ConfigObject;
  readonly cloudProviderExternal: boolean;
  readonly defaultRuntimeSeccompEnabled: boolean;
  readonly skipNodeRegistration: boolean;
  readonly staticPodListURL: string;
  readonly disableManifestsDirectory: boolean;
  readonly enableFSQuotaMonitoring: boolean;
  readonly allowSchedulingOnControlPlane: boolean;
  /** Empty when there is none. */
  readonly credentialProviderConfig: ConfigObject;
}

/** Id `kubelet`. */
export const KubeletConfigs = resourceKind<KubeletConfigSpec>('k8s', 'KubeletConfigs.kubernetes.talos.dev');

export interface KubeletSpecSpec {
  readonly image: string;
  readonly args: readonly string[];
  /** Empty when the user set the name: then nobody checks it. */
  readonly expectedNodename: string;
  /** KubeletConfiguration. */
  readonly config: ConfigObject;
  /** Empty when there is none. */
  readonly credentialProviderConfig: ConfigObject;
}

/** Id `kubelet`. */
export const KubeletSpecs = resourceKind<KubeletSpecSpec>('k8s', 'KubeletSpecs.kubernetes.talos.dev');

export interface KubeletLifecycleSpec {
  readonly empty: true;
}

/** Id `kubelet`: exists from the kubelet's start; torn down to make the VIP go before pods are stopped. */
export const KubeletLifecycles = resourceKind<KubeletLifecycleSpec>('k8s', 'KubeletLifecycles.kubernetes.talos.dev');

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface KubePrismEndpointsSpec {
  readonly endpoints: readonly HostAndPort[];
}

/** Id `k8s-cluster`. */
export const KubePrismEndpoints = resourceKind<KubePrismEndpointsSpec>(
  'k8s',
  'KubePrismEndpoints.kubernetes.talos.dev',
  {
    columns: [
      { name: 'Hosts', jsonPath: '{.endpoints[*].host}' },
      { name: 'Ports', jsonPath: '{.endpoints[*].port}' },
    ],
  },
);

export interface KubePrismConfigSpec {
  readonly host: string;
  readonly port: number;
  readonly endpoints: readonly HostAndPort[];
}

/** Id `k8s-loadbalancer-config`. */
export const KubePrismConfigs = resourceKind<KubePrismConfigSpec>('k8s', 'KubePrismConfigs.kubernetes.talos.dev', {
  columns: [
    { name: 'Host', jsonPath: '{.host}' },
    { name: 'Port', jsonPath: '{.port}' },
    { name: 'Endpoints', jsonPath: '{.endpoints}' },
  ],
});

export interface KubePrismStatusSpec {
  readonly host: string;
  readonly healthy: boolean;
}

/** Id `k8s-loadbalancer`. */
export const KubePrismStatuses = resourceKind<KubePrismStatusSpec>('k8s', 'KubePrismStatuses.kubernetes.talos.dev', {
  columns: [
    { name: 'HOST', jsonPath: '{.host}' },
    { name: 'HEALTHY', jsonPath: '{.healthy}' },
  ],
});

export interface StaticPodSpec {
  /** A v1 Pod. */
  readonly pod: ConfigObject;
}

export const StaticPods = resourceKind<StaticPodSpec>('k8s', 'StaticPods.kubernetes.talos.dev', { shownField: 'pod' });

export interface StaticPodServerStatusSpec {
  readonly url: string;
}

/** Id `static-pod-server-status`. */
export const StaticPodServerStatuses = resourceKind<StaticPodServerStatusSpec>(
  'k8s',
  'StaticPodServerStatuses.kubernetes.talos.dev',
);

export interface StaticPodStatusSpec {
  readonly podStatus: ConfigObject;
}

/** Ids `<namespace>/<mirror pod name>`. */
export const StaticPodStatuses = resourceKind<StaticPodStatusSpec>('k8s', 'StaticPodStatuses.kubernetes.talos.dev', {
  aliases: ['podstatus'],
  shownField: 'podStatus',
  columns: [{ name: 'Ready', jsonPath: '{.conditions[?(@.type=="Ready")].status}' }],
});

export interface NodeStatusSpec {
  readonly nodename: string;
  readonly nodeReady: boolean;
  readonly unschedulable: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Ids are node names. */
export const NodeStatuses = resourceKind<NodeStatusSpec>('k8s', 'NodeStatuses.kubernetes.talos.dev', {
  columns: [
    { name: 'Ready', jsonPath: '{.nodeReady}' },
    { name: 'Unschedulable', jsonPath: '{.unschedulable}' },
  ],
});

export interface NodeLabelSpecSpec {
  readonly key: string;
  readonly value: string;
}
export const NodeLabelSpecs = resourceKind<NodeLabelSpecSpec>('k8s', 'NodeLabelSpecs.k8s.talos.dev', {
  sensitive: true,
  columns: [{ name: 'Value', jsonPath: '{.value}' }],
});
export const NodeAnnotationSpecs = resourceKind<NodeLabelSpecSpec>('k8s', 'NodeAnnotationSpecs.k8s.talos.dev', {
  sensitive: true,
  columns: [{ name: 'Value', jsonPath: '{.value}' }],
});

export interface NodeTaintSpecSpec {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}
export const NodeTaintSpecs = resourceKind<NodeTaintSpecSpec>('k8s', 'NodeTaintSpecs.k8s.talos.dev', {
  sensitive: true,
  columns: [
    { name: 'Effect', jsonPath: '{.effect}' },
    { name: 'Value', jsonPath: '{.value}' },
  ],
});

export interface NodeCordonedSpecSpec {
  readonly cordoned: true;
}

/** Id `cordoned`. */
export const NodeCordonedSpecs = resourceKind<NodeCordonedSpecSpec>('k8s', 'NodeCordonedSpecs.k8s.talos.dev', {
  sensitive: true,
});
