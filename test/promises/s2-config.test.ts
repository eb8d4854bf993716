import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sharedCluster } from './cluster.ts';

/** The example of the page: what an operator writes for one node. */
const EXAMPLE = `version: v1alpha1
machine:
  type: controlplane
  install:
    disk: /dev/sda
    image: ghcr.io/siderolabs/installer:v1.9.0
  network:
    hostname: cp-1
    interfaces:
      - interface: eth0
        addresses:
          - 198.51.100.11/24
        routes:
          - network: 0.0.0.0/0
            gateway: 198.51.100.1
cluster:
  network:
    cni:
      name: none
`;

/** Discovery, the registry of Kubernetes and KubeSpan as the page sets them. */
const DISCOVERY = `cluster:
  discovery:
    enabled: true
    registries:
      kubernetes:
        disabled: true
      service:
        endpoint: https://discovery.talos.dev/
machine:
  network:
    kubespan:
      enabled: true
`;

/** Sections that the page names. */
const SECTIONS = `machine:
  kernel:
    modules:
      - name: br_netfilter
  certSANs: [api.example.org]
cluster:
  apiServer:
    certSANs: [k8s.example.org]
  etcd:
    advertisedSubnets: [10.0.0.0/24]
  network:
    podSubnets: [10.200.0.0/16]
`;

const VIP_PATCH = `machine:
  network:
    interfaces:
      - deviceSelector:
          physical: true
        dhcp: true
        vip:
          ip: 10.0.0.5
cluster:
  controlPlane:
    endpoint: https://10.0.0.5:6443
`;

interface Config {
  readonly version: string;
  readonly machine: Readonly<Record<string, unknown>> & {
    readonly type: string;
    readonly install: Readonly<Record<string, unknown>>;
    readonly network: { readonly hostname: string; readonly interfaces: readonly unknown[] };
    readonly features: { readonly kubePrism: unknown };
  };
  readonly cluster: Readonly<Record<string, unknown>> & { readonly network: { readonly cni: unknown } };
}

