/** `cluster` with defaults (reference/network-config.md E.2; v1.11.3.md 8). */
import type { ConfigObject } from '../schema/types.ts';
import { nthAddress } from '../text/subnet.ts';
import { flagAt, listAt, numberAt, objectAt, stringsAt, textAt, textMapAt } from '../view.ts';
import { argumentsAt, decodePemText, durationUs, objectsAt, pem } from './machine.ts';
import type { CertificateAndKey, ReleaseDefaults } from './types.ts';

type TextMap = Readonly<Record<string, string>>;
type Arguments = Readonly<Record<string, readonly string[]>>;

export interface ComponentConfig {
  readonly image: string;
  readonly extraArgs: Arguments;
  readonly extraVolumes: readonly {
    readonly hostPath: string;
    readonly mountPath: string;
    readonly readonly: boolean;
  }[];
  readonly env: TextMap;
  readonly resources: ConfigObject;
}

export interface ApiServerConfig extends ComponentConfig {
  readonly certSANs: readonly string[];
  readonly disablePodSecurityPolicy: boolean;
  readonly admissionControl: readonly { readonly name: string; readonly configuration: ConfigObject }[];
  /** The release's policy (everything at Metadata level) when the config has none. */
  readonly auditPolicy: ConfigObject;
  readonly authorizationConfig: readonly ConfigObject[];
}

export interface ClusterAccess {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  /** Canonical URL of the Kubernetes API; empty when the config has none. */
  readonly endpoint: string;
  readonly localAPIServerPort: number;
  readonly network: {
    readonly cni: {
      readonly name: string;
      readonly urls: readonly string[];
      readonly flannelExtraArgs: readonly string[];
    };
    readonly dnsDomain: string;
    readonly podCIDRs: readonly string[];
    readonly serviceCIDRs: readonly string[];
    /** First address of each service network. */
    readonly apiServerIPs: readonly string[];
    /** Tenth address of each service network. */
    readonly dnsServiceIPs: readonly string[];
  };
  readonly token: string;
  readonly aescbcEncryptionSecret: string;
  readonly secretboxEncryptionSecret: string;
  readonly ca: CertificateAndKey | undefined;
  readonly acceptedCAs: readonly string[];
  readonly aggregatorCA: CertificateAndKey | undefined;
  /** PEM of the service-account key; empty when absent. */
  readonly serviceAccountKey: string;
  readonly apiServer: ApiServerConfig;
  readonly controllerManager: ComponentConfig;
  readonly scheduler: ComponentConfig & { readonly config: ConfigObject };
  readonly proxy: {
    readonly enabled: boolean;
    readonly image: string;
    readonly mode: string;
    readonly extraArgs: Arguments;
  };
  readonly discovery: {
    readonly enabled: boolean;
    readonly kubernetesEnabled: boolean;
    readonly serviceEnabled: boolean;
    readonly serviceEndpoint: string;
  };
  readonly etcd: {
    readonly image: string;
    readonly ca: CertificateAndKey | undefined;
    readonly extraArgs: Arguments;
    readonly advertisedSubnets: readonly string[];
    readonly listenSubnets: readonly string[];
  };
  readonly coreDNS: { readonly enabled: boolean; readonly image: string };
  readonly externalCloudProvider: { readonly enabled: boolean; readonly manifestURLs: readonly string[] };
  readonly extraManifestURLs: readonly string[];
  readonly extraManifestHeaders: TextMap;
  readonly inlineManifests: readonly { readonly name: string; readonly contents: string }[];
  readonly adminKubeconfigCertLifetimeUs: number;
  readonly scheduleOnControlPlanes: boolean;
}

const DEFAULT_AUDIT_POLICY: ConfigObject = Object.freeze({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: Object.freeze([Object.freeze({ level: 'Metadata' })]),
});

const ONE_YEAR_US = 31_536_000_000_000;

