import type { ConfigObject } from '../../config/schema/types.ts';
import { resourceKind } from '../../cosi/index.ts';
import type { ExtraVolume } from '../config/settings.ts';

export interface ResourcesSpec {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

export interface ComponentConfigSpec {
  readonly enabled: boolean;
  readonly image: string;
  readonly cloudProvider: string;
  readonly extraArgs: Readonly<Record<string, string>>;
  readonly extraVolumes: readonly ExtraVolume[];
  readonly environmentVariables: Readonly<Record<string, string>>;
  readonly resources: ResourcesSpec;
}

export interface ApiServerConfigSpec extends ComponentConfigSpec {
  readonly controlPlaneEndpoint: string;
  readonly etcdServers: readonly string[];
  readonly localPort: number;
  readonly serviceCIDRs: readonly string[];
  readonly advertisedAddress: string;
  readonly podSecurityPolicyEnabled: boolean;
}

/** Id `kube-apiserver`. */
export const ApiServerConfigs = resourceKind<ApiServerConfigSpec>(
  'controlplane',
  'APIServerConfigs.kubernetes.talos.dev',
);

export interface ControllerManagerConfigSpec extends ComponentConfigSpec {
  readonly podCIDRs: readonly string[];
  readonly serviceCIDRs: readonly string[];
}

/** Id `kube-controller-manager`. */
export const ControllerManagerConfigs = resourceKind<ControllerManagerConfigSpec>(
  'controlplane',
  'ControllerManagerConfigs.kubernetes.talos.dev',
);

export interface SchedulerConfigSpec extends ComponentConfigSpec {
  readonly config: ConfigObject;
}

/** Id `kube-scheduler`. */
export const SchedulerConfigs = resourceKind<SchedulerConfigSpec>(
  'controlplane',
  'SchedulerConfigs.kubernetes.talos.dev',
);

export interface AdmissionControlConfigSpec {
  readonly config: readonly { readonly name: string; readonly configuration: ConfigObject }[];
}

/** Id `admission-control`. */
export const AdmissionControlConfigs = resourceKind<AdmissionControlConfigSpec>(
  'controlplane',
  'AdmissionControlConfigs.kubernetes.talos.dev',
);

export interface AuditPolicyConfigSpec {
  readonly config: ConfigObject;
}

/** Id `audit-policy`. */
export const AuditPolicyConfigs = resourceKind<AuditPolicyConfigSpec>(
  'controlplane',
  'AuditPolicyConfigs.kubernetes.talos.dev',
);

export interface AuthorizationConfigSpec {
  readonly image: string;
  readonly config: readonly { readonly type: string; readonly name: string; readonly webhook: ConfigObject }[];
}

/** Id `authorization`. */
export const AuthorizationConfigs = resourceKind<AuthorizationConfigSpec>(
  'controlplane',
  'AuthorizationConfigs.kubernetes.talos.dev',
);

export interface RenderStatusSpec {
  readonly ready: boolean;
  readonly version: string;
}

/** Id `static-pods`. */
export const ConfigStatuses = resourceKind<RenderStatusSpec>('controlplane', 'ConfigStatuses.kubernetes.talos.dev', {
  columns: [
    { name: 'Ready', jsonPath: '{.ready}' },
    { name: 'Secrets Version', jsonPath: '{.version}' },
  ],
});

/** Id `static-pods`. */
export const SecretStatuses = resourceKind<RenderStatusSpec>('controlplane', 'SecretStatuses.kubernetes.talos.dev', {
  columns: [
    { name: 'Ready', jsonPath: '{.ready}' },
    { name: 'Secrets Version', jsonPath: '{.version}' },
  ],
});

export interface BootstrapManifestsConfigSpec {
  readonly server: string;
  readonly clusterDomain: string;
  readonly podCIDRs: readonly string[];
  readonly proxyEnabled: boolean;
  readonly proxyImage: string;
  readonly proxyArgs: readonly string[];
  readonly coreDNSEnabled: boolean;
  readonly coreDNSImage: string;
  /** Empty when no service network is of the family. */
  readonly dnsServiceIP: string;
  readonly dnsServiceIPv6: string;
  readonly flannelEnabled: boolean;
  readonly flannelImage: string;
  readonly flannelExtraArgs: readonly string[];
  readonly flannelKubeServiceHost: string;
  readonly flannelKubeServicePort: string;
  readonly podSecurityPolicyEnabled: boolean;
}

/** Id `manifests`. */
export const BootstrapManifestsConfigs = resourceKind<BootstrapManifestsConfigSpec>(
  'controlplane',
  'BootstrapManifestsConfigs.kubernetes.talos.dev',
);

export interface ManifestSpec {
  readonly items: readonly ConfigObject[];
}

/** Ids sort in the order of application. */
export const Manifests = resourceKind<ManifestSpec>('controlplane', 'Manifests.kubernetes.talos.dev', {
  shownField: 'items',
});

export interface ManifestStatusSpec {
  readonly manifestsApplied: readonly string[];
}

/** Id `manifests`. */
export const ManifestStatuses = resourceKind<ManifestStatusSpec>(
  'controlplane',
  'ManifestStatuses.kubernetes.talos.dev',
);
