import { afterEach, describe, expect, it } from 'vitest';
import { NO_LEASE } from '../../src/api/etcd/kv.ts';
import type { AlarmMember } from '../../src/api/etcd/maintenance.ts';
import { AlarmAction, AlarmType } from '../../src/api/etcd/maintenance.ts';
import { KvService, LeaseService, MaintenanceService } from '../../src/api/etcd/services.ts';
import { readFrames } from '../../src/etcd/server/backend/frame.ts';
import { encodeImage, StateBuilder } from '../../src/etcd/server/backend/image.ts';
import { concatBytes, utf8Encode } from '../../src/platform/bytes.ts';
import { readWhole, writeDurably } from '../../src/platform/disk.ts';
import type { Task } from '../../src/platform/task.ts';
import { get, leaderOf, others, put, READY, range, refusal, status } from './helpers.ts';
import { type Node, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;
const DATABASE = '/etcd/member/snap/db';

describe('alarms', () => {
  let cluster: SimCluster;
  afterEach(() => cluster.close());
  const start = (flags: readonly string[]): SimCluster => {
    cluster = new SimCluster({ flags });
    cluster.sim.runFor(8 * SECOND);
    return cluster;
  };
  const alarm = (action: number, type: number, memberId = '0000000000000000'): readonly AlarmMember[] => {
    const channel = cluster.channel(...cluster.nodes);
    const request = { action, memberId, alarm: type };
    return cluster.run(() => channel.unary(MaintenanceService.Alarm, request, READY)).alarms;
  };
  const alarms = (): readonly AlarmMember[] => alarm(AlarmAction.Get, AlarmType.None);
  const idOf = (node: Node): string => cluster.run(() => status(cluster.channel(node))).header!.memberId;

  /** Kills a member, changes the value of a key in its database behind its back, and starts it again. */
  const corrupt = (node: Node, key: string): void => {
    cluster.sim.runFor(SECOND);
    cluster.kill(node);
    cluster.sim.runFor(SECOND);
    const process = node.station.run({
      name: 'vandal',
      program: function* ({ platform }): Task<number> {
        const builder = new StateBuilder();
        readFrames((yield* readWhole(platform.disk, DATABASE))!, (frame) => builder.add(frame));
        const state = builder.finish();
        const wanted = utf8Encode(key).join();
        const revisions = state.revisions.map(({ kv, sub }) =>
          kv !== null && kv.key.join() === wanted ? { sub, kv: { ...kv, value: utf8Encode('damaged') } } : { kv, sub },
        );
        yield* writeDurably(platform.disk, DATABASE, concatBytes(encodeImage({ ...state, revisions })));
        return 0;
      },
    })!;
    cluster.sim.runUntil(() => process.exit.isSet, { untilUs: cluster.sim.nowUs + 60 * SECOND });
    expect(process.exit.peek()?.code).toBe(0);
    cluster.start(node);
    cluster.sim.runFor(3 * SECOND);
  };

  it('NOSPACE: no more puts or leases until space was made and the alarm disarmed', () => {
    start(['--quota-backend-bytes=200000']);
    const channel = cluster.channel(...cluster.nodes);
    const value = 'x'.repeat(1000);
    let refused = 'OK';
    let written = 0;
    for (; refused === 'OK' && written < 500; written++) {
      refused = cluster.run(() => refusal(put(channel, 'same', value)));
    }
    expect(refused).toBe('ResourceExhausted: etcdserver: mvcc: database space exceeded');
    expect(written).toBeGreaterThan(150);
    expect(written).toBeLessThan(200);
    cluster.sim.runFor(SECOND);
    expect(alarms().map(({ alarm: type }) => type)).toEqual([AlarmType.NoSpace]);
    const told = cluster.run(() => status(channel)).errors.join();
    expect(told).toMatch(/^memberID:\d+ alarm:NOSPACE $/);

    expect(cluster.run(() => refusal(put(channel, 'small', 'x')))).toContain('database space exceeded');
    const grant = (): Task<unknown> => channel.unary(LeaseService.LeaseGrant, { ttl: 60, id: NO_LEASE }, READY);
    expect(cluster.run(() => refusal(grant()))).toContain('database space exceeded');
    expect(cluster.run(() => get(channel, 'same'))).toBe(value);
    const remove = { key: utf8Encode('same'), rangeEnd: new Uint8Array(0), prevKv: false };
    expect(cluster.run(() => channel.unary(KvService.DeleteRange, remove, READY)).deleted).toBe(1);

    const { header } = cluster.run(() => range(channel, 'same'));
    cluster.run(() => channel.unary(KvService.Compact, { revision: header!.revision, physical: true }, READY));
    for (const node of cluster.nodes) {
      cluster.run(() => cluster.channel(node).unary(MaintenanceService.Defragment, {}, READY));
      expect(cluster.run(() => status(cluster.channel(node))).dbSize).toBeLessThan(50_000);
    }
    expect(cluster.run(() => refusal(put(channel, 'small', 'x')))).toContain('database space exceeded');
    // Each member that refused a request has raised an alarm of its own.
    for (const { memberId } of alarms()) alarm(AlarmAction.Deactivate, AlarmType.NoSpace, memberId);
    expect(alarms()).toEqual([]);
    expect(cluster.run(() => refusal(put(channel, 'small', 'x')))).toBe('OK');
  });

  it('survive a restart of everybody', () => {
    start([]);
    alarm(AlarmAction.Activate, AlarmType.NoSpace, idOf(cluster.nodes[0]!));
    for (const node of cluster.nodes) cluster.powerCycle(node);
    cluster.sim.runFor(5 * SECOND);
    expect(alarms()).toHaveLength(1);
    expect(cluster.run(() => refusal(put(cluster.channel(...cluster.nodes), 'a', 'x')))).toContain('space exceeded');
  });

  it('CORRUPT: found by hashes of compactions, for the member that differs; then nothing is written any more', () => {
    start(['--experimental-compact-hash-check-enabled=true', '--experimental-compact-hash-check-time=5s']);
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 10; i++) cluster.run(() => put(channel, `k${i}`, 'right'));
    const leader = leaderOf(cluster);
    const victim = others(cluster, leader)[0]!;
    corrupt(victim, 'k3');
    expect(cluster.run(() => get(cluster.channel(victim), 'k3', { serializable: true }))).toBe('damaged');
    cluster.run(() => channel.unary(KvService.Compact, { revision: 9, physical: true }, READY));
    cluster.sim.runFor(12 * SECOND);
    expect(alarms()).toEqual([{ memberId: idOf(victim), alarm: AlarmType.Corrupt }]);
    expect(cluster.run(() => refusal(put(channel, 'a', 'x')))).toBe('DataLoss: etcdserver: corrupt cluster');
    expect(cluster.run(() => get(channel, 'k1'))).toBe('right');
    alarm(AlarmAction.Deactivate, AlarmType.Corrupt, idOf(victim));
    expect(cluster.run(() => refusal(put(channel, 'a', 'x')))).toBe('OK');
  });

  it('CORRUPT: found by the periodic comparison of everything', () => {
    start(['--experimental-corrupt-check-time=10s']);
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 10; i++) cluster.run(() => put(channel, `k${i}`, 'right'));
    cluster.sim.runFor(15 * SECOND);
    expect(alarms()).toEqual([]);
    const victim = others(cluster, leaderOf(cluster))[1]!;
    corrupt(victim, 'k3');
    cluster.sim.runFor(15 * SECOND);
    expect(alarms()).toEqual([{ memberId: idOf(victim), alarm: AlarmType.Corrupt }]);
  });

  it('are no longer needed where a damaged member does not come up', () => {
    start(['--experimental-initial-corrupt-check=true']);
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 10; i++) cluster.run(() => put(channel, `k${i}`, 'right'));
    const [sound, victim] = others(cluster, leaderOf(cluster));
    cluster.powerCycle(sound!);
    cluster.sim.runFor(3 * SECOND);
    expect(sound!.process!.exit.isSet).toBe(false);
    corrupt(victim!, 'k3');
    expect(victim!.process!.exit.peek()?.code).toBe(1);
    expect(cluster.lines(victim!).join('\n')).toContain('found data inconsistency with peers');
  });
});
