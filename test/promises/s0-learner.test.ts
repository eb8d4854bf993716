import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { etcdPhase, serviceState } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, CP_3, dmesg, ids } from './look.ts';

const MINUTE_US = 60_000_000;

describe('a member that joins', () => {
  const cluster = sharedCluster({ through: 'ignite' });

  /** `etcdctl member list` as rows of id, status, name, peer URL, client URL, learner. */
  const members = (): readonly string[][] =>
    cluster
      .ok('etcdctl member list')
      .trimEnd()
      .split('\n')
      .map((row) => row.split(', '));
  const phaseOf = (name: string, phase: string) =>
    cluster.seen(etcdPhase, name).filter(({ fields }) => fields.phase === phase);
  /** The first joiner; its promotion is not under way yet when it is cut off. */
  const joiner = { name: '', address: '', id: '' };

  it('is a learner first: it has no vote, so the cluster writes on without it', () => {
    cluster.fault('power-off worker-1,worker-2');
    const started = () => cluster.seen(EtcdEvent.MemberReady).find(({ fields }) => fields.name !== 'cp-1');
    for (let i = 0; i < 3_000 && started() === undefined; i++) cluster.advance('50ms');
    const { name, memberId } = started()!.fields;
    const [, number] = /^cp-(\d)$/.exec(name)!;
    Object.assign(joiner, { name, address: CONTROL_PLANES[Number(number) - 1], id: memberId.replace(/^0+/, '') });
    cluster.fault(`isolate ${name}`);
    expect(members()).toContainEqual([
      joiner.id,
      'started',
      name,
      `https://${joiner.address}:2380`,
      `https://${joiner.address}:2379`,
      'true',
    ]);
    expect(cluster.ok('talosctl -n 10.0.0.10 etcd members')).toMatch(new RegExp(`${name} .* true\n`));
    // Two members, one of them silent: with two voters nothing could be written.
    cluster.advance('10s');
    expect(cluster.ok('etcdctl put a b')).toBe('OK\n');
  });

  it('is promoted in the background, tried for ten minutes, and stays a learner when that was in vain', () => {
    const [added] = phaseOf(joiner.name, 'learner-added');
    cluster.advance('9m');
    expect(phaseOf(joiner.name, 'promotion-given-up')).toEqual([]);
    cluster.advance('2m');
    const [givenUp] = phaseOf(joiner.name, 'promotion-given-up');
    expect(givenUp!.timeUs - added!.timeUs).toBeGreaterThan(10 * MINUTE_US);
    expect(givenUp!.timeUs - added!.timeUs).toBeLessThan(11 * MINUTE_US);
    // The service never waited for it.
    const running = cluster
      .seen(serviceState, joiner.name)
      .find(({ fields }) => fields.message.startsWith('Started task etcd'))!;
    expect(running.timeUs - added!.timeUs).toBeLessThan(MINUTE_US);
    cluster.fault('heal');
    cluster.advance('2m');
    expect(dmesg(cluster, joiner.address).join('\n')).toContain('[talos] failed promoting member: ');
    expect(
      members()
        .find(([, , name]) => name === joiner.name)!
        .at(-1),
    ).toBe('true');
    expect(cluster.ok(`talosctl -n ${joiner.address} service etcd`)).toMatch(/STATE +Running\nHEALTH +Fail/);
    // Without a vote of its own it gets no control plane either.
    expect(ids(cluster, joiner.address, 'staticpods')).toEqual([]);
  });

  it('can be promoted by hand then, and the next one follows and is promoted by itself', () => {
    cluster.ok(`etcdctl member promote ${joiner.id}`);
    cluster.until('etcdctl member list', /(.*started, cp-\d, .*, false\n){3}/);
    const other = ['cp-2', 'cp-3'].find((name) => name !== joiner.name)!;
    expect(phaseOf(other, 'promoted')).toHaveLength(1);
    expect(phaseOf(joiner.name, 'promoted')).toEqual([]);
  });

  it('takes the place of a member with its name: a machine with a blank disk joins again', () => {
    for (const node of CONTROL_PLANES) cluster.until(`talosctl -n ${node} service etcd`, /HEALTH +OK/);
    const before = members().find(([, , name]) => name === 'cp-3')![0]!;
    cluster.fault('power-off cp-3');
    cluster.fault('blank-disk cp-3 /dev/sda');
    cluster.advance('10s');
    cluster.fault('power-on cp-3');
    cluster.until(`talosctl get disks --insecure -n ${CP_3}`, ' sda ');
    const blank = cluster.seen(EtcdEvent.MemberStarted, 'cp-3').length;
    cluster.ok(`talosctl apply-config --insecure -n ${CP_3} -f controlplane.yaml --config-patch @patches/cp-3.yaml`);
    cluster.until('etcdctl member list', new RegExp(`^(?![^]*\\b${before}\\b)[^]*started, cp-3, .*, false`));
    expect(
      members()
        .map(([, , name]) => name)
        .sort(),
    ).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(
      cluster
        .seen(EtcdEvent.MemberStarted, 'cp-3')
        .slice(blank)
        .map(({ fields }) => fields.birth),
    ).toEqual(['join']);
    const idOf = (id: string) => id.replace(/^0+/, '');
    const removed = cluster.seen(EtcdEvent.MemberRemoved).find(({ fields }) => idOf(fields.memberId) === before)!;
    const added = cluster.seen(EtcdEvent.MemberAdded).at(-1)!;
    expect(added.fields.learner).toBe(true);
    expect(added.fields.index).toBeGreaterThan(removed.fields.index);
  });
});
