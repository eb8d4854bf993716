import { describe, expect, it } from 'vitest';
import { Cluster as DiscoveryService } from '../../src/api/discovery.ts';
import { utf8Encode } from '../../src/platform/bytes.ts';
import type { Task } from '../../src/platform/task.ts';
import { type Cluster, sharedCluster } from './cluster.ts';

const VIP = '10.0.0.5';
const SECOND_US = 1_000_000;
const NO_KUBEPRISM = `-p '{"machine":{"features":{"kubePrism":{"enabled":false}}}}'`;
const NAMES: Readonly<Record<string, string>> = { '10.0.0.10': 'cp-1', '10.0.0.11': 'cp-2', '10.0.0.12': 'cp-3' };
const ALL = '10.0.0.10,10.0.0.11,10.0.0.12';

/** Which nodes hold the virtual address, as their addresses show it. */
function holders(cluster: Cluster, nodes = ALL): string[] {
  const { stdout } = cluster.type(`talosctl get addresses -n ${nodes}`);
  return [...stdout.matchAll(/^(\S+) .*eth0\/10\.0\.0\.5\/32/gm)].map(([, node]) => node!);
}

/** Sealed records that the discovery service holds for a cluster id, as anybody may ask for them. */
function discovered(cluster: Cluster, clusterId: string): Uint8Array[] {
  const records: Uint8Array[] = [];
  let done = false;
  cluster.session.asOperator('stranger', function* (_shell, { rpc }): Task<void> {
    const channel = rpc.channel([{ address: '203.0.113.10', port: 443 }], {
      tls: { serverName: 'discovery.talos.dev' },
    });
    const answer = yield* channel.unary(DiscoveryService.List, { clusterId });
    records.push(...answer.affiliates.map(({ data }) => data));
    channel.close();
    done = true;
  });
  cluster.session.world.simulation.runUntil(() => done, { untilUs: cluster.nowUs + 10 * SECOND_US });
  return records;
}

function contains(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes).includes(Buffer.from(utf8Encode(text)));
}

