/** `cluster` (reference/network-config.md E.2). */
import { block, field, flag, int, list, str, stringMap, strings, struct, structType, text } from '../build.ts';
import { durationCodec, endpointCodec, manifestCodec } from '../codecs.ts';
import type { StructSpec } from '../types.ts';
import { apiServer, controllerManager, coreDns, etcd, proxy, scheduler } from './components.ts';
import { certificate, certificateAndKey, privateKey } from './pem.ts';

const controlPlane: StructSpec = struct('v1alpha1.ControlPlaneConfig', [
  field('endpoint', text(endpointCodec), 'Canonical URL of the Kubernetes API.', { pointer: true, print: 'always' }),
  field('localAPIServerPort', int('int'), 'Port the API server listens on.', { default: '6443' }),
]);

const cni: StructSpec = struct('v1alpha1.CNIConfig', [
  field('name', str, 'Which network plugin.', { default: 'flannel', values: ['flannel', 'custom', 'none'] }),
  field('urls', strings, 'Manifests of a custom plugin.'),
  block(
    'flannel',
    struct('v1alpha1.FlannelCNIConfig', [
      field('extraArgs', strings, 'Extra flags of flanneld.'),
      flag('kubeNetworkPoliciesEnabled', 'Run kube-network-policies beside flannel.', { since: 12 }),
    ]),
    'Settings of flannel.',
  ),
]);

const clusterNetwork: StructSpec = struct('v1alpha1.ClusterNetworkConfig', [
  block('cni', cni, 'Network plugin.'),
  field('dnsDomain', str, 'DNS domain of the cluster.', { print: 'always', default: 'cluster.local' }),
  field('podSubnets', strings, 'Pod networks.', { print: 'always', merge: 'replace', default: '10.244.0.0/16' }),
  field('serviceSubnets', strings, 'Service networks.', { print: 'always', merge: 'replace', default: '10.96.0.0/12' }),
]);

const discovery: StructSpec = struct('v1alpha1.ClusterDiscoveryConfig', [
  flag('enabled', 'Find cluster members.', { default: 'false' }),
  field(
    'registries',
    structType(
      struct('v1alpha1.DiscoveryRegistriesConfig', [
        field(
          'kubernetes',
          structType(struct('v1alpha1.RegistryKubernetesConfig', [flag('disabled', 'Do not use it.')])),
          'Registry in Node annotations.',
          { print: 'always' },
        ),
        field(
          'service',
          structType(
            struct('v1alpha1.RegistryServiceConfig', [
              flag('disabled', 'Do not use it.'),
              field('endpoint', str, 'URL of the discovery service.', { default: 'https://discovery.talos.dev/' }),
            ]),
          ),
          'Registry in the discovery service.',
          { print: 'always' },
        ),
      ]),
    ),
    'Where members are announced.',
    { print: 'always' },
  ),
]);

const inlineManifest: StructSpec = struct('v1alpha1.ClusterInlineManifest', [
  field('name', str, 'Unique name.', { print: 'always' }),
  field('contents', text(manifestCodec), 'Kubernetes objects as YAML text.', { print: 'always' }),
]);

/** `cluster`. */
export const clusterConfig: StructSpec = struct('v1alpha1.ClusterConfig', [
  field('id', str, 'Cluster id for discovery.', { deprecated: 'DiscoveryIdentityConfig' }),
  field('secret', str, 'Cluster secret for discovery.', { secret: true, deprecated: 'DiscoveryIdentityConfig' }),
  block('controlPlane', controlPlane, 'Kubernetes API endpoint.', { print: 'always', omitFrom: 14 }),
  field('clusterName', str, 'Name of the cluster.'),
  block('network', clusterNetwork, 'Kubernetes networks.'),
  field('token', str, 'Kubernetes bootstrap token.', { secret: true }),
  field('aescbcEncryptionSecret', str, 'Key for AES-CBC encryption of Kubernetes secrets at rest.', { secret: true }),
  field('secretboxEncryptionSecret', str, 'Key for secretbox encryption of Kubernetes secrets at rest.', {
    secret: true,
  }),
  block('ca', certificateAndKey, 'Kubernetes CA; the key only on control planes.'),
  field('acceptedCAs', list(structType(certificate), { elementPointer: true }), 'Further trusted Kubernetes CAs.'),
  block('aggregatorCA', certificateAndKey, 'CA of the aggregation layer.'),
  block('serviceAccount', privateKey, 'Key that signs service-account tokens.'),
  block('apiServer', apiServer, 'kube-apiserver.'),
  block('controllerManager', controllerManager, 'kube-controller-manager.'),
  block('proxy', proxy, 'kube-proxy.'),
  block('scheduler', scheduler, 'kube-scheduler.'),
  block('discovery', discovery, 'Discovery of cluster members.', { deprecated: 'DiscoveryServiceConfig' }),
  block('etcd', etcd, 'etcd; control planes only.'),
  block('coreDNS', coreDns, 'CoreDNS.'),
  block(
    'externalCloudProvider',
    struct('v1alpha1.ExternalCloudProviderConfig', [
      flag('enabled', 'A cloud provider outside Kubernetes initialises nodes.'),
      field('manifests', strings, 'Its manifests, by URL.'),
    ]),
    'External cloud provider.',
  ),
  field('extraManifests', strings, 'Manifests applied at bootstrap, by URL.', { print: 'unless-nil' }),
  field('extraManifestHeaders', stringMap, 'HTTP headers for fetching them.', { secret: true }),
  field(
    'inlineManifests',
    list(structType(inlineManifest), { goType: 'v1alpha1.ClusterInlineManifests' }),
    'Manifests applied at bootstrap, inline.',
    { print: 'unless-nil' },
  ),
  block(
    'adminKubeconfig',
    struct('v1alpha1.AdminKubeconfigConfig', [
      field('certLifetime', text(durationCodec), 'Lifetime of the certificate.', { default: '8760h' }),
    ]),
    'Admin kubeconfig.',
  ),
  flag('allowSchedulingOnMasters', 'Older name of allowSchedulingOnControlPlanes.', {
    deprecated: 'allowSchedulingOnControlPlanes',
  }),
  flag('allowSchedulingOnControlPlanes', 'Let pods run on control planes.', { default: 'false' }),
]);