describe('one document describes a node', () => {
  const cluster = sharedCluster({ through: 'maintenance' });
  const config = (path: string): Config => parse(cluster.read(path)) as Config;

  it('has the sections machine and cluster, with secrets shared by all of them', () => {
    const [own, worker] = [config('controlplane.yaml'), config('worker.yaml')];
    expect([own.version, own.machine.type, worker.machine.type]).toEqual(['v1alpha1', 'controlplane', 'worker']);
    for (const [section, names] of [
      ['machine', ['type', 'token', 'ca', 'certSANs', 'kubelet', 'network', 'install', 'features']],
      ['cluster', ['id', 'secret', 'controlPlane', 'clusterName', 'network', 'token', 'ca', 'apiServer', 'etcd']],
    ] as const)
      for (const name of names) expect(Object.keys(own[section]), section).toContain(name);
    for (const name of ['id', 'secret', 'token']) expect(worker.cluster[name]).toBe(own.cluster[name]);
    expect(own.machine.features.kubePrism).toEqual({ enabled: true, port: 7445 });
  });

  it('takes the example of the page as it stands', () => {
    cluster.write('example.yaml', EXAMPLE);
    cluster.ok('talosctl machineconfig patch controlplane.yaml --patch @example.yaml -o cp.yaml');
    expect(cluster.ok('talosctl validate --config cp.yaml --mode metal')).toBe('cp.yaml is valid for metal mode\n');
    const { machine, cluster: section } = config('cp.yaml');
    expect(machine.install).toMatchObject({ disk: '/dev/sda', image: 'ghcr.io/siderolabs/installer:v1.9.0' });
    expect(machine.network).toEqual({
      hostname: 'cp-1',
      interfaces: [
        {
          interface: 'eth0',
          addresses: ['198.51.100.11/24'],
          routes: [{ network: '0.0.0.0/0', gateway: '198.51.100.1' }],
        },
      ],
    });
    expect(section.network.cni).toEqual({ name: 'none' });
  });

  it('differs between nodes by patches, offline and with one command for the node', () => {
    cluster.ok('talosctl machineconfig patch controlplane.yaml --patch @patches/cp-2.yaml -o cp-2.yaml');
    const [base, patched] = [config('controlplane.yaml'), config('cp-2.yaml')];
    expect(patched.machine.network.hostname).toBe('cp-2');
    expect({ ...patched.machine, network: {} }).toEqual({ ...base.machine, network: {} });
    for (const name of ['id', 'ca', 'controlPlane', 'network'])
      expect(patched.cluster[name]).toEqual(base.cluster[name]);
    const { stdout } = cluster.type('talosctl machineconfig patch controlplane.yaml --patch @patches/cp-2.yaml');
    expect(parse(stdout)).toEqual(patched);
    expect(cluster.refused('talosctl machineconfig patch controlplane.yaml --patch @none.yaml')).toContain('none.yaml');
    cluster.ok(
      'talosctl apply-config --insecure --nodes 10.0.0.11 --file controlplane.yaml --config-patch @patches/cp-2.yaml',
    );
    cluster.until('talosctl -n 10.0.0.11 -e 10.0.0.11 get hostname', 'cp-2', '2m');
    const active = cluster.ok('talosctl -n 10.0.0.11 -e 10.0.0.11 get mc v1alpha1 -o yaml');
    expect(parse((parse(active) as { spec: string }).spec)).toEqual(patched);
  });

  it('takes effect: network, disk, certificates, kernel modules, API server, etcd and pod network', () => {
    cluster.write('sections.yaml', SECTIONS);
    cluster.ok('talosctl machineconfig patch cp-2.yaml --patch @sections.yaml -o full.yaml');
    expect(cluster.ok('talosctl validate --config full.yaml --mode metal')).toContain('is valid');
    const at = 'talosctl -n 10.0.0.11 -e 10.0.0.11';
    cluster.type(`${at} apply-config -f full.yaml`);
    cluster.until(`${at} get certsans api -o yaml`, 'api.example.org', '3m');
    expect(cluster.ok(`${at} get certsans k8s -o yaml`)).toContain('k8s.example.org');
    expect(cluster.ok(`${at} get systemdisk`)).toMatch(/system-disk +\d+ +sda/);
    expect(cluster.ok(`${at} get addresses`)).toContain('eth0/10.0.0.11/24');
    expect(cluster.ok(`${at} get etcdspecs -o yaml`)).toMatch(/advertisedAddresses:\n +- 10\.0\.0\.11\n/);
    expect(cluster.ok(`${at} get controllermanagerconfigs -o yaml`)).toContain('10.200.0.0/16');
  });

  it('is refused whole when it is wrong: the node stays as it was described before', () => {
    const at = 'talosctl -n 10.0.0.11 -e 10.0.0.11';
    const before = cluster.ok(`${at} get mc v1alpha1 -o yaml`);
    for (const [patch, complaint] of [
      [`'{"machine":{"tpye":"worker"}}'`, 'tpye'],
      [`'{"cluster":{"controlPlane":{"endpoint":"nowhere"}}}'`, 'nowhere'],
      [`'{"machine":{"type":"gateway"}}'`, 'gateway'],
    ] as const) {
      const refusal = cluster.refused(`${at} apply-config -f full.yaml -p ${patch}`);
      expect(refusal).toContain(complaint);
    }
    expect(cluster.ok(`${at} get mc v1alpha1 -o yaml`)).toBe(before);
    expect(cluster.refused(`${at} apply-config -f full.yaml -m interactive`)).toContain('is not simulated');
  });

  it('is old or new after a power cut, never between', () => {
    const at = 'talosctl -n 10.0.0.11 -e 10.0.0.11';
    const names: string[] = [];
    for (const [index, cutAfterMs] of [4, 8, 12, 2000].entries()) {
      cluster.write('label.yaml', `machine: { nodeLabels: { try: "${index}" } }\n`);
      const cutUs = cluster.nowUs + cutAfterMs * 1000;
      cluster.type(`timeout ${cutAfterMs}ms ${at} apply-config -f full.yaml -p @label.yaml`);
      cluster.advance(`${Math.max(0, cutUs - cluster.nowUs)}us`);
      cluster.fault('power-off cp-2');
      cluster.advance('1s');
      cluster.fault('power-on cp-2');
      cluster.until(`${at} get mc v1alpha1`, 'v1alpha1', '3m');
      const active = parse(cluster.ok(`${at} get mc v1alpha1 -o yaml`)) as { spec: string };
      const spec = parse(active.spec) as Config;
      const labels = spec.machine.nodeLabels as Readonly<Record<string, string>> | undefined;
      names.push(labels?.try ?? 'none');
      expect({ ...spec, machine: { ...spec.machine, nodeLabels: undefined } }).toEqual({
        ...config('full.yaml'),
        machine: { ...config('full.yaml').machine, nodeLabels: undefined },
      });
    }
    expect(names.at(-1)).toBe('3');
  });

  it('settings of the shared address, of KubePrism, of discovery and KubeSpan are accepted as written', () => {
    for (const [name, text] of [
      ['vip', VIP_PATCH],
      ['discovery', DISCOVERY],
      ['kubeprism', 'machine: { features: { kubePrism: { enabled: true, port: 7445 } } }\n'],
    ] as const) {
      cluster.write(`${name}-patch.yaml`, text);
      cluster.ok(`talosctl machineconfig patch controlplane.yaml -p @${name}-patch.yaml -o ${name}.yaml`);
      expect(cluster.ok(`talosctl validate -c ${name}.yaml -m metal --strict`)).toBe(
        `${name}.yaml is valid for metal mode\n`,
      );
    }
    expect(config('vip.yaml').machine.network.interfaces).toEqual(
      (parse(VIP_PATCH) as Config).machine.network.interfaces,
    );
    expect(config('vip.yaml').cluster.controlPlane).toEqual({ endpoint: 'https://10.0.0.5:6443' });
    expect(config('discovery.yaml').cluster.discovery).toEqual((parse(DISCOVERY) as Config).cluster.discovery);
    expect(cluster.read('discovery.yaml')).toMatch(/kubespan:\n +enabled: true/);
    cluster.ok('talosctl gen config span https://10.0.0.5:6443 --with-kubespan -o span');
    expect(cluster.read('span/worker.yaml')).toMatch(/kubespan:\n +enabled: true/);
  });
});
