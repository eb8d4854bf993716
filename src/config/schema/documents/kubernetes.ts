/** Kubernetes documents of contracts after v1.13 (reference/network-config.md E.4). */
import {
  argumentMap,
  block,
  field,
  flag,
  int,
  object,
  str,
  stringMap,
  strings,
  struct,
  structType,
  text,
} from '../build.ts';
import type { DocumentSpec, Field, StructSpec } from '../types.ts';
import { urlCodec } from './codecs.ts';
import { documentKind, header, named } from './meta.ts';

const enabled = flag('enabled', 'Run it.', { default: 'true' });
const image = field('image', str, 'Container image.');
const extraArgs = field('extraArgs', argumentMap, 'Arguments of the program.');
const env = field('env', stringMap, 'Environment.');
const config = field('config', object, 'Configuration of the program.');
const resources = block(
  'resources',
  struct('k8s.ResourcesConfig', [field('requests', object, 'Requests.'), field('limits', object, 'Limits.')]),
  'Resources.',
);
const configuration = field('configuration', object, 'Configuration.', { merge: 'replace' });

const issuingCA = block(
  'issuingCA',
  struct('k8s.CertAndKey', [field('cert', str, 'Certificate, PEM.'), field('key', str, 'Key, PEM.', { secret: true })]),
  'CA that signs.',
);
const acceptedCAs = field('acceptedCAs', strings, 'CAs that are accepted too, PEM.');

const probes = field('startupProbes', object, 'Startup probe.');

const nodeIP = struct('k8s.NodeIPConfig', [field('validSubnets', strings, 'Networks of the node address.')]);

function kube(kind: string, doc: string, fields: readonly Field[], name?: string): DocumentSpec {
  const start = name === undefined ? header : named(name);
  const spec: StructSpec = struct(`k8s.${kind}V1Alpha1`, [...start, ...fields]);
  return documentKind(kind, 'k8s', spec, doc, { since: 14 });
}

export const kubernetesDocuments: readonly DocumentSpec[] = Object.freeze([
  kube('KubeClusterConfig', 'Name and endpoint of the cluster.', [
    field('clusterName', str, 'Name.'),
    field('endpoint', text(urlCodec), 'Endpoint.'),
  ]),
  kube('KubeNetworkConfig', 'Networks of the cluster.', [
    field('dnsDomain', str, 'Domain.'),
    field('podSubnets', strings, 'Pod networks.', { merge: 'replace' }),
    field('serviceSubnets', strings, 'Service networks.', { merge: 'replace' }),
    field('nodeCIDRMaskSizeIPv4', int('int'), 'Prefix length of a node.', { default: '24' }),
    field('nodeCIDRMaskSizeIPv6', int('int'), 'Prefix length of a node.', { default: '64' }),
  ]),
  kube('KubeNodeConfig', 'The node object.', [
    flag('skipNodeRegistration', 'Run kubelet without a cluster.'),
    flag('registerWithFQDN', 'Register under the full name.'),
    field('nodeIP', structType(nodeIP), 'Address of the node.', { print: 'always' }),
    field('labels', stringMap, 'Labels.'),
    field('annotations', stringMap, 'Annotations.'),
    field('taints', stringMap, 'Taints.'),
  ]),
  kube('KubeletConfig', 'kubelet.', [
    image,
    config,
    extraArgs,
    field('clusterDNS', strings, 'DNS addresses for pods.'),
    flag('defaultRuntimeSeccompProfileEnabled', 'RuntimeDefault seccomp profile.'),
  ]),
  kube('KubePrismConfig', 'Load balancer on the node.', [
    field('port', int('int'), 'Port.'),
    field('tlsServerName', str, 'Name in the certificate.'),
  ]),
  kube('KubeAPIServerConfig', 'API server.', [
    image,
    extraArgs,
    env,
    resources,
    field('apiPort', int('int'), 'Port.', { default: '6443' }),
    field('certExtraSANs', strings, 'More names in the certificate.'),
    probes,
  ]),
  kube('KubeAPIServerCAConfig', 'CA of the API.', [issuingCA, acceptedCAs]),
  kube('KubeAggregatorCAConfig', 'CA of aggregated APIs.', [issuingCA, acceptedCAs]),
  kube(
    'KubeAdmissionControlConfig',
    'Configuration of an admission plugin.',
    [field('configuration', object, 'Configuration.')],
    'Plugin.',
  ),
  kube('KubeAuditPolicyConfig', 'Audit policy.', [configuration]),
  kube('KubeAuthenticationConfig', 'Authentication.', [configuration]),
  kube(
    'KubeAuthorizerConfig',
    'Authorizer.',
    [field('type', str, 'Kind.', { values: ['Node', 'RBAC', 'Webhook'] }), field('webhook', object, 'Webhook.')],
    'Authorizer.',
  ),
  kube('KubeControllerManagerConfig', 'Controller manager.', [enabled, image, extraArgs, env, resources]),
  kube('KubeSchedulerConfig', 'Scheduler.', [enabled, image, extraArgs, env, resources, config]),
  kube('KubeProxyConfig', 'kube-proxy.', [enabled, image, field('mode', str, 'Mode.'), config, extraArgs, resources]),
  kube('KubeFlannelCNIConfig', 'Flannel.', [
    field('backendType', str, 'Backend.'),
    field('backendPort', int('int'), 'Port.'),
    field('backendMTU', int('int'), 'MTU.'),
    field('backendExtraConfig', object, 'More settings.'),
    resources,
    field('extraArgs', strings, 'Arguments.'),
    flag('kubeNetworkPoliciesEnabled', 'Network policies.'),
  ]),
  kube('KubeCoreDNSConfig', 'CoreDNS.', [enabled, image]),
  kube('KubeServiceAccountConfig', 'Service account tokens.', [
    block(
      'issuer',
      struct('k8s.ServiceAccountIssuerConfig', [
        field('privateKey', str, 'Key, PEM.', { secret: true }),
        field('issuerURL', text(urlCodec), 'Issuer.'),
      ]),
      'Issuer.',
    ),
    block(
      'accepted',
      struct('k8s.ServiceAccountAcceptedConfig', [
        field('publicKeys', strings, 'Keys, PEM.'),
        field('issuers', strings, 'Issuers.'),
        field('audiences', strings, 'Audiences.'),
      ]),
      'What is accepted too.',
    ),
  ]),
  kube('KubeEtcdEncryptionConfig', 'Encryption of secrets.', [
    field('config', object, 'Configuration.', { secret: true }),
  ]),
  kube('KubeStaticPodConfig', 'A static pod.', [field('pod', object, 'Pod.', { merge: 'replace' })], 'Pod.'),
  kube('KubeInlineManifestConfig', 'A manifest.', [field('manifest', str, 'Text.')], 'Manifest.'),
  kube(
    'KubeExternalManifestConfig',
    'A manifest to fetch.',
    [field('url', text(urlCodec), 'URL.'), field('headers', stringMap, 'Headers.')],
    'Manifest.',
  ),
  kube('KubeTalosAPIAccessConfig', 'Talos API for pods.', [
    field('allowedRoles', strings, 'Roles.'),
    field('allowedKubernetesNamespaces', strings, 'Namespaces.'),
  ]),
  kube('KubeCredentialProviderConfig', 'Credential provider of kubelet.', [configuration]),
]);
