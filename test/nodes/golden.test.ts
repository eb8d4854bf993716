import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MachineService } from '../../src/api/machine/services.ts';
import { KubeletSpecs, KubePrismEndpoints, StaticPods } from '../../src/nodes/resources/k8s.ts';
import { Manifests } from '../../src/nodes/resources/k8s-control-plane.ts';
import { processStarted } from '../../src/sim/events.ts';
import { MINUTE_US, TestCluster } from './cluster.ts';

const E = '/system/secrets/etcd';
const SA = '/system/secrets/kubernetes/kube-apiserver';
const SC = '/system/secrets/kubernetes/kube-controller-manager';
const SS = '/system/secrets/kubernetes/kube-scheduler';
const CA = '/system/config/kubernetes/kube-apiserver';
const CS = '/system/config/kubernetes/kube-scheduler';

const ETCD_FIXED = (address: string, name: string): Readonly<Record<string, string>> => ({
  'advertise-client-urls': `https://${address}:2379`,
  'auto-tls': 'false',
  'cert-file': `${E}/server.crt`,
  'client-cert-auth': 'true',
  'data-dir': '/var/lib/etcd',
  'experimental-compact-hash-check-enabled': 'true',
  'experimental-initial-corrupt-check': 'true',
  'experimental-watch-progress-notify-interval': '5s',
  'key-file': `${E}/server.key`,
  'listen-client-urls': 'https://0.0.0.0:2379',
  'listen-peer-urls': 'https://0.0.0.0:2380',
  name,
  'peer-auto-tls': 'false',
  'peer-cert-file': `${E}/peer.crt`,
  'peer-client-cert-auth': 'true',
  'peer-key-file': `${E}/peer.key`,
  'peer-trusted-ca-file': `${E}/ca.crt`,
  'trusted-ca-file': `${E}/ca.crt`,
});

const APISERVER: Readonly<Record<string, string>> = {
  'admission-control-config-file': `${CA}/admission-control-config.yaml`,
  'advertise-address': '$(POD_IP)',
  'allow-privileged': 'true',
  'anonymous-auth': 'false',
  'api-audiences': 'https://10.0.0.5:6443',
  'audit-log-maxage': '30',
  'audit-log-maxbackup': '10',
  'audit-log-maxsize': '100',
  'audit-log-path': '/var/log/audit/kube/kube-apiserver.log',
  'audit-policy-file': `${CA}/auditpolicy.yaml`,
  'authorization-config': `${CA}/authorization-config.yaml`,
  'bind-address': '0.0.0.0',
  'client-ca-file': `${SA}/ca.crt`,
  'enable-admission-plugins': 'NodeRestriction',
  'enable-bootstrap-token-auth': 'true',
  'encryption-provider-config': `${SA}/encryptionconfig.yaml`,
  'etcd-cafile': `${SA}/etcd-client-ca.crt`,
  'etcd-certfile': `${SA}/etcd-client.crt`,
  'etcd-keyfile': `${SA}/etcd-client.key`,
  'etcd-servers': 'https://localhost:2379',
  'kubelet-client-certificate': `${SA}/apiserver-kubelet-client.crt`,
  'kubelet-client-key': `${SA}/apiserver-kubelet-client.key`,
  'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
  profiling: 'false',
  'proxy-client-cert-file': `${SA}/front-proxy-client.crt`,
  'proxy-client-key-file': `${SA}/front-proxy-client.key`,
  'requestheader-allowed-names': 'front-proxy-client',
  'requestheader-client-ca-file': `${SA}/aggregator-ca.crt`,
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-username-headers': 'X-Remote-User',
  'secure-port': '6443',
  'service-account-issuer': 'https://10.0.0.5:6443',
  'service-account-key-file': `${SA}/service-account.pub`,
  'service-account-signing-key-file': `${SA}/service-account.key`,
  'service-cluster-ip-range': '10.96.0.0/12',
  'tls-cert-file': `${SA}/apiserver.crt`,
  'tls-cipher-suites': [
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_128_GCM_SHA256',
  ].join(','),
  'tls-min-version': 'VersionTLS12',
  'tls-private-key-file': `${SA}/apiserver.key`,
};

