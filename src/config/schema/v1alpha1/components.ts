/** Kubernetes components and etcd below `cluster` (reference E.2). */
import { block, bool, field, flag, list, object, str, stringMap, strings, struct, structType } from '../build.ts';
import type { Field, StructSpec } from '../types.ts';
import { extraArgs } from './kubelet.ts';
import { certificateAndKey } from './pem.ts';

const resources: StructSpec = struct('v1alpha1.ResourcesConfig', [
  field('requests', object, 'Reserved cpu and memory.'),
  field('limits', object, 'Upper bounds of cpu and memory.'),
]);

const volumeMount: StructSpec = struct('v1alpha1.VolumeMountConfig', [
  field('hostPath', str, 'Path on the host.', { print: 'always' }),
  field('mountPath', str, 'Path in the container.', { print: 'always' }),
  field('readonly', bool, 'Mount read-only.'),
]);

function common(what: string): readonly Field[] {
  return [
    field('image', str, 'Image.', { default: `registry.k8s.io/${what} of the release` }),
    extraArgs('Extra flags.'),
    field('extraVolumes', list(structType(volumeMount)), 'Extra volumes of the static pod.'),
    field('env', stringMap, 'Extra environment variables.'),
  ];
}

const admissionPlugin: StructSpec = struct('v1alpha1.AdmissionPluginConfig', [
  field('name', str, 'Plugin.', { print: 'always' }),
  field('configuration', object, 'Its configuration.', { print: 'always' }),
]);

const authorizer: StructSpec = struct('v1alpha1.AuthorizationConfigAuthorizerConfig', [
  field('type', str, 'Kind of authorizer.', { print: 'always', values: ['Node', 'RBAC', 'Webhook'] }),
  field('name', str, 'Name.', { print: 'always' }),
  field('webhook', object, 'Webhook settings.'),
]);

export const apiServer: StructSpec = struct('v1alpha1.APIServerConfig', [
  ...common('kube-apiserver'),
  field('certSANs', strings, 'Extra names in the API server certificate.'),
  flag('disablePodSecurityPolicy', 'PodSecurityPolicy is gone; must be true or the API server is not rendered.'),
  field(
    'admissionControl',
    list(structType(admissionPlugin), {
      goType: 'v1alpha1.AdmissionPluginConfigList',
      elementPointer: true,
      mergeBy: { keys: ['name'], action: 'merge' },
    }),
    'Admission plugins.',
  ),
  field('auditPolicy', object, 'Audit policy.', { merge: 'replace' }),
  block('resources', resources, 'Resources of the pod.'),
  field(
    'authorizationConfig',
    list(structType(authorizer), {
      goType: 'v1alpha1.AuthorizationConfigAuthorizerConfigList',
      elementPointer: true,
    }),
    'Authorizers besides Node and RBAC.',
  ),
]);

export const controllerManager: StructSpec = struct('v1alpha1.ControllerManagerConfig', [
  ...common('kube-controller-manager'),
  block('resources', resources, 'Resources of the pod.'),
]);

export const scheduler: StructSpec = struct('v1alpha1.SchedulerConfig', [
  ...common('kube-scheduler'),
  block('resources', resources, 'Resources of the pod.'),
  field('config', object, 'KubeSchedulerConfiguration.'),
]);

export const proxy: StructSpec = struct('v1alpha1.ProxyConfig', [
  flag('disabled', 'Do not deploy kube-proxy.'),
  field('image', str, 'Image.', { default: 'registry.k8s.io/kube-proxy of the release' }),
  field('mode', str, 'Proxy mode.', { default: 'nftables from Kubernetes 1.31, else iptables' }),
  extraArgs('Extra flags.'),
]);

export const coreDns: StructSpec = struct('v1alpha1.CoreDNS', [
  flag('disabled', 'Do not deploy CoreDNS.'),
  field('image', str, 'Image.'),
]);

export const etcd: StructSpec = struct('v1alpha1.EtcdConfig', [
  field('image', str, 'Image.', { default: 'gcr.io/etcd-development/etcd of the release' }),
  block('ca', certificateAndKey, 'CA of etcd.', { print: 'always' }),
  extraArgs('Extra flags.'),
  field('subnet', str, 'Network of the advertised address.', { deprecated: 'advertisedSubnets' }),
  field('advertisedSubnets', strings, 'Networks of advertised addresses; `!` excludes.'),
  field('listenSubnets', strings, 'Networks to listen on; `!` excludes.'),
]);
