/** Kubernetes documents of contracts after v1.13 (reference/network-config.md E.8, 12 and 13). */

import type { ConfigObject } from '../schema/types.ts';
import {
  API_SERVER_IMAGE,
  AUDIT_POLICY,
  CONTROL_PLANE_LABEL,
  CONTROLLER_MANAGER_IMAGE,
  EXCLUDE_LABEL,
  KUBE_PRISM_PORT,
  KUBELET_IMAGE,
  POD_SECURITY,
  PROXY_IMAGE,
  SCHEDULER_IMAGE,
} from './defaults.ts';
import { type GenerateInput, type MachineRole, networksOf } from './input.ts';
import type { PemPair } from './secrets.ts';
import { type SideDocument, side } from './side-documents.ts';

export function kubernetesDocuments(input: GenerateInput, role: MachineRole): SideDocument[] {
  const { certs } = input.secrets;
  const isControlPlane = role === 'controlplane';
  const networks = networksOf(input);
  const common = [
    side('KubeClusterConfig', { clusterName: input.clusterName, endpoint: input.endpoint }),
    nodeDocument(input, isControlPlane),
    side('KubeletConfig', {
      image: `${KUBELET_IMAGE}:v${input.kubernetesVersion}`,
      config: {},
      defaultRuntimeSeccompProfileEnabled: true,
    }),
    side('KubeNetworkConfig', {
      dnsDomain: input.options?.dnsDomain ?? 'cluster.local',
      podSubnets: networks.pods,
      serviceSubnets: networks.services,
    }),
    side('KubeAPIServerCAConfig', isControlPlane ? issuing(certs.k8s) : { acceptedCAs: [certs.k8s.crt] }),
    side('KubePrismConfig', { port: KUBE_PRISM_PORT }),
  ];
  return isControlPlane ? [...common, ...controlPlaneDocuments(input)] : common;
}

/** A document replaces what a legacy config adds by itself, hence both labels and the taint. */
function nodeDocument(input: GenerateInput, isControlPlane: boolean): SideDocument {
  if (!isControlPlane) return side('KubeNodeConfig', { nodeIP: {} });
  const labels = { [CONTROL_PLANE_LABEL]: '', [EXCLUDE_LABEL]: '' };
  if (input.options?.allowSchedulingOnControlPlanes === true) return side('KubeNodeConfig', { nodeIP: {}, labels });
  return side('KubeNodeConfig', { nodeIP: {}, labels, taints: { [CONTROL_PLANE_LABEL]: 'NoSchedule' } });
}

function issuing(pair: PemPair): ConfigObject {
  return { issuingCA: { cert: pair.crt, key: pair.key } };
}

function controlPlaneDocuments(input: GenerateInput): SideDocument[] {
  const { certs } = input.secrets;
  const image = (repository: string): string => `${repository}:v${input.kubernetesVersion}`;
  return [
    side('KubeAggregatorCAConfig', issuing(certs.k8sAggregator)),
    side('KubeAdmissionControlConfig', { configuration: POD_SECURITY }, 'PodSecurity'),
    side('KubeAuditPolicyConfig', { configuration: AUDIT_POLICY }),
    side('KubeAuthenticationConfig', { configuration: ANONYMOUS_PROBES }),
    side('KubeAuthorizerConfig', { type: 'Node' }, 'node'),
    side('KubeAuthorizerConfig', { type: 'RBAC' }, 'rbac'),
    encryptionDocument(input),
    side('KubeServiceAccountConfig', {
      issuer: { privateKey: certs.k8sServiceAccountKey, issuerURL: input.endpoint },
    }),
    apiServerDocument(input),
    side('KubeControllerManagerConfig', { image: image(CONTROLLER_MANAGER_IMAGE) }),
    side('KubeSchedulerConfig', { image: image(SCHEDULER_IMAGE), config: {} }),
    side('KubeProxyConfig', { image: image(PROXY_IMAGE), config: {} }),
    ...cniDocuments(input),
    side('KubeCoreDNSConfig', { enabled: true }),
  ];
}

const ANONYMOUS_PROBES: ConfigObject = Object.freeze({
  anonymous: {
    conditions: [{ path: '/livez' }, { path: '/readyz' }, { path: '/healthz' }],
    enabled: true,
  },
  jwt: [],
});

/** A bundle with an AES-CBC secret gets it under a secretbox provider all the same, with another key name (quirk). */
function encryptionDocument(input: GenerateInput): SideDocument {
  const { aescbcEncryptionSecret, secretboxEncryptionSecret } = input.secrets.secrets;
  const key =
    aescbcEncryptionSecret === ''
      ? { name: 'key2', secret: secretboxEncryptionSecret }
      : { name: 'key1', secret: aescbcEncryptionSecret };
  return side('KubeEtcdEncryptionConfig', {
    config: { resources: [{ providers: [{ secretbox: { keys: [key] } }], resources: ['secrets'] }] },
  });
}

function apiServerDocument(input: GenerateInput): SideDocument {
  const { localApiServerPort, additionalSans = [] } = input.options ?? {};
  return side('KubeAPIServerConfig', {
    image: `${API_SERVER_IMAGE}:v${input.kubernetesVersion}`,
    ...(localApiServerPort === undefined ? {} : { apiPort: localApiServerPort }),
    ...(additionalSans.length === 0 ? {} : { certExtraSANs: additionalSans }),
  });
}

/** Flannel, or the manifests of a custom plugin. The real generator takes one manifest; further ones are numbered. */
function cniDocuments(input: GenerateInput): SideDocument[] {
  const { name = 'flannel', urls = [] } = input.options?.cni ?? {};
  if (name === 'flannel') return [side('KubeFlannelCNIConfig', { backendType: 'vxlan', backendPort: 4789 })];
  if (name === 'none') return [];
  return urls.map((url, i) =>
    side('KubeExternalManifestConfig', { url }, i === 0 ? 'custom-cni' : `custom-cni-${i + 1}`),
  );
}
