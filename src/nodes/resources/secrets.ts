import { resourceKind } from '../../cosi/index.ts';
import type { CertificateAndKey } from '../config/settings.ts';

const SENSITIVE = { sensitive: true } as const;

export interface OsRootSpec {
  readonly issuingCA: CertificateAndKey;
  /** PEM texts, the issuing CA first. */
  readonly acceptedCAs: readonly string[];
  readonly certSANIPs: readonly string[];
  readonly certSANDNSNames: readonly string[];
  readonly token: string;
}

/** Id `os`. */
export const OsRootSecrets = resourceKind<OsRootSpec>('secrets', 'OSRootSecrets.secrets.talos.dev', SENSITIVE);

export interface EtcdRootSpec {
  readonly etcdCA: CertificateAndKey;
}

/** Id `etcd`. */
export const EtcdRootSecrets = resourceKind<EtcdRootSpec>('secrets', 'EtcdRootSecrets.secrets.talos.dev', SENSITIVE);

export interface KubernetesRootSpec {
  readonly name: string;
  readonly endpoint: string;
  readonly localEndpoint: string;
  readonly certSANs: readonly string[];
  readonly dnsDomain: string;
  readonly issuingCA: CertificateAndKey;
  readonly acceptedCAs: readonly string[];
  readonly serviceAccountKey: string;
  readonly aggregatorCA: CertificateAndKey;
  readonly aescbcEncryptionSecret: string;
  readonly secretboxEncryptionSecret: string;
  readonly bootstrapTokenID: string;
  readonly bootstrapTokenSecret: string;
  /** First address of each service subnet. */
  readonly apiServerIPs: readonly string[];
}

/** Id `k8s`. */
export const KubernetesRootSecrets = resourceKind<KubernetesRootSpec>(
  'secrets',
  'KubernetesRootSecrets.secrets.talos.dev',
  SENSITIVE,
);

export interface CertSanSpec {
  readonly ips: readonly string[];
  readonly dnsNames: readonly string[];
  readonly fqdn: string;
}

/** Ids `api`, `k8s`. */
export const CertSans = resourceKind<CertSanSpec>('secrets', 'CertSANs.secrets.talos.dev', SENSITIVE);

export interface ApiCertificateSpec {
  readonly acceptedCAs: readonly string[];
  readonly server: CertificateAndKey;
  /** Empty on workers: they do not forward. */
  readonly client: CertificateAndKey;
}

/** Id `api`. */
export const ApiCertificates = resourceKind<ApiCertificateSpec>(
  'secrets',
  'ApiCertificates.secrets.talos.dev',
  SENSITIVE,
);

/** Id `trustd`. */
export const TrustdCertificates = resourceKind<ApiCertificateSpec>(
  'secrets',
  'TrustdCertificates.secrets.talos.dev',
  SENSITIVE,
);

export interface EtcdCertsSpec {
  readonly etcd: CertificateAndKey;
  readonly etcdPeer: CertificateAndKey;
  readonly etcdAdmin: CertificateAndKey;
  readonly etcdApiServer: CertificateAndKey;
}

/** Id `etcd`. */
export const EtcdSecrets = resourceKind<EtcdCertsSpec>('secrets', 'EtcdSecrets.secrets.talos.dev', SENSITIVE);

export interface KubernetesCertsSpec {
  readonly schedulerKubeconfig: string;
  readonly controllerManagerKubeconfig: string;
  readonly localhostAdminKubeconfig: string;
  readonly adminKubeconfig: string;
}

/** Id `k8s-certs`. */
export const KubernetesSecrets = resourceKind<KubernetesCertsSpec>(
  'secrets',
  'KubernetesSecrets.secrets.talos.dev',
  SENSITIVE,
);

export interface KubernetesDynamicCertsSpec {
  readonly apiServer: CertificateAndKey;
  readonly apiServerKubeletClient: CertificateAndKey;
  readonly frontProxy: CertificateAndKey;
}

/** Id `k8s-dynamic-certs`. */
export const KubernetesDynamicCerts = resourceKind<KubernetesDynamicCertsSpec>(
  'secrets',
  'KubernetesDynamicCerts.secrets.talos.dev',
  SENSITIVE,
);

export interface KubeletSecretsSpec {
  readonly endpoint: string;
  readonly acceptedCAs: readonly string[];
  readonly bootstrapTokenID: string;
  readonly bootstrapTokenSecret: string;
}

/** Id `kubelet`. */
export const KubeletSecrets = resourceKind<KubeletSecretsSpec>(
  'secrets',
  'KubeletSecrets.secrets.talos.dev',
  SENSITIVE,
);

export interface MaintenanceCertSpec {
  readonly server: CertificateAndKey;
}

/** Id `maintenance`. */
export const MaintenanceServiceCerts = resourceKind<MaintenanceCertSpec>(
  'secrets',
  'MaintenanceServiceCerts.secrets.talos.dev',
  SENSITIVE,
);
