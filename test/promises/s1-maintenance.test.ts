import { describe, expect, it } from 'vitest';
import { machinesText } from '../../src/lab/engine/report.ts';
import { sharedCluster } from './cluster.ts';

const MACHINES = [
  ['cp-1', '10.0.0.10'],
  ['cp-2', '10.0.0.11'],
  ['cp-3', '10.0.0.12'],
  ['worker-1', '10.0.0.21'],
  ['worker-2', '10.0.0.22'],
] as const;

describe('machines that booted the installation medium', () => {
  const cluster = sharedCluster({ through: 'maintenance' });

  it('are three control planes and two workers at the addresses of the page, with nothing on them', () => {
    cluster.advance('10s');
    const rows = machinesText(cluster.session.observer.view()).trimEnd().split('\n');
    expect(rows[0]!.split(/ {2,}/)).toEqual([
      'MACHINE',
      'STAGE',
      'DISK',
      'CONFIG',
      'ETCD',
      'CONTROL PLANE',
      'KUBELET',
      'NODE',
    ]);
    expect(rows.slice(1).map((row) => row.split(/ {2,}/))).toEqual(
      MACHINES.map(([name]) => [name, 'maintenance', 'ISO · maintenance', 'no config', '—', '—', '—', '—']),
    );
    for (const [, address] of MACHINES)
      expect(cluster.ok(`talosctl get machinestatus --insecure -n ${address}`)).toMatch(/machine +\d+ +maintenance/);
  });

  it('show their disks to whoever asks port 50000 without a certificate', () => {
    const lines = cluster.ok('talosctl get disks --insecure -n 10.0.0.10').trimEnd().split('\n');
    expect(lines[0]).toBe(
      'NODE        NAMESPACE   TYPE   ID    VERSION   SIZE    READ ONLY   TRANSPORT   ROTATIONAL   WWID   MODEL   SERIAL',
    );
    expect(lines[1]).toMatch(/^10\.0\.0\.10 +runtime +Disk +sda +1 +54 GB +false +virtio +false/);
    expect(cluster.ok('talosctl get disks --insecure -n 10.0.0.10:50000')).toContain('sda');
    expect(cluster.refused('talosctl get disks --insecure -n 10.0.0.10:50001')).toContain('code = Unavailable');
  });

  it('let a stranger read, and apply a config, but nothing else', () => {
    for (const line of ['talosctl version --insecure', 'talosctl reset --insecure'])
      expect(cluster.refused(`${line} -n 10.0.0.10`)).toContain('API is not implemented in maintenance mode');
    // The certificate that they show was signed by nobody.
    expect(cluster.refused('talosctl version -n 10.0.0.10 -e 10.0.0.10')).toContain(
      'x509: certificate signed by unknown authority',
    );
    expect(
      cluster.type('talosctl apply-config --insecure -n 10.0.0.10 -f controlplane.yaml -p @patches/cp-1.yaml'),
    ).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('refuse strangers once they have a config', () => {
    cluster.until('talosctl -n 10.0.0.10 -e 10.0.0.10 service apid', 'Running', '2m');
    for (const line of [
      'talosctl apply-config --insecure -n 10.0.0.10 -f controlplane.yaml',
      'talosctl get disks --insecure -n 10.0.0.10',
    ])
      expect(cluster.refused(line)).toContain('remote error: tls: certificate required');
    expect(cluster.ok('talosctl -n 10.0.0.10 -e 10.0.0.10 get machinestatus')).toContain('booting');
    const [row] = machinesText(cluster.session.observer.view()).split('\n').slice(1);
    expect(row).toMatch(/^cp-1 +booting +v1\.11\.3 +controlplane +/);
  });
});
