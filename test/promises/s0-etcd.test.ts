import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { etcdMember, etcdPhase, manifestsApplied, serviceState, staticPods } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, CP_1, CP_2, CP_3, edgesOf, etcdStarts, ids, logObjects, resource, WORKER_1 } from './look.ts';

const SECOND_US = 1_000_000;

describe('etcd of a cluster of three', () => {
  const cluster = sharedCluster();

  it('comes about in four stages: config, spec, PKI, service, each made from the one before', () => {
    const edges = edgesOf(cluster.ok(`talosctl -n ${CP_1} inspect dependencies`));
    const reads = (controller: string) => edges.filter(({ to }) => to === controller).map(({ from }) => from);
    for (const node of CONTROL_PLANES) {
      expect(resource(cluster, node, 'etcdconfig etcd').metadata.owner).toBe('etcd.ConfigController');
      expect(resource(cluster, node, 'etcdspec etcd').metadata.owner).toBe('etcd.SpecController');
      expect(resource(cluster, node, 'pkistatus etcd').metadata.owner).toBe('etcd.PKIController');
      expect(cluster.ok(`talosctl -n ${node} service etcd`)).toMatch(/STATE +Running/);
    }
    expect(reads('etcd.ConfigController')).toEqual(['MachineConfigs.config.talos.dev']);
    expect(reads('etcd.SpecController')).toContain('EtcdConfigs.etcd.talos.dev');
    expect(reads('etcd.PKIController')).toContain('EtcdSecrets.secrets.talos.dev');
    // The service waited for the spec before it did anything else.
    const waiting = cluster.seen(serviceState, 'cp-1').filter(({ fields }) => fields.service === 'etcd');
    expect(waiting.some(({ fields }) => fields.state === 'Waiting' && fields.message.includes('etcd spec'))).toBe(true);
  });

  it('is of control planes only: a worker has none of the stages', () => {
    for (const type of ['etcdconfigs', 'etcdspecs', 'pkistatuses', 'etcdmembers']) {
      expect(ids(cluster, WORKER_1, type), type).toEqual([]);
      expect(ids(cluster, CP_1, type), type).toHaveLength(1);
    }
    expect(cluster.refused(`talosctl -n ${WORKER_1} service etcd`)).toContain('service "etcd" is not registered');
    expect(cluster.ok(`talosctl -n ${WORKER_1} list -r /system/secrets`)).not.toContain('etcd');
  });

  it('the spec has one routed address of the node and never the virtual address that the node holds', () => {
    const holder = resource(cluster, CP_1, 'nodeaddress routed-no-k8s').spec;
    expect(holder).toMatchObject({ addresses: ['10.0.0.5/32', '10.0.0.10/24'] });
    expect(resource(cluster, CP_1, 'etcdspec etcd').spec).toEqual({
      name: 'cp-1',
      advertisedAddresses: ['10.0.0.10'],
      listenPeerAddresses: ['0.0.0.0'],
      listenClientAddresses: ['0.0.0.0'],
      image: 'gcr.io/etcd-development/etcd:v3.6.5',
      extraArgs: {},
    });
    const members = cluster.ok('etcdctl member list');
    expect(members).toContain('https://10.0.0.10:2380, https://10.0.0.10:2379');
    expect(members).not.toContain('10.0.0.5:');
    for (const node of CONTROL_PLANES) expect(JSON.stringify(etcdStarts(cluster, node))).not.toContain('10.0.0.5:');
  });

  it('the PKI is an authority and the pairs of server, peer and admin in /system/secrets/etcd', () => {
    const listed = cluster.ok(`talosctl -n ${CP_2} list /system/secrets/etcd`);
    const names = listed.trimEnd().split('\n').slice(1);
    expect(names.map((row) => row.split(/ +/)[1])).toEqual([
      '.',
      ...['admin.crt', 'admin.key', 'ca.crt', 'ca.key', 'peer.crt', 'peer.key', 'server.crt', 'server.key'],
    ]);
    expect(cluster.ok(`talosctl -n ${CP_2} read /system/secrets/etcd/peer.crt`)).toContain('BEGIN CERTIFICATE');
    const status = resource(cluster, CP_2, 'pkistatus etcd').spec;
    expect(status).toEqual({
      ready: true,
      version: String(resource(cluster, CP_2, 'etcdsecrets etcd').metadata.version),
    });
  });

  it('the server demands certificates of clients and peers, and takes its ciphers from Talos', () => {
    const [flags] = etcdStarts(cluster, CP_1);
    expect(flags).toMatchObject({
      'client-cert-auth': 'true',
      'peer-client-cert-auth': 'true',
      'auto-tls': 'false',
      'peer-auto-tls': 'false',
      'cert-file': '/system/secrets/etcd/server.crt',
      'peer-cert-file': '/system/secrets/etcd/peer.crt',
      'trusted-ca-file': '/system/secrets/etcd/ca.crt',
      'peer-trusted-ca-file': '/system/secrets/etcd/ca.crt',
      'data-dir': '/var/lib/etcd',
    });
    const variable = logObjects(cluster, CP_1, 'etcd').find((line) => line['variable-name'] === 'ETCD_CIPHER_SUITES');
    expect(variable?.['variable-value']).toMatch(/^(TLS_ECDHE_(RSA|ECDSA)_WITH_[A-Z0-9_]+(,|$)){6}$/);
    // It listens in the network of the host: the node's own address answers.
    expect(cluster.ok('etcdctl --endpoints https://10.0.0.10:2379 endpoint health')).toContain('is healthy');
  });

  it('the node that is bootstrapped founds a cluster of itself alone', () => {
    expect(etcdStarts(cluster, CP_1)).toHaveLength(1);
    expect(etcdStarts(cluster, CP_1)[0]).toMatchObject({
      name: 'cp-1',
      'initial-cluster': 'cp-1=https://10.0.0.10:2380',
      'initial-cluster-state': 'new',
      'initial-advertise-peer-urls': 'https://10.0.0.10:2380',
    });
  });

  it('the others join it as learners, with the members of that moment as their initial cluster', () => {
    const births = cluster.seen(EtcdEvent.MemberStarted).map(({ fields }) => [fields.name, fields.birth]);
    expect(births[0]).toEqual(['cp-1', 'new']);
    expect(births.slice(1).sort()).toEqual([
      ['cp-2', 'join'],
      ['cp-3', 'join'],
    ]);
    const [firstJoiner, lastJoiner] = births.slice(1).map(([name]) => name!);
    const flags = (name: string) => etcdStarts(cluster, name === 'cp-2' ? CP_2 : CP_3)[0]!;
    const clusterOf = (name: string) => flags(name)['initial-cluster']!.split(',').sort();
    const url = (name: string) => `${name}=https://10.0.0.1${Number(name.slice(-1)) - 1}:2380`;
    expect(flags(firstJoiner!)['initial-cluster-state']).toBe('existing');
    expect(clusterOf(firstJoiner!)).toEqual(['cp-1', firstJoiner!].map(url).sort());
    expect(clusterOf(lastJoiner!)).toEqual(['cp-1', 'cp-2', 'cp-3'].map(url).sort());
    // Each was added as a learner under the id that it then runs with, and promoted later.
    for (const name of ['cp-2', 'cp-3']) {
      const phases = cluster.seen(etcdPhase, name).map(({ fields }) => fields);
      const { memberId } = cluster.seen(EtcdEvent.MemberReady, name)[0]!.fields;
      expect(phases.map(({ phase }) => phase)).toEqual(['waiting-to-join', 'learner-added', 'promoted']);
      expect(phases.slice(1).map((phase) => phase.memberId)).toEqual([memberId, memberId]);
      expect(cluster.ok('etcdctl member list')).toContain(`${memberId.replace(/^0+/, '')}, started, ${name}`);
    }
  });

  it('health is asked 5 s after the start and every 20 s from then on', () => {
    for (const name of ['cp-1', 'cp-2', 'cp-3']) {
      const events = cluster.seen(serviceState, name).filter(({ fields }) => fields.service === 'etcd');
      const started = events.find(({ fields }) => fields.message.startsWith('Started task etcd'))!;
      const probes = events.filter(({ fields }) => /^Health check/.test(fields.message));
      expect(probes.length).toBeGreaterThan(0);
      for (const probe of probes) {
        const afterUs = (probe.timeUs - started.timeUs - 5 * SECOND_US) % (20 * SECOND_US);
        expect(afterUs, `${name}: ${probe.fields.message}`).toBeLessThan(SECOND_US);
      }
    }
  });

  it('nothing that needs etcd happens on a node before its own etcd is healthy: pods, manifests, member id', () => {
    for (const name of ['cp-1', 'cp-2', 'cp-3']) {
      const healthy = cluster
        .seen(serviceState, name)
        .find(({ fields }) => fields.service === 'etcd' && fields.health === 'healthy')!;
      const pods = cluster.seen(staticPods, name).find(({ fields }) => fields.pods.length > 0)!;
      expect(pods.timeUs - healthy.timeUs).toBeLessThan(SECOND_US);
      for (const gated of [pods, cluster.seen(manifestsApplied, name)[0]!, cluster.seen(etcdMember, name)[0]!])
        expect(gated.sequence).toBeGreaterThan(healthy.sequence);
    }
  });

  it('the config takes image, extra arguments and subnets from the machine config; a spec leaves out the virtual address', () => {
    const etcd = { extraArgs: { 'election-timeout': '1500' }, advertisedSubnets: ['10.0.0.0/24'] };
    cluster.write('etcd.yaml', JSON.stringify({ cluster: { etcd } }));
    cluster.ok(
      `talosctl -n ${CP_1} apply-config -f controlplane.yaml --config-patch @patches/cp-1.yaml --config-patch @etcd.yaml`,
    );
    cluster.advance('1s');
    expect(resource(cluster, CP_1, 'etcdconfig etcd').spec).toEqual({
      advertiseValidSubnets: ['10.0.0.0/24'],
      advertiseExcludeSubnets: ['10.0.0.5'],
      listenValidSubnets: ['10.0.0.0/24'],
      listenExcludeSubnets: [],
      image: 'gcr.io/etcd-development/etcd:v3.6.5',
      extraArgs: { 'election-timeout': '1500' },
    });
    expect(ids(cluster, CP_1, 'addresses')).toContain('eth0/10.0.0.5/32');
    expect(resource(cluster, CP_1, 'etcdspec etcd').spec).toMatchObject({
      advertisedAddresses: ['10.0.0.10'],
      extraArgs: { 'election-timeout': '1500' },
    });
    expect(cluster.ok('etcdctl member list')).not.toContain('10.0.0.5:');
  });

  it('a member that has data starts again without being told a cluster', () => {
    cluster.ok(`talosctl -n ${CP_3} reboot`);
    cluster.until(`talosctl -n ${CP_3} service etcd`, /HEALTH +OK/);
    const starts = etcdStarts(cluster, CP_3);
    expect(starts).toHaveLength(1);
    expect(starts[0]).toMatchObject({ name: 'cp-3', 'advertise-client-urls': 'https://10.0.0.12:2379' });
    expect(Object.keys(starts[0]!).filter((name) => name.startsWith('initial-'))).toEqual([]);
    expect(cluster.seen(EtcdEvent.MemberStarted, 'cp-3').at(-1)!.fields.birth).toBe('restart');
    expect(cluster.ok('etcdctl member list').trimEnd().split('\n')).toHaveLength(3);
  });
});
