/** Accessors and their defaults (reference/network-config.md E.2, E.3; v1.11.3.md 1, 8). */
import { describe, expect, test } from 'vitest';
import { type Provider, provider } from '../../../src/config/access/provider.ts';
import { controlPlane, load, type Section, worker } from '../support.ts';

const read = (text: string): Provider => provider(load(text));

describe('defaults', () => {
  const { machine, cluster, persist, debug, completeForBoot } = read(worker());

  test('of the root', () => {
    expect([persist, debug, completeForBoot]).toEqual([true, false, true]);
    expect(read('apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: a\n').completeForBoot).toBe(false);
  });

  test('of images (v1.11.3.md 1)', () => {
    expect(machine.kubelet.image).toBe('ghcr.io/siderolabs/kubelet:v1.34.1');
    expect(machine.install.image).toBe('ghcr.io/siderolabs/installer:v1.11.3');
    expect(cluster.etcd.image).toBe('gcr.io/etcd-development/etcd:v3.6.5');
    expect(cluster.coreDNS).toEqual({ enabled: true, image: 'registry.k8s.io/coredns/coredns:v1.12.4' });
    expect(cluster.apiServer.image).toBe('registry.k8s.io/kube-apiserver:v1.34.1');
    expect(cluster.controllerManager.image).toBe('registry.k8s.io/kube-controller-manager:v1.34.1');
    expect(cluster.scheduler.image).toBe('registry.k8s.io/kube-scheduler:v1.34.1');
    expect(cluster.proxy).toMatchObject({ enabled: true, image: 'registry.k8s.io/kube-proxy:v1.34.1' });
  });

  test('of the cluster network', () => {
    expect(cluster.network).toEqual({
      cni: { name: 'flannel', urls: [], flannelExtraArgs: [] },
      dnsDomain: 'cluster.local',
      podCIDRs: ['10.244.0.0/16'],
      serviceCIDRs: ['10.96.0.0/12'],
      apiServerIPs: ['10.96.0.1'],
      dnsServiceIPs: ['10.96.0.10'],
    });
  });

  test('of ports, times and switches', () => {
    expect(machine.features.kubePrism).toEqual({ enabled: false, port: 7445 });
    expect(machine.features.nodeAddressSortAlgorithm).toBe('v1');
    expect(machine.time).toEqual({ disabled: false, servers: [], bootTimeoutUs: 0 });
    expect(cluster.localAPIServerPort).toBe(6443);
    expect(cluster.adminKubeconfigCertLifetimeUs).toBe(365 * 24 * 3600 * 1_000_000);
    expect(cluster.scheduleOnControlPlanes).toBe(false);
    expect(cluster.discovery).toEqual({
      enabled: false,
      kubernetesEnabled: false,
      serviceEnabled: false,
      serviceEndpoint: 'https://discovery.talos.dev/',
    });
    expect(machine.network.kubespan).toMatchObject({ enabled: false, forceRouting: true, mtu: 1420 });
  });

  test('an audit policy exists without one in the config', () => {
    expect(cluster.apiServer.auditPolicy).toEqual({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [{ level: 'Metadata' }],
    });
  });

  test('a config without the legacy document reads like an empty one', () => {
    const empty = read('apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: a\n');
    expect(empty.machine.type).toBe('worker');
    expect(empty.cluster.endpoint).toBe('');
    expect(empty.documents('WatchdogTimerConfig')).toHaveLength(1);
  });
});

