import { afterEach, describe, expect, it } from 'vitest';
import { NO_LEASE, PutRequest } from '../../src/api/etcd/kv.ts';
import {
  ClusterService,
  KvService,
  LeaseService,
  MaintenanceService,
  WatchService,
} from '../../src/api/etcd/services.ts';
import { WatchCreateRequest, type WatchResponse } from '../../src/api/etcd/watch.ts';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { concatBytes, utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import type { Task } from '../../src/platform/task.ts';
import { get, leaderOf, members, others, put, READY, range, refusal, status, untilOk } from './helpers.ts';
import { type ClusterOptions, initialCluster, peerUrl, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;

describe('three members in a simulation', () => {
  let cluster: SimCluster;
  const start = (options: ClusterOptions = {}): SimCluster => {
    cluster = new SimCluster(options);
    cluster.sim.runFor(2 * SECOND);
    return cluster;
  };
  afterEach(() => cluster.close());

  it('elect a leader, replicate a write, and read it from every member', () => {
    start({ strictWire: true });
    const leader = leaderOf(cluster);
    const follower = cluster.channel(others(cluster, leader)[0]!);
    const answer = cluster.run(() => put(follower, 'a', '1'));
    expect(answer.header).toMatchObject({ revision: 2, raftTerm: 2 });
    for (const node of cluster.nodes) expect(cluster.run(() => get(cluster.channel(node), 'a'))).toBe('1');
  });

  it('keep what was acknowledged when all lose power at once', () => {
    start();
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 50; i++) cluster.run(() => put(channel, `k${i}`, `v${i}`));
    for (const node of cluster.nodes) node.station.powerOff();
    cluster.sim.runFor(SECOND);
    for (const node of cluster.nodes) {
      node.station.powerOn();
      cluster.start(node);
    }
    const again = cluster.channel(...cluster.nodes);
    const { count, header } = cluster.run(() => range(again, 'k', { rangeEnd: utf8Encode('l') }));
    expect(count).toBe(50);
    expect(header!.revision).toBe(51);
  });

  it('say that they have no leader any more when a majority is gone', () => {
    start();
    const leader = leaderOf(cluster);
    const [gone, left] = others(cluster, leader);
    const told: unknown[] = [];
    cluster.sim.on(EtcdEvent.LeaderChanged, ({ source, fields }) => {
      if (source.startsWith(left!.name)) told.push(fields.leader);
    });
    leader.station.powerOff();
    gone!.station.powerOff();
    cluster.sim.runFor(5 * SECOND);
    expect(told).toEqual(['0000000000000000']);
  });

  it('go on writing after the leader lost power, and take it back', () => {
    start();
    const leader = leaderOf(cluster);
    leader.station.powerOff();
    const rest = cluster.channel(...others(cluster, leader));
    const before = cluster.sim.nowUs;
    cluster.run(() => untilOk(() => put(rest, 'after', 'x', {}, 1 * SECOND)));
    expect(cluster.sim.nowUs - before).toBeLessThan(5 * SECOND);
    leader.station.powerOn();
    cluster.start(leader);
    cluster.sim.runFor(3 * SECOND);
    expect(cluster.run(() => get(cluster.channel(leader), 'after', { serializable: true }))).toBe('x');
  });

  it('add a learner, promote it when it caught up, and remove a member, who then ends', () => {
    start({ spare: 1 });
    const [first, second, third, fourth] = cluster.nodes;
    const channel = cluster.channel(first!);
    cluster.sim.runFor(6 * SECOND);
    const added = cluster.run(() =>
      channel.unary(ClusterService.MemberAdd, { peerUrls: [peerUrl(fourth!)], isLearner: true }, READY),
    );
    const id = added.member!.id;
    expect(added.members).toHaveLength(4);
    expect(cluster.run(() => refusal(channel.unary(ClusterService.MemberPromote, { id }, READY)))).toBe(
      'FailedPrecondition: etcdserver: can only promote a learner member which is in sync with leader',
    );
    const list = initialCluster([first!, second!, third!, fourth!]);
    fourth!.args = cluster.arguments(fourth!, list, 'existing');
    cluster.start(fourth!);
    cluster.sim.runFor(3 * SECOND);
    const learner = cluster.channel(fourth!);
    expect(cluster.run(() => status(learner)).isLearner).toBe(true);
    expect(cluster.run(() => refusal(get(learner, 'a')))).toBe(
      'FailedPrecondition: etcdserver: rpc not supported for learner',
    );
    cluster.run(() => channel.unary(ClusterService.MemberPromote, { id }, READY));
    cluster.sim.runFor(SECOND);
    expect(cluster.run(() => status(learner)).isLearner).toBe(false);
    cluster.sim.runFor(6 * SECOND);
    const gone = cluster.run(() => members(channel)).find((member) => member.name === third!.name)!;
    cluster.run(() => channel.unary(ClusterService.MemberRemove, { id: gone.id }, READY));
    cluster.sim.runFor(3 * SECOND);
    expect(third!.process!.exit.peek()?.code).toBe(0);
    expect(cluster.lines(third!).join('\n')).toContain('permanently removed from the cluster');
    expect(cluster.run(() => members(channel)).map((member) => member.name)).not.toContain(third!.name);
  });

  it('stream every change to a watcher', () => {
    start();
    const channel = cluster.channel(...cluster.nodes);
    const seen: WatchResponse[] = [];
    cluster.spawn('watch', function* (): Task<void> {
      const stream = channel.stream(WatchService.Watch);
      stream.send({
        createRequest: WatchCreateRequest.of({ key: utf8Encode('w'), rangeEnd: utf8Encode('x'), prevKv: true }),
        cancelRequest: null,
        progressRequest: null,
      });
      for (;;) {
        const response = yield* stream.receive();
        if (response === undefined) return;
        seen.push(response);
      }
    });
    cluster.sim.runFor(SECOND);
    cluster.run(() => put(channel, 'w1', 'a'));
    cluster.run(() => put(channel, 'w1', 'b'));
    cluster.run(() => put(channel, 'other', '-'));
    cluster.sim.runFor(SECOND);
    expect(seen.map((response) => response.created)).toEqual([true, false, false]);
    const events = seen.flatMap((response) => response.events);
    expect(events.map((event) => utf8Decode(event.kv.value))).toEqual(['a', 'b']);
    expect(utf8Decode(events[1]!.prevKv!.value)).toBe('a');
  });

  it('let a lease expire with its keys, on time, unless it is kept alive', () => {
    start();
    const channel = cluster.channel(...cluster.nodes);
    const expired: number[] = [];
    cluster.sim.on(EtcdEvent.LeaseExpired, (event) => expired.push(event.timeUs));
    const { id } = cluster.run(() => channel.unary(LeaseService.LeaseGrant, { ttl: 5, id: NO_LEASE }, READY));
    cluster.run(() => put(channel, 'held', 'x', { lease: id }));
    const keep = channel.stream(LeaseService.LeaseKeepAlive);
    cluster.sim.runFor(4 * SECOND);
    cluster.run(function* () {
      keep.send({ id });
      expect((yield* keep.receive())!.ttl).toBe(5);
    });
    const renewedUs = cluster.sim.nowUs;
    cluster.sim.runFor(4 * SECOND);
    expect(cluster.run(() => get(channel, 'held'))).toBe('x');
    cluster.sim.runFor(2 * SECOND);
    expect(cluster.run(() => get(channel, 'held'))).toBeUndefined();
    expect(expired[0]! - renewedUs).toBeGreaterThan(4.9 * SECOND);
    expect(expired[0]! - renewedUs).toBeLessThan(5.6 * SECOND);
  });

  it('bring a member that fell behind the log up by a snapshot, and serve one for backup', () => {
    start({ flags: ['--snapshot-count=20', '--snapshot-catchup-entries=5'] });
    const leader = leaderOf(cluster);
    const [behind, other] = others(cluster, leader);
    behind!.station.powerOff();
    const channel = cluster.channel(leader, other!);
    for (let i = 0; i < 300; i++) cluster.run(() => put(channel, `k${i % 40}`, `v${i}`));
    behind!.station.powerOn();
    const applied: number[] = [];
    cluster.sim.on(EtcdEvent.SnapshotApplied, (event) => applied.push(event.timeUs));
    cluster.start(behind!);
    cluster.sim.runFor(5 * SECOND);
    expect(applied).toHaveLength(1);
    const late = cluster.channel(behind!);
    expect(cluster.run(() => get(late, 'k19', { serializable: true }))).toBe('v299');
    const hashes = cluster.nodes.map(
      (node) => cluster.run(() => cluster.channel(node).unary(MaintenanceService.HashKV, { revision: 0 }, READY)).hash,
    );
    expect(new Set(hashes).size).toBe(1);
    const blobs: Uint8Array[] = [];
    cluster.run(function* () {
      const stream = late.stream(MaintenanceService.Snapshot);
      stream.send({});
      stream.closeSend();
      for (;;) {
        const part = yield* stream.receive();
        if (part === undefined) return;
        blobs.push(part.blob);
      }
    });
    const file = concatBytes(blobs);
    expect(file.length % 512).toBe(32);
    const sum = cluster.ops.crypto.sha256(file.subarray(0, file.length - 32));
    expect([...sum]).toEqual([...file.subarray(file.length - 32)]);
  });

  it('refuse what the API refuses, in its words', () => {
    start();
    const channel = cluster.channel(cluster.nodes[0]!);
    const refused = (task: () => Task<unknown>): string => cluster.run(() => refusal(task()));
    expect(refused(() => put(channel, '', 'x'))).toBe('InvalidArgument: etcdserver: key is not provided');
    expect(refused(() => put(channel, 'k', 'x', { lease: '00000000000000ff' }))).toBe(
      'NotFound: etcdserver: requested lease not found',
    );
    expect(refused(() => range(channel, 'k', { revision: 99 }))).toBe(
      'OutOfRange: etcdserver: mvcc: required revision is a future revision',
    );
    const big = PutRequest.of({ key: utf8Encode('k'), value: new Uint8Array(1_600_000) });
    expect(refused(() => channel.unary(KvService.Put, big, READY))).toBe(
      'InvalidArgument: etcdserver: request is too large',
    );
  });
});
