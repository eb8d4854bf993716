import { afterEach, describe, expect, it } from 'vitest';
import { DeleteRangeRequest, NO_LEASE, PutRequest, RequestOp, TxnRequest } from '../../src/api/etcd/kv.ts';
import {
  ClusterService,
  KvService,
  LeaseService,
  MaintenanceService,
  WatchService,
} from '../../src/api/etcd/services.ts';
import { WatchCreateRequest } from '../../src/api/etcd/watch.ts';
import { ETCD_3_4 } from '../../src/etcd/behaviour.ts';
import { EtcdClient } from '../../src/etcd/client/client.ts';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { readFrames } from '../../src/etcd/server/backend/frame.ts';
import { StateBuilder } from '../../src/etcd/server/backend/image.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import type { Task } from '../../src/platform/task.ts';
import { HttpClient } from '../../src/rpc/http/client.ts';
import { type HttpResponse, partBytes } from '../../src/rpc/http/message.ts';
import { get, leaderOf, members, others, put, READY, range, refusal, status } from './helpers.ts';
import { type ClusterOptions, clientUrl, initialCluster, type Node, peerUrl, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;

describe('a cluster in operation', () => {
  let cluster: SimCluster;
  afterEach(() => cluster.close());
  const start = (options: ClusterOptions = {}): SimCluster => {
    cluster = new SimCluster(options);
    cluster.sim.runFor(8 * SECOND);
    return cluster;
  };
  const request = (node: Node, target: string, port = 2381, method = 'GET'): HttpResponse => {
    const client = new HttpClient(cluster.ops, { address: node.address, port });
    const answer = cluster.run(() => client.request({ target, method }));
    client.close();
    return answer;
  };
  const fetch = (...asked: Parameters<typeof request>): { status: number; text: string } => {
    const answer = request(...asked);
    return { status: answer.status, text: utf8Decode(partBytes(answer.body)) };
  };

  it('hands leadership over when the leader is told to stop, faster than an election', () => {
    start();
    const leader = leaderOf(cluster);
    const before = cluster.sim.nowUs;
    const became: number[] = [];
    cluster.sim.on(EtcdEvent.BecameLeader, (event) => became.push(event.timeUs - before));
    leader.process!.signal('SIGTERM');
    cluster.sim.runFor(3 * SECOND);
    expect(leader.process!.exit.peek()?.code).toBe(0);
    expect(became).toHaveLength(1);
    expect(became[0]).toBeLessThan(300_000);
  });

  it('moves leadership where it is asked to, and refuses what cannot lead', () => {
    start();
    const leader = leaderOf(cluster);
    const [other] = others(cluster, leader);
    const idOf = (node: Node): string => cluster.run(() => status(cluster.channel(node))).header!.memberId;
    const move = (via: Node, targetId: string): string =>
      cluster.run(() => refusal(cluster.channel(via).unary(MaintenanceService.MoveLeader, { targetId }, READY)));
    expect(move(other!, idOf(other!))).toBe('FailedPrecondition: etcdserver: not leader');
    expect(move(leader, '00000000000000ff')).toBe('FailedPrecondition: etcdserver: bad leader transferee');
    expect(move(leader, idOf(other!))).toBe('OK');
    expect(leaderOf(cluster)).toBe(other);
  });

  it('ends streams that require a leader once there has been none for three elections', () => {
    start();
    const [first, ...rest] = cluster.nodes;
    for (const node of rest) cluster.kill(node);
    cluster.sim.runFor(100_000);
    const watch = (metadata: Readonly<Record<string, string>>): Task<string> =>
      refusal(
        (function* (): Task<void> {
          const stream = cluster.channel(first!).stream(WatchService.Watch, { metadata });
          stream.send({
            createRequest: WatchCreateRequest.of({ key: utf8Encode('a') }),
            cancelRequest: null,
            progressRequest: null,
          });
          while ((yield* stream.receive()) !== undefined);
        })(),
      );
    const before = cluster.sim.nowUs;
    expect(cluster.run(() => watch({ hasleader: 'true' }))).toBe('Unavailable: etcdserver: no leader');
    const waitedUs = cluster.sim.nowUs - before;
    expect(waitedUs).toBeGreaterThan(2 * SECOND);
    expect(waitedUs).toBeLessThan(7 * SECOND);
    // From now on such a stream is not even opened; one that does not ask for a leader is.
    expect(cluster.run(() => watch({ hasleader: 'true' }))).toBe('Unavailable: etcdserver: no leader');
    expect(() => cluster.run(() => watch({}), 5 * SECOND)).toThrow('did not end');
  });

  it('lets a learner answer only what it may', () => {
    start({ spare: 1 });
    const channel = cluster.channel(cluster.nodes[0]!);
    const fourth = cluster.nodes[3]!;
    const peerUrls = [peerUrl(fourth)];
    cluster.run(() => put(channel, 'a', '1'));
    cluster.run(() => channel.unary(ClusterService.MemberAdd, { peerUrls, isLearner: true }, READY));
    const list = initialCluster(cluster.nodes);
    fourth.args = [...cluster.arguments(fourth, list, 'existing'), '--listen-metrics-urls=http://0.0.0.0:2381'];
    cluster.start(fourth);
    cluster.sim.runFor(5 * SECOND);
    const learner = cluster.channel(fourth);
    const refused = 'FailedPrecondition: etcdserver: rpc not supported for learner';
    expect(cluster.run(() => refusal(put(learner, 'a', '2')))).toBe(refused);
    expect(cluster.run(() => refusal(range(learner, 'a')))).toBe(refused);
    expect(cluster.run(() => get(learner, 'a', { serializable: true }))).toBe('1');
    expect(cluster.run(() => status(learner)).isLearner).toBe(true);
    expect(cluster.run(() => refusal(members(learner)))).toBe(refused);
    const grant = (): Task<unknown> => learner.unary(LeaseService.LeaseGrant, { ttl: 5, id: NO_LEASE }, READY);
    expect(cluster.run(() => refusal(grant()))).toBe(refused);
    expect(fetch(fourth, '/readyz')).toEqual({
      status: 503,
      text:
        '[+]data_corruption ok\n[+]serializable_read ok\n[+]linearizable_read ok\n' +
        '[-]non_learner failed: etcdserver: rpc not supported for learner\n\n',
    });
    expect(fetch(fourth, '/livez')).toEqual({ status: 200, text: 'ok\n' });
  });

  it('tells health and metrics where it is asked to', () => {
    start({ flags: ['--listen-metrics-urls=http://0.0.0.0:2381'] });
    const [first, second, third] = cluster.nodes;
    cluster.run(() => put(cluster.channel(first!), 'a', '1'));
    cluster.sim.runFor(SECOND);
    expect(fetch(first!, '/health')).toEqual({ status: 200, text: '{"health":"true","reason":""}' });
    expect(fetch(first!, '/readyz?verbose').text).toMatch(/\n\[\+\]linearizable_read ok\n\[\+\]non_learner ok\nok\n$/);
    expect(request(first!, '/livez?verbose').headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(fetch(first!, '/readyz/data_corruption')).toEqual({ status: 200, text: 'ok\n' });
    expect(fetch(first!, '/livez/linearizable_read').status).toBe(404);
    const metrics = fetch(first!, '/metrics').text.split('\n');
    const named = (kind: string): string[] =>
      metrics.filter((line) => line.startsWith(`# ${kind} `)).map((line) => line.split(' ')[2]!);
    expect(named('HELP')).toEqual(named('TYPE'));
    expect(metrics).toContain('etcd_server_has_leader 1');
    expect(metrics).toContain('etcd_debugging_mvcc_current_revision 2');
    expect(metrics).toContain('etcd_cluster_version{cluster_version="3.6"} 1');
    expect(metrics).toContain('etcd_mvcc_put_total 1');
    expect(metrics.filter((line) => line.startsWith('etcd_network_known_peers{'))).toHaveLength(2);
    expect(metrics).toContain('etcd_server_health_success 1');
    expect(fetch(first!, '/version').status).toBe(404);
    // The client port answers HTTP beside gRPC.
    expect(fetch(first!, '/health', 2379)).toEqual({ status: 200, text: '{"health":"true","reason":""}' });
    expect(fetch(first!, '/metrics', 2379).text).toContain('\netcd_server_health_success 2\n');
    const versions = '{"etcdserver":"3.6.5","etcdcluster":"3.6.0","storage":"3.6.0"}';
    expect(fetch(first!, '/version', 2379)).toEqual({ status: 200, text: versions });
    expect(fetch(first!, '/version', 2379, 'POST')).toEqual({ status: 405, text: 'Method Not Allowed\n' });
    expect(fetch(first!, '/v3/kv/range', 2379, 'POST')).toEqual({ status: 404, text: '404 page not found\n' });
    cluster.kill(second!);
    cluster.kill(third!);
    cluster.sim.runFor(5 * SECOND);
    expect(fetch(first!, '/health')).toEqual({ status: 503, text: '{"health":"false","reason":"RAFT NO LEADER"}' });
    expect(fetch(first!, '/health?serializable=true').status).toBe(200);
    expect(fetch(first!, '/readyz').status).toBe(503);
    expect(fetch(first!, '/livez').status).toBe(200);
    // A member without a quorum has its client port open, but takes nobody in before it has told its name.
    cluster.kill(first!);
    cluster.start(first!);
    cluster.sim.runFor(5 * SECOND);
    const waiting = { timeoutUs: 3 * SECOND, waitForReady: false };
    const channel = cluster.channel(first!);
    expect(cluster.run(() => refusal(channel.unary(MaintenanceService.Status, {}, waiting)))).toMatch(
      /^DeadlineExceeded/,
    );
    cluster.start(second!);
    cluster.sim.runFor(5 * SECOND);
    expect(cluster.run(() => status(channel)).leader).not.toBe('0000000000000000');
    expect(channel.state()).toBe('ready');
  });

  it('refuses requests that are too large: first the client, then gRPC, then the server itself', () => {
    start();
    const client = new EtcdClient(cluster.ops, { endpoints: [clientUrl(cluster.nodes[0]!)] });
    const attempt = (sizeBytes: number): string =>
      cluster.run(() => refusal(client.put({ key: utf8Encode('k'), value: new Uint8Array(sizeBytes) })));
    const MIB = 1024 * 1024;
    expect(attempt(MIB)).toBe('OK');
    expect(attempt(1.5 * MIB)).toBe('InvalidArgument: etcdserver: request is too large');
    expect(attempt(2 * MIB)).toBe('ResourceExhausted: trying to send message larger than max (2097160 vs. 2097152)');
    // Another client may try to send more; whether it is read at all is up to the server.
    const channel = cluster.channel(cluster.nodes[0]!);
    expect(cluster.run(() => refusal(put(channel, 'k', 'v'.repeat(2 * MIB))))).toBe(
      'ResourceExhausted: grpc: received message larger than max (2097160 vs. 2097152)',
    );
    // What it sends has no limit: a range may be larger than any request.
    for (let i = 0; i < 5; i++) {
      const value = new Uint8Array(MIB);
      cluster.run(() => client.put({ key: utf8Encode(`big${i}`), value }));
    }
    const all = cluster.run(() => client.range({ key: utf8Encode('big'), rangeEnd: utf8Encode('bih') }));
    expect(all.kvs.length).toBe(5);
    client.close();
  });

  it('panics, everywhere and at each restart, when a transaction keeps parts of a key that it deletes', () => {
    start();
    const channel = cluster.channel(...cluster.nodes);
    cluster.run(() => put(channel, 'a', '1'));
    const key = utf8Encode('a');
    const poison = TxnRequest.of({
      success: [
        // A range without an end is what the check for keys that come twice does not see.
        RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of({ key, rangeEnd: Uint8Array.of(0) }) }),
        RequestOp.of({ requestPut: PutRequest.of({ key, ignoreValue: true }) }),
      ],
    });
    const answer = cluster.run(() => refusal(channel.unary(KvService.Txn, poison, { timeoutUs: 5 * SECOND })));
    expect(answer).toContain('Unavailable');
    const ends = (): readonly string[] =>
      cluster.nodes.map((node) => (node.process!.exit.isSet ? cluster.lines(node).join() : 'lives'));
    const panic = 'unexpected error during txn with writes: etcdserver: key not found';
    expect(ends()).toEqual(Array(3).fill(expect.stringContaining(panic)));
    for (const node of cluster.nodes) cluster.start(node);
    cluster.sim.runFor(8 * SECOND);
    // A follower that had not heard of the commit lives on, without a quorum.
    expect(ends().filter((end) => end.includes(panic)).length).toBeGreaterThanOrEqual(2);
  });

  it('compacts by itself, by time and by revisions', () => {
    start({ flags: ['--auto-compaction-mode=revision', '--auto-compaction-retention=20'] });
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 50; i++) cluster.run(() => put(channel, 'a', String(i)));
    cluster.sim.runFor(6 * 60 * SECOND);
    expect(cluster.run(() => refusal(range(channel, 'a', { revision: 30 })))).toContain('has been compacted');
    expect(cluster.run(() => range(channel, 'a', { revision: 32 })).count).toBe(1);
    cluster.close();

    start({ flags: ['--auto-compaction-mode=periodic', '--auto-compaction-retention=10m'] });
    const again = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 30; i++) {
      cluster.run(() => put(again, 'a', String(i)));
      cluster.sim.runFor(60 * SECOND);
    }
    expect(cluster.run(() => refusal(range(again, 'a', { revision: 10 })))).toContain('has been compacted');
    expect(cluster.run(() => range(again, 'a', { revision: 25 })).count).toBe(1);
  });

  const timeLeftAfterFailover = (flags: readonly string[]): number => {
    start({ flags });
    const channel = cluster.channel(...cluster.nodes);
    const { id } = cluster.run(() => channel.unary(LeaseService.LeaseGrant, { ttl: 1000, id: NO_LEASE }, READY));
    cluster.sim.runFor(320 * SECOND);
    const leader = leaderOf(cluster);
    leader.station.powerOff();
    cluster.sim.runFor(4 * SECOND);
    const rest = cluster.channel(...others(cluster, leader));
    const ttl = cluster.run(() => rest.unary(LeaseService.LeaseTimeToLive, { id, keys: false }, READY)).ttl;
    cluster.close();
    return ttl;
  };

  it('gives a lease its whole time again after a failover, unless it was checkpointed', () => {
    expect(timeLeftAfterFailover([])).toBeGreaterThan(990);
    const checkpointed = timeLeftAfterFailover(['--feature-gates=LeaseCheckpoint=true']);
    expect(checkpointed).toBeGreaterThan(660);
    expect(checkpointed).toBeLessThan(715);
  });

  const pullAllPlugs = (): number => {
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 20; i++) cluster.run(() => put(channel, `k${i}`, 'x'));
    for (const node of cluster.nodes) node.station.powerOff();
    for (const node of cluster.nodes) {
      node.station.powerOn();
      cluster.start(node);
    }
    cluster.sim.runFor(3 * SECOND);
    const again = cluster.channel(...cluster.nodes);
    return cluster.run(() => range(again, 'k', { rangeEnd: utf8Encode('l') })).count;
  };

  it('forgets refused changes of membership once no start goes back to them', () => {
    start({ size: 1, flags: ['--snapshot-count=5', '--max-snapshots=2'] });
    const channel = cluster.channel(cluster.nodes[0]!);
    const remove = (): Task<unknown> => channel.unary(ClusterService.MemberRemove, { id: '00000000000000ff' }, READY);
    const stored = (): readonly number[] => {
      cluster.run(() => channel.unary(MaintenanceService.Defragment, {}, READY));
      const { fileSystem } = cluster.nodes[0]!.station.disk.volume('root');
      const file = fileSystem.lookup('/etcd/member/snap/db');
      if (file?.kind !== 'file') throw new Error('no database');
      const builder = new StateBuilder();
      readFrames(file.content.read(0, file.content.size), (frame) => builder.add(frame));
      return builder.finish().refusedChanges;
    };
    expect(cluster.run(() => refusal(remove()))).toContain('member not found');
    expect(stored()).toHaveLength(1);
    for (let i = 0; i < 20; i++) cluster.run(() => put(channel, 'a', String(i)));
    expect(cluster.run(() => refusal(remove()))).toContain('member not found');
    cluster.sim.runFor(SECOND);
    expect(stored()).toHaveLength(1);
  });

  it('forgets acknowledged writes in a power cut with --unsafe-no-fsync, and only then', () => {
    start({ seed: 3 });
    expect(pullAllPlugs()).toBe(20);
    cluster.close();
    start({ seed: 3, flags: ['--unsafe-no-fsync=true'] });
    expect(pullAllPlugs()).toBeLessThan(20);
  });

  it('behaves as 3.4 where told to', () => {
    start({ behaviour: ETCD_3_4 });
    const channel = cluster.channel(...cluster.nodes);
    const told = cluster.run(() => status(channel));
    expect(told).toMatchObject({ version: '3.4.23', storageVersion: '', dbSizeQuota: 0 });
    cluster.run(() => put(channel, 'a', '1'));
    cluster.run(() => put(channel, 'a', '2'));
    cluster.run(() => channel.unary(KvService.Compact, { revision: 3, physical: true }, READY));
    const hash = (): Task<unknown> => channel.unary(MaintenanceService.HashKV, { revision: 3 }, READY);
    expect(cluster.run(() => refusal(hash()))).toContain('has been compacted');
  });
});