/** Accessors of the cluster section; all defaults when it is absent. */
export function clusterAccess(cluster: ConfigObject | undefined, defaults: ReleaseDefaults): ClusterAccess {
  return {
    id: textAt(cluster, 'id'),
    secret: textAt(cluster, 'secret'),
    name: textAt(cluster, 'clusterName'),
    endpoint: textAt(cluster, 'controlPlane', 'endpoint'),
    localAPIServerPort: numberAt(cluster, 'controlPlane', 'localAPIServerPort') || 6443,
    network: network(objectAt(cluster, 'network')),
    token: textAt(cluster, 'token'),
    aescbcEncryptionSecret: textAt(cluster, 'aescbcEncryptionSecret'),
    secretboxEncryptionSecret: textAt(cluster, 'secretboxEncryptionSecret'),
    ca: pem(objectAt(cluster, 'ca')),
    acceptedCAs: listAt(cluster, 'acceptedCAs').map((entry) => decodePemText(textAt(entry, 'crt'))),
    aggregatorCA: pem(objectAt(cluster, 'aggregatorCA')),
    serviceAccountKey: decodePemText(textAt(cluster, 'serviceAccount', 'key')),
    apiServer: apiServer(objectAt(cluster, 'apiServer'), defaults),
    controllerManager: component(objectAt(cluster, 'controllerManager'), 'kube-controller-manager', defaults),
    scheduler: {
      ...component(objectAt(cluster, 'scheduler'), 'kube-scheduler', defaults),
      config: objectAt(cluster, 'scheduler', 'config') ?? {},
    },
    proxy: {
      enabled: !(flagAt(cluster, 'proxy', 'disabled') ?? false),
      image: textAt(cluster, 'proxy', 'image') || `registry.k8s.io/kube-proxy:v${defaults.kubernetesVersion}`,
      mode: textAt(cluster, 'proxy', 'mode'),
      extraArgs: argumentsAt(cluster, 'proxy', 'extraArgs'),
    },
    discovery: discovery(objectAt(cluster, 'discovery')),
    etcd: etcd(objectAt(cluster, 'etcd'), defaults),
    coreDNS: {
      enabled: !(flagAt(cluster, 'coreDNS', 'disabled') ?? false),
      image: textAt(cluster, 'coreDNS', 'image') || defaults.coreDnsImage,
    },
    externalCloudProvider: {
      enabled: flagAt(cluster, 'externalCloudProvider', 'enabled') ?? false,
      manifestURLs: stringsAt(cluster, 'externalCloudProvider', 'manifests'),
    },
    extraManifestURLs: stringsAt(cluster, 'extraManifests'),
    extraManifestHeaders: textMapAt(cluster, 'extraManifestHeaders'),
    inlineManifests: listAt(cluster, 'inlineManifests').map((entry) => ({
      name: textAt(entry, 'name'),
      contents: textAt(entry, 'contents'),
    })),
    adminKubeconfigCertLifetimeUs: durationUs(textAt(cluster, 'adminKubeconfig', 'certLifetime')) || ONE_YEAR_US,
    scheduleOnControlPlanes:
      flagAt(cluster, 'allowSchedulingOnControlPlanes') ?? flagAt(cluster, 'allowSchedulingOnMasters') ?? false,
  };
}

function network(config: ConfigObject | undefined): ClusterAccess['network'] {
  const pods = stringsAt(config, 'podSubnets');
  const services = stringsAt(config, 'serviceSubnets');
  const serviceCIDRs = services.length > 0 ? services : ['10.96.0.0/12'];
  const nth = (n: number): readonly string[] =>
    serviceCIDRs.map((prefix) => nthAddress(prefix, n)).filter((address) => address !== undefined);
  return {
    cni: {
      name: textAt(config, 'cni', 'name') || 'flannel',
      urls: stringsAt(config, 'cni', 'urls'),
      flannelExtraArgs: stringsAt(config, 'cni', 'flannel', 'extraArgs'),
    },
    dnsDomain: textAt(config, 'dnsDomain') || 'cluster.local',
    podCIDRs: pods.length > 0 ? pods : ['10.244.0.0/16'],
    serviceCIDRs,
    apiServerIPs: nth(1),
    dnsServiceIPs: nth(10),
  };
}

function component(config: ConfigObject | undefined, name: string, defaults: ReleaseDefaults): ComponentConfig {
  return {
    image: textAt(config, 'image') || `registry.k8s.io/${name}:v${defaults.kubernetesVersion}`,
    extraArgs: argumentsAt(config, 'extraArgs'),
    extraVolumes: listAt(config, 'extraVolumes').map((entry) => ({
      hostPath: textAt(entry, 'hostPath'),
      mountPath: textAt(entry, 'mountPath'),
      readonly: flagAt(entry, 'readonly') ?? false,
    })),
    env: textMapAt(config, 'env'),
    resources: objectAt(config, 'resources') ?? {},
  };
}

function apiServer(config: ConfigObject | undefined, defaults: ReleaseDefaults): ApiServerConfig {
  const policy = objectAt(config, 'auditPolicy') ?? {};
  return {
    ...component(config, 'kube-apiserver', defaults),
    certSANs: stringsAt(config, 'certSANs'),
    disablePodSecurityPolicy: flagAt(config, 'disablePodSecurityPolicy') ?? false,
    admissionControl: listAt(config, 'admissionControl').map((entry) => ({
      name: textAt(entry, 'name'),
      configuration: objectAt(entry, 'configuration') ?? {},
    })),
    auditPolicy: Object.keys(policy).length > 0 ? policy : DEFAULT_AUDIT_POLICY,
    authorizationConfig: objectsAt(config, 'authorizationConfig'),
  };
}

function discovery(config: ConfigObject | undefined): ClusterAccess['discovery'] {
  const enabled = flagAt(config, 'enabled') ?? false;
  return {
    enabled,
    kubernetesEnabled: enabled && !(flagAt(config, 'registries', 'kubernetes', 'disabled') ?? false),
    serviceEnabled: enabled && !(flagAt(config, 'registries', 'service', 'disabled') ?? false),
    serviceEndpoint: textAt(config, 'registries', 'service', 'endpoint') || 'https://discovery.talos.dev/',
  };
}

function etcd(config: ConfigObject | undefined, defaults: ReleaseDefaults): ClusterAccess['etcd'] {
  const subnet = textAt(config, 'subnet');
  const given = stringsAt(config, 'advertisedSubnets');
  const advertised = given.length > 0 ? given : subnet === '' ? [] : [subnet];
  const listen = stringsAt(config, 'listenSubnets');
  return {
    image: textAt(config, 'image') || defaults.etcdImage,
    ca: pem(objectAt(config, 'ca')),
    extraArgs: argumentsAt(config, 'extraArgs'),
    advertisedSubnets: advertised,
    listenSubnets: listen.length > 0 ? listen : advertised,
  };
}