describe('what the config says', () => {
  test('types and their synonyms', () => {
    expect(['worker', 'join', '', 'controlplane', 'init'].map((type) => read(worker({ type })).machine.type)).toEqual([
      'worker',
      'worker',
      'worker',
      'controlplane',
      'init',
    ]);
  });

  test('authorities are PEM text', () => {
    const { machine } = read(controlPlane({ acceptedCAs: [{ crt: 'Zm9v' }] }));
    expect(machine.ca).toEqual({ crt: 'foo', key: 'bar' });
    expect(machine.acceptedCAs).toEqual(['foo']);
  });

  test('interfaces', () => {
    const entry: Section = {
      interface: 'eth0',
      addresses: ['10.0.0.5/24'],
      mtu: 9000,
      routes: [{ network: '0.0.0.0/0', gateway: '10.0.0.1', metric: 5 }],
      vip: { ip: '10.0.0.9', hcloud: { apiToken: 't' } },
      vlans: [{ vlanId: 7, dhcp: true }],
    };
    const { devices } = read(
      worker({ network: { hostname: 'a', interfaces: [entry, { interface: 'eth1', dhcp: true }] } }),
    ).machine.network;
    expect(devices[0]).toMatchObject({
      interface: 'eth0',
      addresses: ['10.0.0.5/24'],
      mtu: 9000,
      dhcp: false,
      routes: [{ network: '0.0.0.0/0', gateway: '10.0.0.1', source: '', metric: 5, mtu: 0 }],
      vip: { ip: '10.0.0.9', hcloudToken: 't', equinixMetalToken: undefined },
      vlans: [{ id: 7, dhcp: true, addresses: [] }],
    });
    expect(devices[1]!.dhcpOptions).toEqual({ routeMetric: 1024, ipv4: true, ipv6: false, duidv6: '' });
  });

  test('the single address of old configs takes the place of the list (E.2.1)', () => {
    const { devices } = read(worker({ network: { interfaces: [{ interface: 'a', cidr: '10.0.0.1/8' }] } })).machine
      .network;
    expect(devices[0]!.addresses).toEqual(['10.0.0.1/8']);
  });

  test('both spellings of scheduling on control planes, the newer one first', () => {
    const of = (cluster: Section): boolean => read(worker({}, cluster)).cluster.scheduleOnControlPlanes;
    expect(of({ allowSchedulingOnMasters: true })).toBe(true);
    expect(of({ allowSchedulingOnMasters: true, allowSchedulingOnControlPlanes: false })).toBe(false);
  });

  test('discovery registries count only while discovery is on', () => {
    const of = (discovery: Section) => read(worker({}, { discovery })).cluster.discovery;
    expect(of({ enabled: true })).toMatchObject({ kubernetesEnabled: true, serviceEnabled: true });
    expect(of({ enabled: true, registries: { kubernetes: { disabled: true } } })).toMatchObject({
      kubernetesEnabled: false,
    });
    expect(of({ enabled: false, registries: { service: {} } })).toMatchObject({ serviceEnabled: false });
  });

  test('etcd subnets: the old single one, and listening as advertised', () => {
    const of = (etcd: Section) => read(controlPlane({}, { etcd })).cluster.etcd;
    expect(of({ subnet: '10.0.0.0/8' })).toMatchObject({
      advertisedSubnets: ['10.0.0.0/8'],
      listenSubnets: ['10.0.0.0/8'],
    });
    expect(of({ advertisedSubnets: ['a'], listenSubnets: ['b'] })).toMatchObject({
      advertisedSubnets: ['a'],
      listenSubnets: ['b'],
    });
  });

  test('service networks give the addresses of API and DNS', () => {
    const { network } = read(worker({}, { network: { serviceSubnets: ['172.20.0.0/16', 'fd00::/112'] } })).cluster;
    expect(network.apiServerIPs).toEqual(['172.20.0.1', 'fd00::1']);
    expect(network.dnsServiceIPs).toEqual(['172.20.0.10', 'fd00::a']);
  });

  test('an install selector is an expression over disks (E.2.2)', () => {
    const { install } = read(worker({ install: { diskSelector: { size: '>= 100GB', type: 'ssd' } } })).machine;
    expect(install.diskMatch).toContain('disk.size >=');
    expect(install.diskMatch).toContain('!disk.rotational');
  });
});