const CONTROLLER_MANAGER: Readonly<Record<string, string>> = {
  'allocate-node-cidrs': 'true',
  'authentication-kubeconfig': `${SC}/kubeconfig`,
  'authorization-kubeconfig': `${SC}/kubeconfig`,
  'bind-address': '127.0.0.1',
  'cluster-cidr': '10.244.0.0/16',
  'cluster-signing-cert-file': `${SC}/ca.crt`,
  'cluster-signing-key-file': `${SC}/ca.key`,
  'configure-cloud-routes': 'false',
  controllers: '*,tokencleaner',
  kubeconfig: `${SC}/kubeconfig`,
  'leader-elect': 'true',
  profiling: 'false',
  'root-ca-file': `${SC}/ca.crt`,
  'service-account-private-key-file': `${SC}/service-account.key`,
  'service-cluster-ip-range': '10.96.0.0/12',
  'tls-min-version': 'VersionTLS13',
};

const SCHEDULER: Readonly<Record<string, string>> = {
  'authentication-kubeconfig': `${SS}/kubeconfig`,
  'authentication-tolerate-lookup-failure': 'false',
  'authorization-kubeconfig': `${SS}/kubeconfig`,
  'bind-address': '127.0.0.1',
  config: `${CS}/scheduler-config.yaml`,
  'leader-elect': 'true',
  profiling: 'false',
  'tls-min-version': 'VersionTLS13',
};

/** `--name=value`, sorted. */
function flags(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(values)
    .sort()
    .map((name) => `--${name}=${values[name]}`);
}

