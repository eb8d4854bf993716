import type { ConfigObject } from '../../config/schema/types.ts';

export type MachineType = 'init' | 'controlplane' | 'worker';

/** PEM texts; the key is empty where a machine must not have it. */
export interface CertificateAndKey {
  readonly crt: string;
  readonly key: string;
}

/** What this machine takes from its machine config, with every default filled in. Pure data. */
export interface NodeSettings {
  readonly machineType: MachineType;
  readonly machine: MachineSettings;
  readonly cluster: ClusterSettings;
}

export interface MachineSettings {
  readonly token: string;
  readonly ca: CertificateAndKey;
  readonly acceptedCas: readonly string[];
  readonly certSans: readonly string[];
  readonly install: InstallSettings | null;
  readonly network: NetworkSettings;
  readonly kubelet: KubeletSettings;
  readonly time: { readonly disabled: boolean; readonly servers: readonly string[]; readonly bootTimeoutUs: number };
  readonly features: FeatureSettings;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeAnnotations: Readonly<Record<string, string>>;
  /** `value:effect` or `effect` by key. */
  readonly nodeTaints: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly pods: readonly ConfigObject[];
  readonly controllerManagerDisabled: boolean;
  readonly schedulerDisabled: boolean;
}

export interface InstallSettings {
  readonly disk: string;
  /** Expression over `disk` that selects the disk; undefined when the disk is named. */
  readonly diskMatch: string | undefined;
  readonly image: string;
  readonly wipe: boolean;
}

export interface NetworkSettings {
  readonly hostname: string;
  readonly nameservers: readonly string[];
  readonly interfaces: readonly InterfaceSettings[];
  readonly kubeSpan: KubeSpanSettings;
}

export interface KubeSpanSettings {
  readonly enabled: boolean;
  readonly advertiseKubernetesNetworks: boolean;
  readonly allowDownPeerBypass: boolean;
  readonly harvestExtraEndpoints: boolean;
  readonly mtuBytes: number;
  readonly endpointFilters: readonly string[];
  /** `address:port` of documents of their own, announced besides what is found. */
  readonly extraEndpoints: readonly string[];
}

export interface InterfaceSettings {
  /** Kernel name; empty when only a selector is given. */
  readonly name: string;
  readonly selector: ConfigObject | null;
  readonly ignore: boolean;
  readonly addresses: readonly string[];
  readonly dhcp: boolean;
  readonly mtuBytes: number;
  readonly routes: readonly { readonly network: string; readonly gateway: string; readonly metric: number }[];
  /** Shared virtual address, without prefix; empty when there is none. */
  readonly vip: string;
}

export interface KubeletSettings {
  readonly image: string;
  readonly clusterDns: readonly string[];
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly extraConfig: ConfigObject;
  /** CredentialProviderConfig; empty when there is none. */
  readonly credentialProviderConfig: ConfigObject;
  readonly defaultRuntimeSeccomp: boolean;
  readonly registerWithFqdn: boolean;
  readonly validSubnets: readonly string[];
  readonly skipNodeRegistration: boolean;
  readonly disableManifestsDirectory: boolean;
}

export interface FeatureSettings {
  readonly rbac: boolean;
  readonly stableHostname: boolean;
  readonly apidCheckExtKeyUsage: boolean;
  readonly diskQuota: boolean;
  readonly kubePrism: { readonly enabled: boolean; readonly port: number };
  readonly hostDns: { readonly enabled: boolean; readonly forwardKubeDns: boolean };
  readonly sortAlgorithm: 'v1' | 'v2';
}

export interface ComponentSettings {
  readonly image: string;
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly extraVolumes: readonly ExtraVolume[];
  readonly resources: { readonly requests: ConfigObject; readonly limits: ConfigObject };
}

export interface ExtraVolume {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
  readonly readonly: boolean;
}

export interface ClusterSettings {
  readonly name: string;
  readonly id: string;
  readonly secret: string;
  readonly endpoint: Endpoint;
  readonly apiPort: number;
  /** `id.secret` of the bootstrap token. */
  readonly token: string;
  readonly aescbcSecret: string;
  readonly secretboxSecret: string;
  readonly ca: CertificateAndKey;
  readonly acceptedCas: readonly string[];
  readonly aggregatorCa: CertificateAndKey;
  readonly serviceAccountKey: string;
  readonly etcd: EtcdSettings | null;
  readonly dnsDomain: string;
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly cni: {
    readonly name: string;
    readonly urls: readonly string[];
    readonly flannelExtraArgs: readonly string[];
  };
  readonly apiServer: ComponentSettings & ApiServerSettings;
  readonly controllerManager: ComponentSettings;
  readonly scheduler: ComponentSettings & { readonly config: ConfigObject };
  readonly proxy: {
    readonly disabled: boolean;
    readonly image: string;
    readonly mode: string;
    readonly extraArgs: Readonly<Record<string, string>>;
  };
  readonly coreDns: { readonly disabled: boolean; readonly image: string };
  readonly discovery: DiscoverySettings;
  readonly externalCloudProvider: boolean;
  /** How long an administrator's certificate is valid. */
  readonly adminCertLifetimeUs: number;
  readonly allowSchedulingOnControlPlanes: boolean;
  readonly inlineManifests: readonly { readonly name: string; readonly contents: string }[];
}

export interface Endpoint {
  /** As written: `https://10.0.0.5:6443`. */
  readonly url: string;
  readonly host: string;
  /** 443 when the URL has none. */
  readonly port: number;
}

export interface ApiServerSettings {
  readonly certSans: readonly string[];
  readonly podSecurityPolicy: boolean;
  readonly admissionControl: readonly ConfigObject[];
  readonly auditPolicy: ConfigObject;
  readonly authorizers: readonly ConfigObject[];
}

export interface EtcdSettings {
  readonly image: string;
  readonly ca: CertificateAndKey;
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly subnet: string;
  readonly advertisedSubnets: readonly string[];
  readonly listenSubnets: readonly string[];
}

export interface DiscoverySettings {
  readonly enabled: boolean;
  readonly kubernetesRegistry: boolean;
  readonly serviceRegistry: boolean;
  /** URL of the discovery service. */
  readonly endpoint: string;
}

export function isControlPlane(type: MachineType): boolean {
  return type !== 'worker';
}
