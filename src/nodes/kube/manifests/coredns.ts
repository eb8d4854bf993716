import type { ConfigObject } from '../../../config/schema/types.ts';
import type { BootstrapManifestsConfigSpec } from '../../resources/k8s-control-plane.ts';
import { clusterRole, clusterRoleBinding, configMap, rule, serviceAccount, serviceAccountSubject } from './parts.ts';

const LABELS = Object.freeze({ 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' });

/** CoreDNS (reference/controllers.md B.3.2, reference/v1.11.3.md 8.5). */
export function coreDns(config: BootstrapManifestsConfigSpec): readonly ConfigObject[] {
  return [
    serviceAccount('coredns'),
    clusterRole(
      'system:coredns',
      [
        rule([''], ['endpoints', 'services', 'pods', 'namespaces'], ['list', 'watch']),
        rule([''], ['nodes'], ['get']),
        rule(['discovery.k8s.io'], ['endpointslices'], ['list', 'watch']),
      ],
      { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    ),
    clusterRoleBinding('system:coredns', 'system:coredns', [serviceAccountSubject('coredns')]),
    configMap('coredns', { Corefile: corefile(config.clusterDomain) }),
    deployment(config),
  ];
}

function corefile(domain: string): string {
  return [
    '.:53 {',
    '    errors',
    '    health {',
    '        lameduck 5s',
    '    }',
    '    ready',
    '    log . {',
    '        class error',
    '    }',
    '    prometheus :9153',
    '',
    `    kubernetes ${domain} in-addr.arpa ip6.arpa {`,
    '        pods insecure',
    '        fallthrough in-addr.arpa ip6.arpa',
    '        ttl 30',
    '    }',
    '    forward . /etc/resolv.conf {',
    '       max_concurrent 1000',
    '    }',
    '    cache 30 {',
    `       disable success ${domain}`,
    `       disable denial ${domain}`,
    '    }',
    '    loop',
    '    reload',
    '    loadbalance',
    '}',
    '',
  ].join('\n');
}

function deployment(config: BootstrapManifestsConfigSpec): ConfigObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: 'kube-system', labels: LABELS },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      template: {
        metadata: { labels: { 'k8s-app': 'kube-dns' } },
        spec: {
          affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [spread()] } },
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          serviceAccountName: 'coredns',
          priorityClassName: 'system-cluster-critical',
          tolerations: [
            { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists', effect: 'NoSchedule' },
          ],
          containers: [container(config.coreDNSImage)],
          dnsPolicy: 'Default',
          volumes: [
            { name: 'config-volume', configMap: { name: 'coredns', items: [{ key: 'Corefile', path: 'Corefile' }] } },
          ],
        },
      },
    },
  };
}

function spread(): ConfigObject {
  return {
    weight: 100,
    podAffinityTerm: {
      labelSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns'] }] },
      topologyKey: 'kubernetes.io/hostname',
    },
  };
}

function container(image: string): ConfigObject {
  return {
    name: 'coredns',
    image,
    imagePullPolicy: 'IfNotPresent',
    resources: { limits: { cpu: '200m', memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
    env: [{ name: 'GOMEMLIMIT', value: '161MiB' }],
    args: ['-conf', '/etc/coredns/Corefile'],
    volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
    ports: [
      { name: 'dns', protocol: 'UDP', containerPort: 53 },
      { name: 'dns-tcp', protocol: 'TCP', containerPort: 53 },
      { name: 'metrics', protocol: 'TCP', containerPort: 9153 },
    ],
    livenessProbe: {
      httpGet: { path: '/health', port: 8080, scheme: 'HTTP' },
      initialDelaySeconds: 60,
      timeoutSeconds: 5,
      successThreshold: 1,
      failureThreshold: 5,
    },
    readinessProbe: { httpGet: { path: '/ready', port: 8181, scheme: 'HTTP' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
  };
}

export function coreDnsService(config: BootstrapManifestsConfigSpec): readonly ConfigObject[] {
  const dnsServiceIPs = [config.dnsServiceIP, config.dnsServiceIPv6].filter((address) => address !== '');
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'kube-dns',
        namespace: 'kube-system',
        annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
        labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
      },
      spec: {
        selector: { 'k8s-app': 'kube-dns' },
        clusterIP: dnsServiceIPs[0]!,
        clusterIPs: dnsServiceIPs,
        ipFamilyPolicy: dnsServiceIPs.length > 1 ? 'RequireDualStack' : 'SingleStack',
        ipFamilies: dnsServiceIPs.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4')),
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
          { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
          { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
        ],
      },
    },
  ];
}