describe('the endpoint, discovery and KubePrism', () => {
  const cluster = sharedCluster();

  it('one address is in kubeconfig, certificates and the kubelets that have no KubePrism', () => {
    expect(cluster.ok('kubectl cluster-info')).toContain(`is running at https://${VIP}:6443`);
    expect(cluster.read('/root/.kube/config')).toContain(`server: https://${VIP}:6443`);
    expect(cluster.read('controlplane.yaml')).toContain(`endpoint: https://${VIP}:6443`);
    expect(cluster.read('worker.yaml')).toContain(`endpoint: https://${VIP}:6443`);
    for (const node of ALL.split(','))
      expect(cluster.ok(`talosctl get certsans k8s -n ${node} -o jsonpath={.spec.ips}`)).toContain(VIP);
    const bootstrap = 'talosctl read /etc/kubernetes/bootstrap-kubeconfig -n';
    expect(cluster.ok(`${bootstrap} 10.0.0.21`)).toContain('server: https://127.0.0.1:7445');
    cluster.ok(`talosctl apply-config -n 10.0.0.22 -f worker.yaml -p @patches/worker-2.yaml ${NO_KUBEPRISM}`);
    cluster.advance('1m');
    expect(cluster.ok(`${bootstrap} 10.0.0.22`)).toContain(`server: https://${VIP}:6443`);
  });

  it('the patch of the virtual address and the settings of KubePrism are in force', () => {
    const config = cluster.ok('talosctl get mc v1alpha1 -n 10.0.0.10 -o yaml');
    expect(config).toContain(
      '                - deviceSelector:\n                    physical: true\n                  dhcp: true\n                  vip:\n                    ip: 10.0.0.5\n',
    );
    expect(config).toContain('            kubePrism:\n                enabled: true\n                port: 7445\n');
    expect(cluster.ok('talosctl get operatorspecs -n 10.0.0.10')).toMatch(/vip\/eth0/);
    expect(holders(cluster)).toEqual(['10.0.0.10']);
    expect(cluster.ok('talosctl get kubeprismstatuses -n 10.0.0.21')).toMatch(
      /KubePrismStatus +k8s-loadbalancer +\d+ +127\.0\.0\.1:7445 +true/,
    );
    expect(cluster.ok('talosctl get kubeprismstatuses -n 10.0.0.22').trimEnd().split('\n')).toHaveLength(1);
  });

  it('members feed the table of members and the upstreams of KubePrism', () => {
    const members = cluster.ok('talosctl get members -n 10.0.0.21').trimEnd().split('\n').slice(1);
    expect(members).toHaveLength(5);
    const controlPlanes = members.filter((line) => line.includes('controlplane'));
    const addresses = controlPlanes.flatMap((line) => JSON.parse(line.slice(line.indexOf('["'))) as string[]);
    const upstreams = cluster.ok('talosctl get kubeprismendpoints -n 10.0.0.21 -o jsonpath={.spec.endpoints[*].host}');
    expect(new Set(upstreams.trim().split(' '))).toEqual(new Set(addresses));
  });

  it('the table of members is exact, and VERSION counts how often the asked node saw a record change', () => {
    const table = (node: string): string => cluster.ok(`talosctl get members -n ${node}`);
    expect(table('10.0.0.21')).toBe(
      [
        'NODE        NAMESPACE   TYPE     ID         VERSION   HOSTNAME   MACHINE TYPE   OS                ADDRESSES',
        '10.0.0.21   cluster     Member   cp-1       2         cp-1       controlplane   Talos (v1.11.3)   ["10.0.0.5","10.0.0.10"]',
        '10.0.0.21   cluster     Member   cp-2       1         cp-2       controlplane   Talos (v1.11.3)   ["10.0.0.11"]',
        '10.0.0.21   cluster     Member   cp-3       1         cp-3       controlplane   Talos (v1.11.3)   ["10.0.0.12"]',
        '10.0.0.21   cluster     Member   worker-1   1         worker-1   worker         Talos (v1.11.3)   ["10.0.0.21"]',
        '10.0.0.21   cluster     Member   worker-2   1         worker-2   worker         Talos (v1.11.3)   ["10.0.0.22"]',
        '',
      ].join('\n'),
    );
    // A control plane changes once more for others when it takes the virtual address; a worker never does.
    const versions = (node: string): Record<string, number> =>
      Object.fromEntries(
        [...table(node).matchAll(/Member +(\S+) +(\d+) /g)].map(([, id, version]) => [id!, Number(version)]),
      );
    expect(versions('10.0.0.22')).toEqual({ 'cp-1': 2, 'cp-2': 1, 'cp-3': 1, 'worker-1': 1, 'worker-2': 1 });
    // Its own record it sees from the first moment on: address of the boot, its loss when the config comes, and so on.
    expect(versions('10.0.0.10')).toEqual({ 'cp-1': 4, 'cp-2': 1, 'cp-3': 1, 'worker-1': 1, 'worker-2': 1 });
    const json = JSON.parse(cluster.ok('talosctl get members cp-1 -n 10.0.0.21 -o json')) as {
      readonly metadata: { readonly version: number };
      readonly spec: { readonly addresses: readonly string[]; readonly controlPlane: unknown };
    };
    expect(json.metadata.version).toBe(2);
    expect(json.spec).toMatchObject({ addresses: [VIP, '10.0.0.10'], controlPlane: { port: 6443 } });
  });

  it('the discovery service holds five records that say nothing to whoever has no key', () => {
    const id = cluster.ok('talosctl get discoveryconfig -n 10.0.0.10 -o jsonpath={.spec.serviceClusterID}').trim();
    expect(cluster.ok('talosctl get discoveryconfig -n 10.0.0.10 -o yaml')).toContain(
      'serviceEndpoint: discovery.talos.dev:443',
    );
    const records = discovered(cluster, id);
    expect(records).toHaveLength(5);
    for (const record of records) {
      expect(record.length).toBeLessThan(300);
      for (const word of ['cp-', 'worker', 'controlplane', 'Talos', VIP]) expect(contains(record, word)).toBe(false);
    }
    expect(discovered(cluster, 'somebody-elses')).toEqual([]);
    // Members show what is in them: name, role, addresses.
    expect(cluster.ok('talosctl get members cp-2 -n 10.0.0.21 -o yaml')).toMatch(
      /addresses:\n +- 10\.0\.0\.11\n +hostname: cp-2\n +machineType: controlplane/,
    );
  });

  it('discovery may be moved to a service of your own or switched off', () => {
    const apply = 'talosctl apply-config -n 10.0.0.21 -f worker.yaml -p @patches/worker-1.yaml -p @discovery.yaml';
    cluster.write(
      'discovery.yaml',
      'cluster:\n  discovery:\n    registries:\n      service: { endpoint: "https://discovery.example.org/" }\n',
    );
    cluster.ok(apply);
    cluster.advance('5s');
    expect(cluster.ok('talosctl get discoveryconfig -n 10.0.0.21 -o yaml')).toContain(
      'serviceEndpoint: discovery.example.org:443',
    );
    cluster.write('discovery.yaml', 'cluster: { discovery: { enabled: false } }\n');
    cluster.ok(apply);
    cluster.advance('5s');
    expect(cluster.ok('talosctl get discoveryconfig -n 10.0.0.21 -o yaml')).toContain('discoveryEnabled: false');
    // What breaks: it knows nobody, and health has nobody to ask.
    expect(cluster.ok('talosctl get members -n 10.0.0.21').trimEnd().split('\n')).toHaveLength(1);
    expect(cluster.refused('talosctl health -n 10.0.0.21')).toContain('cluster discovery is disabled');
    cluster.ok('talosctl apply-config -n 10.0.0.21 -f worker.yaml -p @patches/worker-1.yaml');
    cluster.until('talosctl get members -n 10.0.0.21', 'cp-1', '2m');
  });

  it('the address moves within a few seconds when its holder goes down in order', () => {
    const startUs = cluster.nowUs;
    cluster.ok('talosctl reboot -n 10.0.0.10 --wait=false');
    while (holders(cluster, '10.0.0.11,10.0.0.12').length === 0 && cluster.nowUs - startUs < 120 * SECOND_US)
      cluster.advance('500ms');
    expect((cluster.nowUs - startUs) / SECOND_US).toBeLessThan(6);
    cluster.ok('talosctl health -n 10.0.0.11 -e 10.0.0.11');
  });

  it('after a crash it takes the rest of a lease, and all that time nobody answers', () => {
    const [holder] = holders(cluster);
    const others = ALL.split(',').filter((node) => node !== holder);
    cluster.ok(`talosctl config endpoint ${others.join(' ')}`);
    const startUs = cluster.nowUs;
    cluster.fault(`power-off ${NAMES[holder!]}`);
    cluster.advance('20s');
    expect(holders(cluster, others.join(','))).toEqual([]);
    expect(cluster.type('timeout 10s kubectl get nodes').exitCode).not.toBe(0);
    while (holders(cluster, others.join(',')).length === 0 && cluster.nowUs - startUs < 180 * SECOND_US)
      cluster.advance('1s');
    expect((cluster.nowUs - startUs) / SECOND_US).toBeGreaterThan(30);
    expect((cluster.nowUs - startUs) / SECOND_US).toBeLessThan(75);
    cluster.until('kubectl get nodes', /worker-2 +Ready/, '3m');
  });

  it('as endpoint of talosctl the address is gone when it is needed most: without quorum nobody holds it', () => {
    const alive = ALL.split(',').filter((node) => cluster.session.world.machine(NAMES[node]!).state !== 'off');
    expect(cluster.ok(`talosctl version -n ${alive[0]} -e ${VIP}`)).toContain(`NODE:        ${alive[0]}`);
    cluster.fault(`power-off ${NAMES[alive[1]!]}`);
    cluster.advance('2m');
    expect(holders(cluster, alive[0])).toEqual([]);
    expect(cluster.type(`timeout 1m talosctl version -n ${alive[0]} -e ${VIP}`).exitCode).not.toBe(0);
    expect(cluster.ok(`talosctl version -n ${alive[0]} -e ${alive[0]}`)).toContain(`NODE:        ${alive[0]}`);
  });
});
