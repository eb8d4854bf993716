import { describe, expect, it } from 'vitest';
import { kernelLog, manifestsApplied } from '../../src/nodes/events.ts';
import { type Cluster, sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, CP_1, firstWritten, pick, resources, WORKER_1 } from './look.ts';

const SEED = 2;
const HEALTHY = 'talosctl health -n 10.0.0.10';
/** What Talos derives from the machine config and the facts of the machine. */
const DERIVED = [
  ...['etcdconfigs', 'etcdspecs', 'apiserverconfigs', 'controllermanagerconfigs', 'schedulerconfigs'],
  ...['staticpods', 'kubeletspecs', 'nodenames', 'nodeips', 'nodelabelspecs', 'nodetaintspecs', 'manifests'],
];

/** Everything derived on a machine, but for counters and ports, which say how often something was written. */
function derived(cluster: Cluster, node: string): readonly string[] {
  return DERIVED.flatMap((type) =>
    resources(cluster, node, type).map(({ spec }) =>
      JSON.stringify(spec)
        .replace(/"talos\.dev\/[a-z-]+-version":"\d+"/g, '')
        .replace(/127\.0\.0\.1:\d{5}/g, ''),
    ),
  );
}

/** Objects that nodes say they created, over all boots. */
function created(cluster: Cluster): readonly string[] {
  return cluster.seen(kernelLog).flatMap(({ fields }) => /^\[talos\] created (.*)$/.exec(fields.line)?.[1] ?? []);
}

describe('a cluster converges', () => {
  const calm = sharedCluster({ seed: SEED });
  const shaken = sharedCluster({ seed: SEED, through: 'waiting' });

  /** Takes the power of a machine for three seconds, so many seconds from now. */
  const cut = (name: string, afterSec: number): void => {
    shaken.advance(`${afterSec}s`);
    shaken.fault(`power-off ${name}`);
    shaken.advance('3s');
    shaken.fault(`power-on ${name}`);
  };

  it('to the same state whatever machines were cut off from power on the way', () => {
    for (const name of ['cp-2', 'worker-1', 'cp-3', 'cp-1', 'worker-2']) cut(name, 2);
    for (const node of CONTROL_PLANES) shaken.until(`talosctl -n ${node} service etcd`, 'Running pre state');
    shaken.ok(`talosctl -n ${CP_1} -e ${CP_1} bootstrap`);
    cut('worker-1', 11);
    // A learner that loses its power is promoted by nobody, and two voters are needed: joining is left alone.
    shaken.until('etcdctl member list', /(.*started, cp-\d, .*, false\n){3}/);
    for (const name of ['cp-1', 'worker-2', 'cp-3']) {
      cut(name, 5);
      for (const node of CONTROL_PLANES) shaken.until(`talosctl -n ${node} service etcd`, /HEALTH +OK/);
    }
    shaken.until(HEALTHY, /^/, '20m');
    shaken.ok('talosctl kubeconfig -n 10.0.0.10');
    // Connections that machines had to one that lost its power fail once more when they are used.
    for (const node of [...CONTROL_PLANES, WORKER_1])
      for (const endpoint of CONTROL_PLANES)
        shaken.until(`talosctl -n ${node} -e ${endpoint} get machinetype`, 'machine-type');
    for (const node of [...CONTROL_PLANES, WORKER_1]) {
      const expected = derived(calm, node);
      expect(expected.length).toBeGreaterThanOrEqual(node === WORKER_1 ? 3 : 20);
      expect(derived(shaken, node)).toEqual(expected);
    }
    const members = (cluster: Cluster) =>
      cluster
        .ok('etcdctl member list')
        .match(/started, cp-\d, .*, false/g)!
        .sort();
    expect(members(shaken)).toEqual(members(calm));
    expect(shaken.session.checkers.violations).toEqual([]);
  });

  it('with every bootstrap object created once, by whichever node came first', () => {
    for (const cluster of [calm, shaken]) {
      const lines = created(cluster);
      expect(lines.length).toBeGreaterThan(20);
      expect(new Set(lines).size).toBe(lines.length);
    }
    expect([...created(shaken)].sort()).toEqual([...created(calm)].sort());
    expect(calm.seen(manifestsApplied).filter(({ fields }) => fields.created > 0)).toHaveLength(1);
  });

  it('with control planes that never were open to ordinary pods', () => {
    for (const cluster of [calm, shaken])
      for (const name of ['cp-1', 'cp-2', 'cp-3']) {
        const first = firstWritten(cluster, `/registry/minions/${name}`);
        expect(pick<{ readonly key: string }[]>(first, 'spec', 'taints').map((taint) => taint.key)).toContain(
          'node-role.kubernetes.io/control-plane',
        );
      }
    expect(resources(calm, CP_1, 'nodetaintspecs')).toHaveLength(1);
  });
});
