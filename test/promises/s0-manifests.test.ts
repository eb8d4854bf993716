import { describe, expect, it } from 'vitest';
import { apiServing } from '../../src/kube/events.ts';
import { manifestsApplied, serviceState } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, CP_1, dmesg, ids, kube, pick, resource } from './look.ts';

const IDS = [
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
];
const MUTEX = 'talos:v1:manifestApplyMutex';

interface KeyValue {
  readonly key: string;
  readonly create_revision: number;
  readonly version: number;
}

describe('the bootstrap manifests', () => {
  const cluster = sharedCluster();

  /** What the nodes say they created, in order of node and time. */
  const created = (): readonly string[] =>
    CONTROL_PLANES.flatMap((node) =>
      dmesg(cluster, node).flatMap((line) => /^\[talos\] created (.*)$/.exec(line)?.[1] ?? []),
    );
  const keys = (query: string): readonly KeyValue[] =>
    pick<KeyValue[] | undefined>(JSON.parse(cluster.ok(`etcdctl get ${query} -w json`)), 'kvs') ?? [];
  /** Gives every control plane its config with a change on top, all at the same moment. */
  const changeAll = (cluster_: object): void => {
    cluster.write('change.yaml', JSON.stringify(cluster_));
    const lines = CONTROL_PLANES.map(
      (node, index) =>
        `talosctl -n ${node} apply-config -f controlplane.yaml --config-patch @patches/cp-${index + 1}.yaml --config-patch @change.yaml`,
    );
    for (const { exitCode, stderr } of cluster.together(lines)) expect(exitCode, stderr).toBe(0);
  };

  it('bring CoreDNS, kube-proxy and flannel once an API server answers', () => {
    const serving = cluster.seen(apiServing).find(({ fields }) => fields.serving)!;
    for (const { timeUs } of cluster.seen(manifestsApplied)) expect(timeUs).toBeGreaterThan(serving.timeUs);
    expect(cluster.ok('kubectl get ds -n kube-system')).toMatch(/kube-flannel +5 +5 +5 [\s\S]*kube-proxy +5 +5 +5 /);
    expect(cluster.ok('kubectl get deploy -n kube-system')).toMatch(/coredns +2\/2 /);
    expect(cluster.ok('kubectl get svc -n kube-system')).toMatch(/kube-dns +ClusterIP +10\.96\.0\.10 /);
  });

  it('are rendered from the config at once and applied when etcd is healthy', () => {
    for (const [index, node] of CONTROL_PLANES.entries()) {
      expect(ids(cluster, node, 'manifests')).toEqual(IDS);
      expect(resource(cluster, node, 'manifest 05-flannel').metadata.owner).toBe('k8s.ManifestController');
      const status = resource(cluster, node, 'manifeststatus manifests');
      expect(status.metadata.owner).toBe('k8s.ManifestApplyController');
      expect(status.spec).toEqual({ manifestsApplied: IDS });
      const name = `cp-${index + 1}`;
      const healthy = cluster
        .seen(serviceState, name)
        .find(({ fields }) => fields.service === 'etcd' && fields.health === 'healthy')!;
      expect(cluster.seen(manifestsApplied, name)[0]!.sequence).toBeGreaterThan(healthy.sequence);
    }
    // Rendered before there was an etcd, applied after it.
    const rendered = Date.parse(resource(cluster, CP_1, 'manifest 05-flannel').metadata.created);
    const member = Date.parse(resource(cluster, CP_1, 'etcdmember local').metadata.created);
    const applied = Date.parse(resource(cluster, CP_1, 'manifeststatus manifests').metadata.created);
    expect(rendered).toBeLessThan(member);
    expect(applied).toBeGreaterThan(member);
  });

  it('are created by one node, in the order of their ids, and by no other once more', () => {
    const lines = created();
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines[0]).toMatch(/^v1\/Secret\/bootstrap-token-\w{6}$/);
    const order = ['kube-flannel', 'kube-proxy', 'coredns', 'kube-dns', 'kubeconfig-in-cluster', 'system:talos-nodes'];
    const positions = order.map((name) => lines.findIndex((line) => line.endsWith(`/${name}`)));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions[0]).toBeGreaterThan(0);
    const perNode = cluster.seen(manifestsApplied).map(({ fields }) => fields.created);
    expect(perNode.filter((count) => count > 0)).toEqual([lines.length]);
    expect(perNode).toHaveLength(3);
    // Nobody else writes cluster roles: they are as they were created.
    for (const { version } of keys('--prefix /registry/clusterroles/')) expect(version).toBe(1);
  });

  it('kube-proxy uses nftables, with a Kubernetes before 1.31 iptables', () => {
    const proxy = kube(cluster, 'ds -n kube-system kube-proxy');
    expect(pick(proxy, 'spec', 'template', 'spec', 'containers', 0, 'command')).toContain('--proxy-mode=nftables');
    changeAll({ cluster: { proxy: { image: 'registry.k8s.io/kube-proxy:v1.30.4' } } });
    cluster.advance('1s');
    expect(pick(resource(cluster, CP_1, 'bootstrapmanifestsconfig manifests').spec, 'proxyArgs')).toContain(
      '--proxy-mode=iptables',
    );
    changeAll({ cluster: { proxy: { image: 'registry.k8s.io/kube-proxy:v1.31.0' } } });
    cluster.advance('1s');
    expect(pick(resource(cluster, CP_1, 'bootstrapmanifestsconfig manifests').spec, 'proxyArgs')).toContain(
      '--proxy-mode=nftables',
    );
  });

  it('flannel is given no MTU, with KubeSpan neither', () => {
    changeAll({ machine: { network: { kubespan: { enabled: true } } } });
    cluster.advance('1s');
    const config = resource(cluster, CP_1, 'manifest 05-flannel').spec as readonly { readonly data?: object }[];
    const networks = config.flatMap(({ data }) => pick<string | undefined>(data, 'net-conf.json') ?? []);
    expect(networks.map((text) => JSON.parse(text))).toEqual([
      { Network: '10.244.0.0/16', Backend: { Type: 'vxlan', Port: 4789 } },
    ]);
  });

  it('three nodes with something new to apply: namespaces, definitions, then the rest, each object once, under one lock', () => {
    const before = created().length;
    const contents = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'late' }, data: { a: '1' } },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets.example.org' },
        spec: { group: 'example.org' },
      },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'early' } },
    ];
    const text = contents.map((object) => JSON.stringify(object)).join('\n---\n');
    changeAll({ cluster: { inlineManifests: [{ name: 'extra', contents: text }] } });
    for (const node of CONTROL_PLANES)
      cluster.until(`talosctl -n ${node} get manifeststatus manifests -o yaml`, '- 99-extra');
    expect(created().length).toBe(before + 4);
    const keyOf = ['namespaces/early', 'namespaces/late', 'customresourcedefinitions/widgets.example.org', 'settings'];
    const made = keys('--prefix /registry/')
      .map(({ key, create_revision }) => ({ key: atob(key), revision: create_revision }))
      .filter(({ key }) => keyOf.some((end) => key.endsWith(`/${end}`)))
      .sort((a, b) => a.revision - b.revision);
    expect(cluster.ok('kubectl get ns')).toMatch(/early +Active [\s\S]*late +Active /);
    expect(made.map(({ key }) => keyOf.findIndex((end) => key.endsWith(`/${end}`)))).toEqual([0, 1, 2, 3]);
    // At each of these moments the lock had an owner, the same throughout, and others stood in line behind it.
    const holders = made.map(({ revision }) => {
      const queue = [...keys(`--prefix ${MUTEX} --rev ${revision}`)].sort(
        (a, b) => a.create_revision - b.create_revision,
      );
      return { first: queue[0]?.key, waiting: queue.length - 1 };
    });
    expect(holders[0]!.first).toBeDefined();
    expect(new Set(holders.map(({ first }) => first)).size).toBe(1);
    expect(Math.max(...holders.map(({ waiting }) => waiting))).toBeGreaterThan(0);
    expect(keys(`--prefix ${MUTEX}`)).toEqual([]);
  });

  it('leave what is there as it is, and bring back what was deleted when they are applied again', () => {
    cluster.write(
      'corefile.yaml',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'coredns', namespace: 'kube-system' },
        data: { Corefile: '.:53 { whoami }' },
      }),
    );
    cluster.ok('kubectl apply -f corefile.yaml');
    cluster.ok('kubectl delete svc kube-dns -n kube-system');
    const before = created();
    changeAll({ cluster: { inlineManifests: [] } });
    changeAll({ cluster: { inlineManifests: [{ name: 'again', contents: '{}' }] } });
    cluster.until('kubectl get svc -n kube-system', 'kube-dns');
    expect(created().slice().sort()).toEqual([...before, 'v1/Service/kube-dns'].sort());
    expect(pick(kube(cluster, 'cm -n kube-system coredns'), 'data')).toEqual({ Corefile: '.:53 { whoami }' });
    expect(cluster.ok('kubectl get cm -n kube-system')).not.toContain('inventory');
  });
});
