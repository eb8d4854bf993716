import { describe, expect, it } from 'vitest';
import { booted, installed } from '../../src/nodes/events.ts';
import { run } from '../e2e/run.ts';
import { sharedCluster } from './cluster.ts';

describe('traps, as scenarios', () => {
  it.each([undefined, 'by-name', 'by-size'])('the name of a disk is not the disk: wrong-disk %s', (mistake) => {
    const { result, transcript } = run('wrong-disk', mistake === undefined ? {} : { mistake });
    expect(result.reasons).toEqual([]);
    expect(transcript).toMatch(/sda +1 +537 GB .*Archive +DATA-1\n.*sdb +1 +54 GB .*Boot +SYS-1/);
  });

  it('a snapshot of etcd brings back a control plane that lost its majority', () => {
    const { result, transcript } = run('lost-majority');
    expect(result.reasons).toEqual([]);
    expect(transcript).toContain('recovering from snapshot "db.snapshot"');
    expect(result.view.etcd.clusters.map(({ birth }) => birth.how)).toEqual(['restore']);
  });

  it('without one nothing of it is left', () => {
    expect(run('lost-majority', { mistake: 'no-snapshot' }).result.reasons).toEqual([]);
  });

  it('an upgrade keeps the extensions only with the schematic that brought them', () => {
    const schematic = 'c9078f9419961640c712a8bf2bb9174933dfcf1da383fd8ea2b7dc21493f8bac';
    const kept = run('lost-extensions');
    expect(kept.result.reasons).toEqual([]);
    const rows = new RegExp(
      `ExtensionStatus +0 +1 +iscsi-tools +v1\\.11\\.4\\n.*ExtensionStatus +1 +1 +schematic +${schematic}`,
    );
    expect(kept.transcript).toMatch(rows);
    const lost = run('lost-extensions', { mistake: 'plain-installer' });
    expect(lost.result.reasons).toEqual([]);
    const after = lost.transcript.slice(lost.transcript.lastIndexOf('$ talosctl get extensions'));
    expect(after).toContain('NODE   NAMESPACE   TYPE   ID   VERSION   NAME   VERSION');
    expect(after).not.toContain('iscsi-tools');
  });

  it('a virtual address serves nobody from another segment', () => {
    expect(run('vip-across-segments').result.reasons).toEqual([]);
  });
});

describe('a network plugin of your own', () => {
  const patch = '{"cluster":{"network":{"cni":{"name":"none"}}}}';
  const cluster = sharedCluster({ size: { controlPlanes: 1, workers: 0 } });
  const none = sharedCluster({
    size: { controlPlanes: 1, workers: 0 },
    through: 'ignite',
    files: { 'patches/cp-1.yaml': `{"machine":{"network":{"hostname":"cp-1"}},${patch.slice(1)}\n` },
  });

  it('the default one is there unless it was switched off from the start', () => {
    expect(cluster.ok('kubectl get pods -A')).toContain('kube-flannel');
    none.ok('talosctl kubeconfig -n 10.0.0.10');
    none.write('kubeconfig.yaml', none.read('/root/.kube/config').replace('10.0.0.5', '10.0.0.10'));
    const kubectl = 'kubectl --kubeconfig kubeconfig.yaml';
    none.until(`${kubectl} get nodes`, /cp-1 +NotReady/, '5m');
    none.advance('1m');
    expect(none.ok(`${kubectl} get pods -A`)).not.toContain('flannel');
    expect(none.ok(`${kubectl} get nodes`)).toMatch(/cp-1 +NotReady/);
  });

  it('switching it off afterwards leaves it running', () => {
    cluster.ok(`talosctl apply-config -n 10.0.0.10 -f controlplane.yaml -p @patches/cp-1.yaml -p '${patch}'`);
    cluster.advance('2m');
    expect(cluster.ok('kubectl get daemonsets -A')).toContain('kube-flannel');
    expect(cluster.ok('talosctl get mc v1alpha1 -n 10.0.0.10 -o yaml')).toMatch(/cni:\n +name: none/);
  });

  it('a new system that cannot finish its boot gives way to the old one by itself', () => {
    const image = 'ghcr.io/siderolabs/installer:v1.11.4';
    cluster.ok(`talosctl upgrade -n 10.0.0.10 --image ${image} --wait=false`);
    cluster.fault('service-down time');
    cluster.until('talosctl version -n 10.0.0.10 --short', 'v1.11.4', '5m');
    // Services wait for the time; the boot is given up after 70 minutes.
    cluster.advance('75m');
    cluster.fault('service-up time');
    cluster.until('talosctl version -n 10.0.0.10 --short', 'Tag:         v1.11.3', '5m');
    cluster.until('talosctl get machinestatus -n 10.0.0.10', /running +true/, '10m');
    expect(cluster.seen(installed, 'cp-1').map(({ fields }) => fields.slot)).toEqual(['A', 'B']);
    expect(cluster.seen(booted, 'cp-1').map(({ fields }) => fields.slot)).toEqual(['', 'A', 'B', 'A']);
  });
});
