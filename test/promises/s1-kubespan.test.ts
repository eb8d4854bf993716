import { describe, expect, it } from 'vitest';
import { narrate } from '../../src/lab/view/narrate.ts';
import { wireguardHandshake } from '../../src/net/events.ts';
import { kubeSpanPeer } from '../../src/nodes/events.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';
import { faultInjected } from '../../src/world/events.ts';
import { run } from '../e2e/run.ts';
import { sharedCluster } from './cluster.ts';
import { table } from './look.ts';

const CP = '10.0.0.10';
const WORKER = '192.168.7.21';
const PUBLIC = '203.0.113.102:51820';

describe('two sites that reach each other by hole punching', () => {
  const cluster = sharedCluster({ scenario: 'kubespan' });

  /** Applies the config of a machine again with other settings of KubeSpan. */
  const apply = (node: string, patches: string, kubespan: string) => {
    const name = node === CP ? 'cp-1' : 'worker-1';
    const file = node === CP ? 'controlplane.yaml' : 'worker.yaml';
    const settings = `{"machine":{"network":{"hostname":"${name}","kubespan":{${kubespan}}}}}`;
    cluster.ok(`talosctl -n ${node} apply-config -f ${file} ${patches} -p '${settings}'`);
  };

  it('are one cluster: the worker is Ready, and all that it says goes through the tunnel', () => {
    expect(cluster.ok('kubectl get nodes')).toMatch(/cp-1 +Ready .*\nworker-1 +Ready /);
    expect(cluster.refused('talosctl -n 203.0.113.101 version -e 203.0.113.101')).not.toBe('');
    expect(cluster.ok(`talosctl -n ${WORKER} version`)).toContain('v1.11.3');
    const startUs = cluster.nowUs;
    cluster.advance('5m');
    const handshakes = cluster.seen(wireguardHandshake).filter(({ source }) => source === 'net/cp-1');
    const times = handshakes.map(({ timeUs }) => timeUs).filter((atUs) => atUs > startUs);
    const gapsSec = times.slice(1).map((atUs, index) => (atUs - times[index]!) / 1_000_000);
    expect(gapsSec.length).toBeGreaterThan(0);
    for (const gap of gapsSec) expect(gap).toBeGreaterThan(120);
    for (const gap of gapsSec) expect(gap).toBeLessThan(150);
  });

  it('a peer is up where it answers, is tried elsewhere once it is silent for too long, and comes back', () => {
    const seen = cluster.seen(kubeSpanPeer, 'cp-1').map(({ fields: { state, endpoint } }) => `${state} ${endpoint}`);
    expect(seen).toEqual([
      // Its own address leads nowhere from here: the public one is tried half a minute later.
      `unknown ${WORKER}:51820`,
      `up ${PUBLIC}`,
      expect.stringMatching(/^unknown /),
      `up ${PUBLIC}`,
    ]);
    const told = cluster.seen(kubeSpanPeer, 'cp-1').flatMap((event) => narrate(event as unknown as TraceEvent) ?? []);
    expect(told).toEqual([
      `cp-1: KubeSpan reaches worker-1 at ${PUBLIC}`,
      'cp-1: KubeSpan reaches worker-1 no more',
      `cp-1: KubeSpan reaches worker-1 at ${PUBLIC}`,
    ]);
    const [, up, gone] = cluster.seen(kubeSpanPeer, 'cp-1');
    const cutUs = cluster.seen(faultInjected)[0]!.timeUs;
    expect(up!.timeUs).toBeLessThan(cutUs);
    // 275 s after a handshake that is at most 120 s old, and looked at every 30 s.
    expect(gone!.timeUs - cutUs).toBeGreaterThan(155_000_000);
    expect(gone!.timeUs - cutUs).toBeLessThan(305_000_000);
  });

  it('the resources are shown as Talos shows them', () => {
    const [identity, peer, status] = ['kubespanidentity', 'kubespanpeerspec', 'kubespanpeerstatus'].map((type) =>
      table(cluster, CP, type),
    );
    const meta = ['NODE', 'NAMESPACE', 'TYPE', 'ID', 'VERSION'];
    expect(identity![0]).toEqual([...meta, 'ADDRESS', 'PUBLICKEY']);
    const [address, key] = identity![1]!.slice(5);
    expect(address).toMatch(/^fd[0-9a-f:]+02:[0-9a-f:]+\/128$/);
    expect(peer![0]).toEqual([...meta, 'LABEL', 'ENDPOINTS']);
    expect(peer![1]!.slice(5)).toEqual(['worker-1', `["${WORKER}:51820","${PUBLIC}"]`]);
    expect(status![0]).toEqual([...meta, 'LABEL', 'ENDPOINT', 'STATE', 'RX', 'TX']);
    expect(status![1]!.slice(5, 8)).toEqual(['worker-1', PUBLIC, 'up']);
    expect(status![1]!.slice(8).every((bytes) => Number(bytes) > 1000)).toBe(true);
    // The id of a peer is its public key, and its address comes to the others through discovery.
    expect(table(cluster, WORKER, 'kubespanpeerstatuses')[1]![3]).toBe(key);
    expect(cluster.ok(`talosctl -n ${WORKER} get kubespanpeerspec ${key} -o yaml`)).toContain(
      `        - ${CP}/32\n        - ${address}\n`,
    );
    expect(table(cluster, CP, 'links').map(([, , , id, , type, kind]) => `${id} ${type} ${kind}`)).toContain(
      'kubespan none wireguard',
    );
    expect(cluster.ok(`talosctl -n ${CP} get addressstatus --namespace cluster service`)).toContain('203.0.113.101/32');
    const config = cluster.ok(`talosctl -n ${CP} get kubespanconfig -o yaml`);
    expect(config).toMatch(/namespace: config\n.*enabled: true\n.*forceRouting: true\n.*mtu: 1420\n/s);
  });

  it('settings are in force: filters and further endpoints, harvesting; the mesh is forced unless that is switched off', () => {
    cluster.write(
      'extra.yaml',
      'apiVersion: v1alpha1\nkind: KubeSpanEndpointsConfig\nextraAnnouncedEndpoints:\n  - 203.0.113.200:4000\n',
    );
    apply(WORKER, '-p @extra.yaml', '"enabled":true,"filters":{"endpoints":["203.0.0.0/8"]}');
    apply(CP, '', '"enabled":true,"harvestExtraEndpoints":true');
    cluster.until(`talosctl -n ${CP} get kubespanpeerspec`, `"${PUBLIC}","203.0.113.200:4000"]`, '1m');
    // What was announced before stays with the discovery service for half an hour; of itself the worker says this only.
    const own = cluster.ok(`talosctl -n ${WORKER} get affiliates -o jsonpath={.spec.kubespan.endpoints}`);
    expect(own).toContain(`["${PUBLIC}","203.0.113.200:4000"]`);
    const harvested = table(cluster, CP, 'kubespanendpoint');
    expect(harvested[0]!.slice(5)).toEqual(['ENDPOINT', 'AFFILIATE ID']);
    expect(harvested[1]![5]).toBe(PUBLIC);
    expect(harvested[1]![6]).toBe(cluster.ok(`talosctl -n ${WORKER} get identity -o jsonpath={.spec.nodeId}`).trim());
    apply(CP, '', '"enabled":true,"allowDownPeerBypass":true');
    cluster.until(`talosctl -n ${CP} get kubespanconfig -o yaml`, 'forceRouting: false', '1m');
  });

  it('a machine keeps its place over a reboot, and leaves the mesh when KubeSpan is switched off', () => {
    const before = table(cluster, WORKER, 'kubespanidentity')[1]!.slice(5);
    cluster.ok(`talosctl -n ${WORKER} reboot --wait=false`);
    cluster.advance('90s');
    cluster.until(`talosctl -n ${WORKER} get kubespanpeerstatus`, 'up', '3m');
    expect(table(cluster, WORKER, 'kubespanidentity')[1]!.slice(5)).toEqual(before);
    apply(WORKER, '', '"enabled":false');
    cluster.advance('30s');
    expect(table(cluster, CP, 'kubespanpeerspec').length).toBe(1);
    expect(cluster.type(`timeout 30s talosctl -n ${WORKER} version`).exitCode).toBe(124);
    apply(CP, '', '"enabled":false');
    cluster.advance('30s');
    expect(table(cluster, CP, 'links').map((cells) => cells[3])).toEqual(['ID', 'eth0', 'lo']);
    expect(table(cluster, CP, 'kubespanidentity').length).toBe(1);
    expect(cluster.ok(`talosctl -n ${CP} get addresses`)).not.toContain('kubespan');
  });
});

describe('the same configurations without KubeSpan', () => {
  it('leave the worker alone: it is known to discovery, and no Node', () => {
    expect(run('kubespan', { mistake: 'without-kubespan' }).result.reasons).toEqual([]);
  });
});
