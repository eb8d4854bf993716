/** Kubernetes documents of contracts after v1.13 (reference/network-config.md E.4). */
import {
  argumentMap,
  block,
  field,
  flag,
  int,
  list,
  object,
  str,
  stringMap,
  strings,
  struct,
  structType,
  text,
} from '../build.ts';
import type { DocumentSpec, Field } from '../types.ts';
import { prefixCodec, urlCodec } from './codecs.ts';
import { certificateAndKey, kindOf, plain } from './meta.ts';

const enabled = flag('enabled', 'Run it.', { default: 'true' });
const image = field('image', str, 'Container image.', { print: 'always' });
const optionalImage = field('image', str, 'Container image.');
const extraArgs = field('extraArgs', argumentMap, 'Arguments of the program.');
const env = field('env', stringMap, 'Environment.');
const config = field('config', object, 'Configuration of the program.', { print: 'always' });
const resources = plain(
  'resources',
  'k8s.ResourcesConfig',
  [field('requests', object, 'Requests.'), field('limits', object, 'Limits.')],
  'Resources.',
);
const configuration = field('configuration', object, 'Configuration.', { merge: 'replace', print: 'always' });

const issuingCA = block('issuingCA', certificateAndKey, 'CA that signs.');
const acceptedCAs = field('acceptedCAs', strings, 'CAs that are accepted too, PEM.');

const nodeIP = struct('k8s.NodeIPConfig', [field('validSubnets', strings, 'Networks of the node address.')]);

const subnets = (name: string, doc: string): Field =>
  field(name, list(text(prefixCodec)), doc, { merge: 'replace', print: 'always' });

function kube(kind: string, doc: string, fields: readonly Field[], name?: string): DocumentSpec {
  return kindOf({ kind, group: 'k8s', since: 14, doc, name, fields });
}

/** What runs on control planes and in front of all nodes. */
const componentDocuments: readonly DocumentSpec[] = Object.freeze([
  kube('KubeAPIServerConfig', 'API server.', [
    image,
    extraArgs,
    env,
    resources,
    field('apiPort', int('int'), 'Port.', { pointer: true, default: '6443' }),
    field('certExtraSANs', strings, 'More names in the certificate.'),
    flag('startupProbes', 'Startup probes.', { default: 'true' }),
  ]),
  kube('KubeControllerManagerConfig', 'Controller manager.', [enabled, image, extraArgs, env, resources]),
  kube('KubeSchedulerConfig', 'Scheduler.', [enabled, image, config, extraArgs, env, resources]),
  kube('KubeProxyConfig', 'kube-proxy.', [
    enabled,
    optionalImage,
    field('mode', str, 'Mode.', { values: ['nftables', 'iptables', 'ipvs'] }),
    config,
    extraArgs,
    resources,
  ]),
  kube('KubeFlannelCNIConfig', 'Flannel.', [
    field('backendType', str, 'Backend.', { print: 'always' }),
    field('backendPort', int('uint16'), 'Port.'),
    field('backendMTU', int('uint32'), 'MTU.'),
    field('backendExtraConfig', object, 'More settings.'),
    resources,
    field('extraArgs', strings, 'Arguments.'),
    flag('kubeNetworkPoliciesEnabled', 'Network policies.'),
  ]),
  kube('KubeCoreDNSConfig', 'CoreDNS.', [enabled, optionalImage]),
]);

/** Who may do what, and the keys for it. */
const accessDocuments: readonly DocumentSpec[] = Object.freeze([
  kube('KubeAPIServerCAConfig', 'CA of the API.', [issuingCA, acceptedCAs]),
  kube('KubeAggregatorCAConfig', 'CA of aggregated APIs.', [issuingCA, acceptedCAs]),
  kube(
    'KubeAdmissionControlConfig',
    'Configuration of an admission plugin.',
    [field('configuration', object, 'Configuration.', { print: 'always' })],
    'Plugin.',
  ),
  kube('KubeAuditPolicyConfig', 'Audit policy.', [configuration]),
  kube('KubeAuthenticationConfig', 'Authentication.', [configuration]),
  kube(
    'KubeAuthorizerConfig',
    'Authorizer.',
    [
      field('type', str, 'Kind.', { print: 'always', values: ['Node', 'RBAC', 'Webhook'] }),
      field('webhook', object, 'Webhook.'),
    ],
    'Authorizer.',
  ),
  kube('KubeServiceAccountConfig', 'Service account tokens.', [
    field(
      'issuer',
      structType(
        struct('k8s.IssuerServiceAccountConfig', [
          field('privateKey', str, 'Key, PEM.', { secret: true, print: 'always' }),
          field('issuerURL', text(urlCodec), 'Issuer.', { print: 'always' }),
        ]),
      ),
      'Issuer.',
      { print: 'always' },
    ),
    plain(
      'accepted',
      'k8s.AcceptedServiceAccountConfig',
      [
        field('publicKeys', strings, 'Keys, PEM.'),
        field('issuers', list(text(urlCodec)), 'Issuers.'),
        field('audiences', strings, 'Audiences.'),
      ],
      'What is accepted too.',
    ),
  ]),
  kube('KubeEtcdEncryptionConfig', 'Encryption of secrets.', [
    field('config', object, 'Configuration.', { secret: true, print: 'always' }),
  ]),
  kube('KubeTalosAPIAccessConfig', 'Talos API for pods.', [
    field('allowedRoles', strings, 'Roles.'),
    field('allowedKubernetesNamespaces', strings, 'Namespaces.'),
  ]),
  kube('KubeCredentialProviderConfig', 'Credential provider of kubelet.', [configuration]),
]);

export const kubernetesDocuments: readonly DocumentSpec[] = Object.freeze([
  kube('KubeClusterConfig', 'Name and endpoint of the cluster.', [
    field('clusterName', str, 'Name.', { print: 'always' }),
    field('endpoint', text(urlCodec), 'Endpoint.', { print: 'always' }),
  ]),
  kube('KubeNetworkConfig', 'Networks of the cluster.', [
    field('dnsDomain', str, 'Domain.', { print: 'always' }),
    subnets('podSubnets', 'Pod networks.'),
    subnets('serviceSubnets', 'Service networks.'),
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
    field('port', int('int'), 'Port.', { print: 'always' }),
    field('tlsServerName', str, 'Name in the certificate.'),
  ]),
  ...componentDocuments,
  ...accessDocuments,
  kube(
    'KubeStaticPodConfig',
    'A static pod.',
    [field('pod', object, 'Pod.', { merge: 'replace', print: 'always' })],
    'Pod.',
  ),
  kube('KubeInlineManifestConfig', 'A manifest.', [field('manifest', str, 'Text.', { print: 'always' })], 'Manifest.'),
  kube(
    'KubeExternalManifestConfig',
    'A manifest to fetch.',
    [field('headers', stringMap, 'Headers.'), field('url', text(urlCodec), 'URL.', { print: 'always' })],
    'Manifest.',
  ),
]);
