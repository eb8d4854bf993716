import { describe, expect, it } from 'vitest';
import { booted, installed } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';

/** Steps of the scenario fail the first test of this file with the line that went wrong. */
describe('the half-day course: three machines, an upgrade and back, a problem found without a shell', () => {
  const cluster = sharedCluster({ scenario: 'half-day' });
  const node = (address: string): string => `talosctl --nodes ${address}`;

  it('runs with the command lines of the page, whose bare ones mean the context', () => {
    const nodes = cluster.ok('kubectl --kubeconfig ./kubeconfig get nodes').trimEnd().split('\n').slice(1);
    expect(nodes.map((line) => line.split(/ +/).slice(1, 3))).toEqual([
      ['Ready', 'control-plane'],
      ['Ready', '<none>'],
      ['Ready', '<none>'],
    ]);
    expect(cluster.ok('talosctl config info')).toContain(
      'Nodes:               198.51.100.11\nEndpoints:           198.51.100.11\n',
    );
    expect(cluster.ok('talosctl etcd members').trimEnd().split('\n')).toHaveLength(2);
    for (const file of ['controlplane.yaml', 'worker.yaml', 'talosconfig'])
      expect(cluster.read(`out/${file}`)).not.toBe('');
  });

  it('an upgrade writes the other partition and boots it, and the old one is kept to roll back to', () => {
    expect(cluster.seen(installed, 'worker-1').map(({ fields }) => [fields.slot, fields.image])).toEqual([
      ['A', 'ghcr.io/siderolabs/installer:v1.11.3'],
      ['B', 'ghcr.io/siderolabs/installer:v1.11.4'],
    ]);
    expect(cluster.seen(booted, 'worker-1').map(({ fields }) => [fields.slot, fields.version])).toEqual([
      ['', 'v1.11.3'],
      ['A', 'v1.11.3'],
      ['B', 'v1.11.4'],
      ['A', 'v1.11.3'],
    ]);
    expect(cluster.ok(`${node('198.51.100.21')} dmesg`)).toContain('[talos] boot sequence: done');
    expect(cluster.ok(`${node('198.51.100.21')} get members`)).not.toContain('v1.11.4');
  });

  it('a second rollback goes forward again, for there are two partitions only', () => {
    cluster.ok(`${node('198.51.100.21')} rollback`);
    cluster.until(`${node('198.51.100.21')} version --short`, 'Tag:         v1.11.4', '3m');
    // Whatever is older than the other partition needs an upgrade that names it.
    const older = cluster.type(`${node('198.51.100.21')} upgrade --image ghcr.io/siderolabs/installer:v1.10.7`);
    expect(older.exitCode).toBe(0);
    expect(older.stderr).toContain('"198.51.100.21": post check passed');
    expect(cluster.ok(`${node('198.51.100.21')} version --short`)).toContain('Tag:         v1.10.7');
  });

  it('the way down and up is followed by its events, and a failure ends the command with its reason', () => {
    const refused = cluster.refused(`${node('198.51.100.22')} upgrade --image ghcr.io/siderolabs/installer:v1.14.0`);
    expect(refused).toContain('"198.51.100.22": task: upgrade action: START\n');
    expect(refused).toContain('pre-flight checks failed: host version 1.11.3 is too old to upgrade to Talos 1.14.0');
    cluster.until('kubectl --kubeconfig ./kubeconfig get nodes', /^(\S+ +Ready .*\n){3}/m, '3m');
    expect(cluster.ok(`${node('198.51.100.22')} version --short`)).toContain('Tag:         v1.11.3');
    expect(cluster.refused(`${node('198.51.100.22')} reboot --debug`)).toContain('reboot --debug is not simulated');
  });

  it('logs, kernel log, services and resources are streams read back', () => {
    const followed = cluster.type(`timeout 20s ${node('198.51.100.22')} logs -f kubelet`);
    expect(followed.exitCode).toBe(124);
    expect(followed.stdout).toMatch(/^198\.51\.100\.22: \{"ts":[\d.]+,.*"msg":"Kubelet version"/m);
    expect(followed.stdout).toContain('"msg":"Successfully registered node"');
    expect(
      cluster
        .ok(`${node('198.51.100.22')} logs kubelet --tail 1`)
        .trimEnd()
        .split('\n'),
    ).toHaveLength(1);
    expect(cluster.refused(`${node('198.51.100.22')} logs nothing`)).toContain('ERROR: ');
    expect(cluster.ok(`${node('198.51.100.11')} dmesg`)).toMatch(
      /^198\.51\.100\.11: user: {4}info: \[2025-10-01T00:00:\d\d\.\d+Z\]: \[talos\] service\[etcd\]\(Running\): /m,
    );
    expect(cluster.ok('talosctl get members')).toMatch(/worker +Talos \(v1\.10\.7\) +\["198\.51\.100\.21"\]/);
    expect(cluster.ok('talosctl get staticpods').match(/ StaticPod +(kube-[a-z-]+) /g)).toHaveLength(3);
    expect(cluster.ok('talosctl get addresses')).toContain('eth0/198.51.100.11/24');
    expect(cluster.ok('talosctl get links')).toMatch(/LinkStatus +eth0 .* up +true/);
    expect(cluster.ok('talosctl get services')).toMatch(/Service +etcd +\d+ +true +true +false/);
  });

  it('watching shows each change of a resource with a sign, and events each step of a restart', () => {
    const watched = cluster.type(`timeout 1m ${node('198.51.100.22')} get services -w`).stdout;
    expect(watched.split('\n')[0]).toMatch(/^NODE +\* +NAMESPACE +TYPE +ID +VERSION +RUNNING +HEALTHY/);
    expect(watched).toMatch(/^198\.51\.100\.22 +\+ +runtime +Service +kubelet /m);
    cluster.ok(`${node('198.51.100.22')} service kubelet restart`);
    cluster.advance('20s');
    const events = cluster.type(`timeout 2s ${node('198.51.100.22')} events --duration 40s`).stdout;
    expect(events.split('\n')[0]).toBe('NODE            ID                     EVENT   ACTOR   SOURCE   MESSAGE');
    for (const message of ['STOPPING: Sending SIGTERM', 'RUNNING: Health check successful'])
      expect(events).toContain(message);
  });
});
