import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { apiServing } from '../../src/kube/events.ts';
import { etcdPhase, serviceState } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, CP_1, CP_2, CP_3, dmesg, etcdStarts, ids, kube, pick, WORKER_1 } from './look.ts';

const NOT_EMPTY = 'rpc error: code = AlreadyExists desc = etcd data directory is not empty\n';
const NO_TIME = 'rpc error: code = FailedPrecondition desc = time is not in sync yet';

describe('bootstrap', () => {
  const cluster = sharedCluster({ through: 'waiting' });

  const bootstrap = (node: string): string => cluster.refused(`talosctl -n ${node} -e ${node} bootstrap`);

  /** Reboots a machine and returns as soon as its API is started again. */
  const reboot = (node: string, name: string): void => {
    const starts = (): number =>
      cluster.seen(serviceState, name).filter(({ fields }) => fields.message.startsWith('Started task apid')).length;
    const before = starts();
    cluster.ok(`talosctl -n ${node} reboot --wait=false`);
    for (let i = 0; i < 3_000 && starts() === before; i++) cluster.advance('20ms');
  };

  it('without it nothing is a cluster: no etcd, no API server, control planes wait', () => {
    cluster.advance('1m');
    expect(cluster.seen(EtcdEvent.MemberStarted)).toEqual([]);
    expect(cluster.seen(apiServing)).toEqual([]);
    for (const node of CONTROL_PLANES) {
      expect(cluster.ok(`talosctl -n ${node} service etcd`)).toMatch(/STATE +Preparing/);
      for (const type of ['etcdmembers', 'staticpods', 'manifeststatuses'])
        expect(ids(cluster, node, type), type).toEqual([]);
      expect(dmesg(cluster, node).join('\n')).toContain(
        'etcd is waiting to join the cluster, if this node is the first node of the cluster, please run `talosctl bootstrap`',
      );
    }
    expect(cluster.refused('etcdctl member list')).toContain('context deadline exceeded');
    cluster.ok('talosctl -n 10.0.0.10 kubeconfig early');
    expect(cluster.refused('kubectl --kubeconfig early get nodes')).toContain('Unable to connect to the server');
  });

  it('refuses by what is wrong first: containers, type of machine, time', () => {
    cluster.fault('service-down time');
    // The API is often up more than a second before containers can be: that is how long the handler waits for them.
    const early = CONTROL_PLANES.find((node) => {
      reboot(node, `cp-${CONTROL_PLANES.indexOf(node) + 1}`);
      return bootstrap(node).includes('rpc error: code = FailedPrecondition desc = bootstrap is not available yet');
    });
    expect(early).toBeDefined();
    cluster.until(`talosctl -n ${early} service cri`, /HEALTH +OK/);
    expect(bootstrap(early!)).toContain(NO_TIME);
    reboot(WORKER_1, 'worker-1');
    cluster.until(`talosctl -n ${WORKER_1} service cri`, /HEALTH +OK/);
    expect(cluster.ok(`talosctl -n ${WORKER_1} get timestatus`)).toMatch(/false *\n$/);
    expect(bootstrap(WORKER_1)).toContain(
      'rpc error: code = FailedPrecondition desc = bootstrap can only be performed on a control plane node',
    );
    cluster.fault('service-up time');
    for (const node of [...CONTROL_PLANES, WORKER_1]) cluster.until(`talosctl -n ${node} get timestatus`, /true *\n$/);
    for (const node of CONTROL_PLANES) cluster.until(`talosctl -n ${node} service etcd`, 'Running pre state');
  });

  it('stops the etcd that waits, calls it finished, and starts one that founds a cluster', () => {
    expect(cluster.type('talosctl --nodes 10.0.0.10 bootstrap')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    cluster.until(`talosctl -n ${CP_1} service etcd`, /HEALTH +OK/);
    const told = cluster.seen(serviceState, 'cp-1').filter(({ fields }) => fields.service === 'etcd');
    const texts = told.map(({ fields }) => `${fields.state}: ${fields.message}`);
    const failed = texts.lastIndexOf('Failed: Failed to run pre stage: context canceled');
    expect(failed).toBeGreaterThan(0);
    expect(texts.slice(failed + 1, failed + 3)).toEqual([
      'Finished: Bootstrap requested',
      'Starting: Starting service',
    ]);
    expect(texts.at(-1)).toBe('Running: Health check successful');
    expect(dmesg(cluster, CP_1)).toContain('[talos] service[etcd](Finished): Bootstrap requested');
    expect(etcdStarts(cluster, CP_1)[0]).toMatchObject({ 'initial-cluster-state': 'new' });
    expect(cluster.seen(EtcdEvent.MemberStarted, 'cp-1')[0]!.fields.birth).toBe('new');
  });

  it('the other control planes join by themselves', () => {
    cluster.until('etcdctl member list', /(.*started, cp-\d, .*, false\n){3}/);
    expect(cluster.seen(etcdPhase).filter(({ fields }) => fields.phase === 'bootstrap-requested')).toHaveLength(1);
    for (const name of ['cp-2', 'cp-3']) {
      expect(cluster.seen(EtcdEvent.MemberStarted, name)[0]!.fields.birth).toBe('join');
      const phases = cluster.seen(etcdPhase, name).map(({ fields }) => fields.phase);
      expect(phases.slice(-2)).toEqual(['learner-added', 'promoted']);
    }
    for (const node of [CP_2, CP_3])
      expect(etcdStarts(cluster, node)[0]).toMatchObject({ 'initial-cluster-state': 'existing' });
  });

  it('then gives a kubeconfig with which kubectl sees the nodes', () => {
    cluster.ok('talosctl --nodes 10.0.0.10 kubeconfig ./kubeconfig');
    cluster.until('kubectl --kubeconfig ./kubeconfig get nodes', /(?:\S+ +Ready .*\n){5}/);
    cluster.ok('talosctl --nodes 10.0.0.10 kubeconfig');
    expect(pick(kube(cluster, 'nodes'), 'items')).toHaveLength(5);
  });

  it('is refused with the exact error by every node that has etcd data', () => {
    expect(cluster.refused('talosctl --nodes 10.0.0.10 bootstrap')).toContain(NOT_EMPTY);
    for (const node of CONTROL_PLANES) expect(bootstrap(node)).toContain(NOT_EMPTY);
    // One machine, asked directly: the whole text.
    expect(cluster.refused('talosctl -n 10.0.0.11 -e 10.0.0.11 bootstrap')).toMatch(
      /^error executing bootstrap: (1 error occurred:\n\t\* 10\.0\.0\.11: )?rpc error: code = AlreadyExists desc = etcd data directory is not empty\n+$/,
    );
  });

  it('looks at the time before it looks at the data', () => {
    cluster.fault('service-down time');
    reboot(CP_2, 'cp-2');
    cluster.until(`talosctl -n ${CP_2} service cri`, /HEALTH +OK/);
    expect(bootstrap(CP_2)).toContain(NO_TIME);
    cluster.fault('service-up time');
    cluster.until(`talosctl -n ${CP_2} service etcd`, /HEALTH +OK/);
    expect(bootstrap(CP_2)).toContain(NOT_EMPTY);
  });
});