/** reference/v1.11.3.md 17: what a generated config becomes on the default machines. */
describe('arguments and configs of v1.11.3', () => {
  let cluster: TestCluster;
  beforeAll(() => {
    cluster = new TestCluster({ controlPlanes: 2, workers: 1 });
    cluster.bringUp();
  });
  afterAll(() => cluster.close());

  const etcdRuns = (machine: string): readonly (readonly string[])[] =>
    cluster
      .seen(processStarted.name, machine)
      .map(({ fields }) => fields.argv as readonly string[])
      .filter(([program]) => program === '/usr/local/bin/etcd');
  const command = (id: string): readonly string[] => {
    const pod = cluster.resource('cp-1', StaticPods, id) as unknown as {
      spec: { containers: readonly [{ command: readonly string[] }] };
    };
    return pod.spec.containers[0].command;
  };

  it('etcd of the first member', () => {
    const initial = {
      'initial-advertise-peer-urls': 'https://10.0.0.10:2380',
      'initial-cluster': 'cp-1=https://10.0.0.10:2380',
      'initial-cluster-state': 'new',
    };
    expect(etcdRuns('cp-1')).toEqual([
      ['/usr/local/bin/etcd', ...flags({ ...ETCD_FIXED('10.0.0.10', 'cp-1'), ...initial })],
    ]);
  });

  it('etcd of a member that joins: everybody, in the order of their ids', () => {
    const [argv] = etcdRuns('cp-2');
    const members = cluster
      .api('10.0.0.10', MachineService.EtcdMemberList, { queryLocal: true })
      .messages[0]!.members.map(({ id, hostname, peerUrls }) => ({ id, entry: `${hostname}=${peerUrls[0]}` }))
      .sort((a, b) => (BigInt(`0x${a.id}`) < BigInt(`0x${b.id}`) ? -1 : 1));
    const initial = {
      'initial-advertise-peer-urls': 'https://10.0.0.11:2380',
      'initial-cluster': members.map(({ entry }) => entry).join(','),
      'initial-cluster-state': 'existing',
    };
    expect(argv).toEqual(['/usr/local/bin/etcd', ...flags({ ...ETCD_FIXED('10.0.0.11', 'cp-2'), ...initial })]);
  });

  it('kube-apiserver: 40 flags', () => {
    expect(Object.keys(APISERVER)).toHaveLength(40);
    expect(command('kube-apiserver')).toEqual(['/usr/local/bin/kube-apiserver', ...flags(APISERVER)]);
  });

  it('kube-controller-manager', () => {
    expect(command('kube-controller-manager')).toEqual([
      '/usr/local/bin/kube-controller-manager',
      '--use-service-account-credentials',
      ...flags(CONTROLLER_MANAGER),
    ]);
  });

  it('kube-scheduler', () => {
    expect(command('kube-scheduler')).toEqual(['/usr/local/bin/kube-scheduler', ...flags(SCHEDULER)]);
  });

  it('kubelet: flags', () => {
    const kubelet = (machine: string) => cluster.resource(machine, KubeletSpecs, 'kubelet')!;
    const wanted = (name: string, address: string): readonly string[] =>
      flags({
        'bootstrap-kubeconfig': '/etc/kubernetes/bootstrap-kubeconfig',
        'cert-dir': '/var/lib/kubelet/pki',
        config: '/etc/kubernetes/kubelet.yaml',
        'hostname-override': name,
        kubeconfig: '/etc/kubernetes/kubeconfig-kubelet',
        'node-ip': address,
      });
    expect(kubelet('cp-1').args).toEqual(wanted('cp-1', '10.0.0.10'));
    expect(kubelet('worker-1').args).toEqual(wanted('worker-1', '10.0.0.21'));
  });

  it('kubelet: configuration', () => {
    const { staticPodURL, ...config } = cluster.resource('cp-1', KubeletSpecs, 'kubelet')!.config;
    expect(staticPodURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(config).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: '0.0.0.0',
      port: 10_250,
      authentication: {
        x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
        webhook: { enabled: true },
        anonymous: { enabled: false },
      },
      authorization: { mode: 'Webhook' },
      cgroupRoot: '/',
      systemCgroups: '/system',
      kubeletCgroups: '/podruntime/kubelet',
      rotateCertificates: true,
      protectKernelDefaults: true,
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      resolvConf: '/system/resolved/resolv.conf',
      clusterDomain: 'cluster.local',
      clusterDNS: ['10.96.0.10'],
      seccompDefault: true,
      featureGates: { LocalStorageCapacityIsolationFSQuotaMonitoring: true },
      registerWithTaints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
      oomScoreAdj: -450,
      serializeImagePulls: false,
      failSwapOn: false,
      systemReserved: { cpu: '50m', 'ephemeral-storage': '256Mi', memory: '512Mi', pid: '100' },
      logging: { format: 'json' },
      shutdownGracePeriod: '30s',
      shutdownGracePeriodCriticalPods: '10s',
      streamingConnectionIdleTimeout: '5m0s',
      tlsMinVersion: 'VersionTLS13',
    });
    const worker = cluster.resource('worker-1', KubeletSpecs, 'kubelet')!.config;
    expect(worker.registerWithTaints).toBeUndefined();
    expect(worker.systemReserved).toMatchObject({ memory: '384Mi' });
  });

  it('the values beside them (17.5)', () => {
    const endpoints = cluster.resource('cp-1', KubePrismEndpoints, 'k8s-cluster')!.endpoints;
    expect(endpoints.slice(0, 2)).toEqual([
      { host: '10.0.0.5', port: 6443 },
      { host: 'localhost', port: 6443 },
    ]);
    expect(cluster.resources('cp-1', Manifests).map(({ id }) => id)).toEqual([
      '00-kubelet-bootstrapping-token',
      '01-csr-approver-role-binding',
      '01-csr-node-bootstrap',
      '01-csr-renewal-role-binding',
      '05-flannel',
      '10-kube-proxy',
      '11-core-dns',
      '11-core-dns-svc',
      '11-kube-config-in-cluster',
      '11-talos-node-rbac-template',
    ]);
  });

  it('etcd that finds its data gets no initial flags', () => {
    const fromUs = cluster.nowUs;
    cluster.api('10.0.0.11', MachineService.Reboot, { mode: 0 });
    cluster.until(() => etcdRuns('cp-2').length === 2, 3 * MINUTE_US, 'etcd starts again');
    expect(cluster.nowUs).toBeGreaterThan(fromUs);
    expect(etcdRuns('cp-2')[1]).toEqual(['/usr/local/bin/etcd', ...flags(ETCD_FIXED('10.0.0.11', 'cp-2'))]);
  });
});
