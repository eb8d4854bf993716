import type { ConfigObject } from '../../../config/schema/types.ts';
import type { BootstrapManifestsConfigSpec } from '../../resources/k8s-control-plane.ts';
import {
  clusterRole,
  clusterRoleBinding,
  configMap,
  fieldEnv,
  rule,
  serviceAccount,
  serviceAccountSubject,
} from './parts.ts';

/** The network plugin and kube-proxy (reference/controllers.md B.3.2, reference/v1.11.3.md 8.5). */

const FLANNEL_LABELS = Object.freeze({ tier: 'node', 'k8s-app': 'flannel' });

const ON_LINUX = Object.freeze({
  matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
});

export function flannel(config: BootstrapManifestsConfigSpec): readonly ConfigObject[] {
  return [
    clusterRole('flannel', [
      rule([''], ['pods'], ['get']),
      rule([''], ['nodes'], ['get', 'list', 'watch']),
      rule([''], ['nodes/status'], ['patch']),
    ]),
    clusterRoleBinding('flannel', 'flannel', [serviceAccountSubject('flannel')]),
    serviceAccount('flannel'),
    configMap('kube-flannel-cfg', { 'cni-conf.json': cniConfig(), 'net-conf.json': netConfig(config) }, FLANNEL_LABELS),
    daemonSet('kube-flannel', FLANNEL_LABELS, flannelPod(config), {}),
  ];
}

function cniConfig(): string {
  const plugins = [
    { type: 'flannel', delegate: { hairpinMode: true, isDefaultGateway: true } },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  return JSON.stringify({ name: 'cbr0', cniVersion: '1.0.0', plugins }, undefined, 2);
}

function netConfig(config: BootstrapManifestsConfigSpec): string {
  const ipv4 = config.podCIDRs.find((cidr) => !cidr.includes(':'));
  const ipv6 = config.podCIDRs.find((cidr) => cidr.includes(':'));
  const settings = {
    ...(ipv4 === undefined ? { EnableIPv4: false } : { Network: ipv4 }),
    ...(ipv6 === undefined ? {} : { IPv6Network: ipv6, EnableIPv6: true }),
    Backend: { Type: 'vxlan', Port: 4789 },
  };
  return JSON.stringify(settings, undefined, 2);
}

function flannelPod(config: BootstrapManifestsConfigSpec): ConfigObject {
  const settings = { name: 'flannel-cfg', mountPath: '/etc/kube-flannel/' };
  const server = [
    { name: 'KUBERNETES_SERVICE_HOST', value: config.flannelKubeServiceHost },
    { name: 'KUBERNETES_SERVICE_PORT', value: config.flannelKubeServicePort },
  ];
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [ON_LINUX] } } },
    hostNetwork: true,
    priorityClassName: 'system-node-critical',
    serviceAccountName: 'flannel',
    tolerations: [
      { effect: 'NoSchedule', operator: 'Exists' },
      { effect: 'NoExecute', operator: 'Exists' },
    ],
    initContainers: [
      {
        name: 'install-config',
        image: config.flannelImage,
        command: ['cp'],
        args: ['-f', '/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'],
        resources: {},
        volumeMounts: [{ name: 'cni', mountPath: '/etc/cni/net.d' }, settings],
      },
    ],
    containers: [
      {
        name: 'kube-flannel',
        image: config.flannelImage,
        command: ['/opt/bin/flanneld'],
        args: ['--ip-masq', '--kube-subnet-mgr', ...config.flannelExtraArgs],
        resources: { requests: { cpu: '100m', memory: '50Mi' } },
        securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
        env: [
          fieldEnv('POD_NAME', 'metadata.name'),
          fieldEnv('POD_NAMESPACE', 'metadata.namespace'),
          { name: 'EVENT_QUEUE_DEPTH', value: '5000' },
          { name: 'CONT_WHEN_CACHE_NOT_READY', value: 'false' },
          ...(config.flannelKubeServiceHost === '' ? [] : server),
        ],
        volumeMounts: [{ name: 'run', mountPath: '/run/flannel' }, settings],
      },
    ],
    volumes: [
      { name: 'run', hostPath: { path: '/run/flannel' } },
      { name: 'cni-plugin', hostPath: { path: '/opt/cni/bin' } },
      { name: 'cni', hostPath: { path: '/etc/cni/net.d' } },
      { name: 'flannel-cfg', configMap: { name: 'kube-flannel-cfg' } },
    ],
  };
}

const PROXY_LABELS = Object.freeze({ tier: 'node', 'k8s-app': 'kube-proxy' });

export function kubeProxy(config: BootstrapManifestsConfigSpec): readonly ConfigObject[] {
  return [
    daemonSet('kube-proxy', PROXY_LABELS, proxyPod(config), {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1 },
    }),
    serviceAccount('kube-proxy'),
    clusterRoleBinding('kube-proxy', 'system:node-proxier', [serviceAccountSubject('kube-proxy')]),
  ];
}

function proxyPod(config: BootstrapManifestsConfigSpec): ConfigObject {
  return {
    hostNetwork: true,
    priorityClassName: 'system-cluster-critical',
    serviceAccountName: 'kube-proxy',
    tolerations: [
      { effect: 'NoSchedule', operator: 'Exists' },
      { effect: 'NoExecute', operator: 'Exists' },
    ],
    containers: [
      {
        name: 'kube-proxy',
        image: config.proxyImage,
        command: ['/usr/local/bin/kube-proxy', ...config.proxyArgs],
        env: [fieldEnv('NODE_NAME', 'spec.nodeName'), fieldEnv('POD_IP', 'status.podIP')],
        resources: {},
        securityContext: { privileged: true },
        volumeMounts: [
          { name: 'lib-modules', mountPath: '/lib/modules', readOnly: true },
          { name: 'ssl-certs-host', mountPath: '/etc/ssl/certs', readOnly: true },
          { name: 'kubeconfig', mountPath: '/etc/kubernetes', readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: 'lib-modules', hostPath: { path: '/usr/lib/modules' } },
      { name: 'ssl-certs-host', hostPath: { path: '/etc/ssl/certs' } },
      { name: 'kubeconfig', configMap: { name: 'kubeconfig-in-cluster' } },
    ],
  };
}

function daemonSet(
  name: string,
  labels: Readonly<Record<string, string>>,
  pod: ConfigObject,
  updateStrategy: ConfigObject,
): ConfigObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system', labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy,
      template: { metadata: { labels }, spec: pod },
    },
  };
}
