import { describe, expect, it } from 'vitest';
import { driveOperator } from '../../src/lab/shell/drive.ts';
import type { Task } from '../../src/platform/task.ts';
import { sharedCluster } from './cluster.ts';

const CONTROL_PLANES = ['10.0.0.10', '10.0.0.11', '10.0.0.12'] as const;
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kept, namespace: default }\ndata: { a: b }\n';

describe('operating etcd', () => {
  const cluster = sharedCluster();
  const members = (from: string): string[] =>
    cluster
      .ok(`talosctl -n ${from} -e ${from} etcd members`)
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {3,}/)[2]!)
      .sort();

  it('members are listed with their URLs, none a learner', () => {
    const lines = cluster.ok('talosctl etcd members -n 10.0.0.11').trimEnd().split('\n');
    expect(lines[0]!.split(/ {3,}/)).toEqual(['NODE', 'ID', 'HOSTNAME', 'PEER URLS', 'CLIENT URLS', 'LEARNER']);
    const rows = lines.slice(1).map((line) => line.split(/ {3,}/));
    expect(
      rows.map(([node, , hostname, peer, client, learner]) => [node, hostname, peer, client, learner]).sort(),
    ).toEqual(
      [10, 11, 12].map((host) => [
        '10.0.0.11',
        `cp-${host - 9}`,
        `https://10.0.0.${host}:2380`,
        `https://10.0.0.${host}:2379`,
        'false',
      ]),
    );
    for (const [, id] of rows) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('timeout ends a command as an interrupt does: locks and posts are given back', () => {
    for (const line of ['lock L1', 'elect E1 p1']) {
      const name = line.split(' ')[1]!;
      const limited = cluster.type(`timeout 5s etcdctl ${line}`);
      expect(limited).toMatchObject({ exitCode: 124, stdout: expect.stringMatching(new RegExp(`^${name}/`)) });
      expect(cluster.ok(`etcdctl get ${name} --prefix`)).toBe('');
    }
    expect(cluster.ok('timeout 0 etcdctl get L1')).toBe('');
  });

  it('Ctrl-C gives locks and posts back', () => {
    for (const line of ['lock L2', 'timeout 1h etcdctl lock L3', 'elect E2 p2']) {
      const words = `${line.startsWith('timeout') ? '' : 'etcdctl '}${line}`.split(' ');
      let printed = '';
      const slices = driveOperator(
        cluster.session,
        function* (engine): Task<void> {
          yield* engine.typed(words);
        },
        (text) => {
          printed += text;
        },
      );
      while (printed === '') expect(slices.next().done).toBe(false);
      expect(cluster.ok(`etcdctl get ${printed.trim().split('\n')[0]} --keys-only`)).not.toBe('');
      const fromUs = cluster.nowUs;
      slices.return(undefined as never);
      expect(cluster.nowUs - fromUs).toBeLessThan(1_000_000);
      expect(cluster.ok(`etcdctl get ${printed.slice(0, 2)} --prefix`)).toBe('');
    }
  });

  it('a member that serves TLS cannot be reached in plain text, whatever certificates are at hand', () => {
    const plain = '--endpoints http://10.0.0.10:2379';
    expect(cluster.type(`etcdctl ${plain} get a`)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Error: context deadline exceeded\n',
    });
    expect(cluster.refused(`etcdctl ${plain} endpoint health`)).toContain('http://10.0.0.10:2379 is unhealthy: ');
    expect(cluster.ok('etcdctl --endpoints 10.0.0.10:2379 endpoint health')).toContain('is healthy');
  });

  it('status shows one leader that all follow, in one term', () => {
    const lines = cluster
      .ok(`talosctl etcd status -n ${CONTROL_PLANES.join(',')}`)
      .trimEnd()
      .split('\n');
    expect(lines[0]!.split(/ {3,}/)).toEqual([
      'NODE',
      'MEMBER',
      'DB SIZE',
      'IN USE',
      'LEADER',
      'RAFT INDEX',
      'RAFT TERM',
      'RAFT APPLIED INDEX',
      'LEARNER',
      'PROTOCOL',
      'STORAGE',
      'ERRORS',
    ]);
    const rows = lines.slice(1).map((line) => line.split(/ {3,}/));
    expect(rows).toHaveLength(3);
    const leaders = new Set(rows.map((row) => row[4]));
    expect([...leaders]).toHaveLength(1);
    expect(rows.map((row) => row[1])).toContain([...leaders][0]);
    for (const row of rows) expect(row.slice(6, 11)).toEqual(['2', row[5], 'false', '3.6.5', '3.6.0']);
  });

  it('a snapshot is saved with its checksum, and says what is in it', () => {
    cluster.write('cm.yaml', CONFIG_MAP);
    cluster.ok('kubectl apply -f cm.yaml');
    const saved = cluster.ok('talosctl etcd snapshot db.snapshot -n 10.0.0.10');
    const [, size] = /^etcd snapshot saved to "db\.snapshot" \((\d+) bytes\)\n/.exec(saved)!;
    expect(Number(size) % 512).toBe(32);
    expect(saved).toMatch(/\nsnapshot info: hash [0-9a-f]{8}, revision \d+, total keys \d+, total size \d+\n$/);
    expect(cluster.refused('talosctl etcd snapshot x -n 10.0.0.10,10.0.0.11')).toContain(
      'command "etcd snapshot" is not supported with multiple nodes',
    );
  });

  it('leave takes a control plane out before it is removed', () => {
    cluster.ok('talosctl etcd leave -n 10.0.0.12');
    expect(members('10.0.0.10')).toEqual(['cp-1', 'cp-2']);
    expect(cluster.ok('talosctl service etcd -n 10.0.0.12')).toMatch(/STATE +Finished/);
    // Two of two are needed now, and there are two: writes go on.
    cluster.ok('etcdctl put still works --endpoints https://10.0.0.10:2379');
    cluster.ok('talosctl reboot -n 10.0.0.12');
    cluster.until('talosctl etcd members -n 10.0.0.10', 'cp-3', '2m');
    cluster.until('talosctl service etcd -n 10.0.0.12', /HEALTH +OK/, '3m');
    expect(members('10.0.0.12')).toEqual(['cp-1', 'cp-2', 'cp-3']);
  });

  it('remove-member takes out one that died for good', () => {
    cluster.fault('power-off cp-3');
    cluster.advance('10s');
    const listed = cluster.ok('talosctl etcd members -n 10.0.0.10');
    const [, id] = /([0-9a-f]{16}) +cp-3 /.exec(listed)!;
    expect(cluster.refused('talosctl etcd remove-member xyz -n 10.0.0.10')).toContain('invalid syntax');
    expect(cluster.refused('talosctl etcd remove-member 00000000000000ff -n 10.0.0.10')).toContain('code = NotFound');
    cluster.ok(`talosctl etcd remove-member ${id} -n 10.0.0.10`);
    expect(members('10.0.0.11')).toEqual(['cp-1', 'cp-2']);
  });

  it('a cluster that lost its majority is born again from the snapshot on one node, and the others join it', () => {
    // cp-3 is dead; with cp-2 gone too nobody can write.
    cluster.fault('power-off cp-2');
    cluster.advance('30s');
    expect(cluster.refused('etcdctl put no way --endpoints https://10.0.0.10:2379')).not.toBe('');
    cluster.fault('heal');
    for (const name of ['cp-2', 'cp-3']) cluster.fault(`power-on ${name}`);
    const all = CONTROL_PLANES.join(',');
    cluster.until(`talosctl version --short -n ${all} -e 10.0.0.10`, /10\.0\.0\.11[\s\S]*10\.0\.0\.12/, '3m');
    // Each by itself: a command that goes by way of a machine which reboots, too, loses sight of the others.
    const wipe = '--graceful=false --reboot --system-labels-to-wipe EPHEMERAL';
    const wiped = cluster.together(CONTROL_PLANES.map((node) => `talosctl reset -n ${node} -e ${node} ${wipe}`));
    expect(wiped.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    for (const node of CONTROL_PLANES)
      cluster.until(`talosctl service etcd -n ${node} -e ${node}`, /\[Preparing\]: Running pre state/, '5m');
    expect(cluster.refused('talosctl bootstrap --recover-from=nothing.snapshot -n 10.0.0.10')).toContain(
      'error opening snapshot file: open nothing.snapshot: no such file or directory',
    );
    const recovery = cluster.ok('talosctl bootstrap --recover-from=db.snapshot -n 10.0.0.10 -e 10.0.0.10');
    expect(recovery).toMatch(/^recovering from snapshot "db\.snapshot": hash [0-9a-f]{8}, revision \d+, /);
    cluster.ok('talosctl health -n 10.0.0.10');
    expect(members('10.0.0.11')).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(cluster.ok('kubectl get configmap kept')).toContain('kept');
    expect(cluster.session.checkers.violations.map((violation) => violation.guarantee)).toEqual([]);
  });
});
