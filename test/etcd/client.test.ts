import { afterEach, describe, expect, it } from 'vitest';
import { NO_LEASE } from '../../src/api/etcd/kv.ts';
import { EtcdClient } from '../../src/etcd/client/client.ts';
import { untilDeleted, WatchLost } from '../../src/etcd/client/concurrency.ts';
import { Election } from '../../src/etcd/client/election.ts';
import { EndpointError, parseEndpoint } from '../../src/etcd/client/endpoints.ts';
import { Mutex } from '../../src/etcd/client/mutex.ts';
import { Session } from '../../src/etcd/client/session.ts';
import type { WatchUpdate } from '../../src/etcd/client/watch.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { END } from '../../src/platform/channel.ts';
import type { Task } from '../../src/platform/task.ts';
import { leaderOf, others, refusal, untilOk } from './helpers.ts';
import { clientUrl, type Node, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;
const bytes = utf8Encode;

describe('endpoints', () => {
  it('are read as users write them', () => {
    expect(['10.0.0.1', 'https://10.0.0.1:2', '[fd00::1]:9', 'http://localhost/'].map(parseEndpoint)).toEqual([
      { address: '10.0.0.1', port: 2379 },
      { address: '10.0.0.1', port: 2 },
      { address: 'fd00::1', port: 9 },
      { address: '127.0.0.1', port: 2379 },
    ]);
  });

  it.each(['', 'http://', ':2379', '10.0.0.1:', '10.0.0.1:70000', 'ftp://10.0.0.1:1', 'a b', 'http://a/b'])(
    '%j is refused, not taken for another place',
    (text) => {
      expect(() => parseEndpoint(text)).toThrow(EndpointError);
    },
  );
});

describe('the client', () => {
  let cluster: SimCluster;
  afterEach(() => cluster.close());
  const start = (): SimCluster => {
    cluster = new SimCluster();
    cluster.sim.runFor(2 * SECOND);
    return cluster;
  };
  const client = (...nodes: readonly Node[]): EtcdClient => {
    const chosen = nodes.length === 0 ? cluster.nodes : nodes;
    return new EtcdClient(cluster.ops, { endpoints: chosen.map(clientUrl) });
  };

  it('resumes a watch on another member without losing or repeating an event', () => {
    start();
    const leader = leaderOf(cluster);
    const [lost] = others(cluster, leader);
    const watching = client(lost!, leader);
    const writing = client(leader);
    const updates: WatchUpdate[] = [];
    cluster.spawn('watch', function* (): Task<void> {
      const watch = watching.watches.watch({ key: bytes('w'), rangeEnd: bytes('x'), startRevision: 1 });
      for (;;) {
        const update = yield* watch.receive();
        if (update === END) return;
        updates.push(update);
      }
    });
    for (let i = 0; i < 60; i++) {
      if (i === 20) lost!.station.powerOff();
      if (i === 40) {
        lost!.station.powerOn();
        cluster.start(lost!);
      }
      cluster.run(() => writing.put({ key: bytes(`w${i}`), value: bytes(String(i)) }));
      cluster.sim.runFor(200_000);
    }
    cluster.sim.runFor(20 * SECOND);
    const values = updates.flatMap((update) => update.events.map((event) => utf8Decode(event.kv.value)));
    expect(values).toEqual(Array.from({ length: 60 }, (_, i) => String(i)));
  });

  it('ends a watch below the compacted revision and says from where it could go on', () => {
    start();
    const etcd = client();
    for (let i = 0; i < 10; i++) cluster.run(() => etcd.put({ key: bytes('k'), value: bytes(String(i)) }));
    cluster.run(() => etcd.compact({ revision: 8 }));
    const last = cluster.run(function* () {
      const watch = etcd.watches.watch({ key: bytes('k'), startRevision: 3 });
      return yield* watch.receive();
    });
    expect(last).toMatchObject({ compactRevision: 8, error: { status: 'OutOfRange' } });
  });

  it('keeps a lease alive over a change of leaders, and a session until it is closed', () => {
    start();
    const leader = leaderOf(cluster);
    const etcd = client(...others(cluster, leader));
    const session = cluster.run(() => Session.open(etcd, { ttlSec: 5 }));
    cluster.run(() => etcd.put({ key: bytes('held'), lease: session.lease }));
    leader.station.powerOff();
    cluster.sim.runFor(20 * SECOND);
    expect(session.done.isSet).toBe(false);
    expect(cluster.run(() => untilOk(() => etcd.range({ key: bytes('held') }))).count).toBe(1);
    cluster.run(() => session.close());
    cluster.sim.runFor(SECOND);
    expect(session.done.isSet).toBe(true);
    expect(cluster.run(() => etcd.range({ key: bytes('held') })).count).toBe(0);
  });

  it('repeats what does no harm at another member, and nothing else', () => {
    start();
    const etcd = client();
    // A connection to each.
    for (let i = 0; i < 3; i++) cluster.run(() => etcd.put({ key: bytes('k') }));
    const ends: string[] = [];
    const begin = (name: string, body: () => Task<unknown>): void => {
      cluster.spawn(name, function* (): Task<void> {
        ends.push(`${name} ${yield* refusal(body())}`);
      });
    };
    // One of three calls in a row goes to each member.
    for (let i = 0; i < 3; i++) begin('range', () => etcd.range({ key: bytes('k') }));
    for (let i = 0; i < 3; i++) begin('put', () => etcd.put({ key: bytes(`p${i}`) }));
    const [gone] = others(cluster, leaderOf(cluster));
    cluster.kill(gone!);
    cluster.sim.runFor(5 * SECOND);
    expect(ends.sort()).toEqual([
      'put OK',
      'put OK',
      expect.stringMatching(/^put Unavailable: error reading from server/),
      ...['range OK', 'range OK', 'range OK'],
    ]);
    // Later calls go where somebody answers, whatever they are.
    for (let i = 0; i < 6; i++) expect(cluster.run(() => refusal(etcd.put({ key: bytes('k') })))).toBe('OK');
  });

  it('loses a session whose servers are gone, and closes its channel within the time to live', () => {
    start();
    const etcd = client();
    const session = cluster.run(() => Session.open(etcd, { ttlSec: 5 }));
    cluster.sim.runFor(2 * SECOND);
    for (const node of cluster.nodes) node.station.powerOff();
    cluster.sim.runFor(7 * SECOND);
    expect(session.done.isSet).toBe(true);
  });

  it('hands a lock over in the order of arrival', () => {
    start();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const etcd = client();
      cluster.spawn(name, function* (): Task<void> {
        const session = yield* Session.open(etcd);
        const mutex = new Mutex(session, 'lock');
        yield* mutex.lock();
        order.push(name);
        yield* cluster.ops.clock.sleep(3 * SECOND);
        order.push(`-${name}`);
        yield* mutex.unlock();
      });
      cluster.sim.runFor(200_000);
    }
    cluster.sim.runFor(20 * SECOND);
    expect(order).toEqual(['a', '-a', 'b', '-b', 'c', '-c', 'd', '-d']);
  });

  it('refuses a lock that is held, without waiting', () => {
    start();
    const etcd = client();
    const first = new Mutex(
      cluster.run(() => Session.open(etcd)),
      'lock',
    );
    const second = new Mutex(
      cluster.run(() => Session.open(etcd)),
      'lock',
    );
    cluster.run(() => first.tryLock());
    expect(() => cluster.run(() => second.tryLock())).toThrow('mutex: Locked by another session');
    cluster.run(() => first.unlock());
    cluster.run(() => second.tryLock());
  });

  it('elects the next candidate when the leader resigns, and tells observers', () => {
    start();
    const etcd = client();
    const one = new Election(
      cluster.run(() => Session.open(etcd)),
      'e',
    );
    const two = new Election(
      cluster.run(() => Session.open(etcd)),
      'e',
    );
    const values: string[] = [];
    cluster.spawn('observer', () => one.observe((kv) => values.push(utf8Decode(kv.value))));
    cluster.run(() => one.campaign(bytes('one')));
    let won = false;
    cluster.spawn('two', function* (): Task<void> {
      yield* two.campaign(bytes('two'));
      won = true;
    });
    cluster.sim.runFor(2 * SECOND);
    expect(won).toBe(false);
    cluster.run(() => one.proclaim(bytes('uno')));
    cluster.run(() => one.resign());
    cluster.sim.runFor(2 * SECOND);
    expect(won).toBe(true);
    expect(values).toEqual(['one', 'uno', 'two']);
    expect(utf8Decode(cluster.run(() => two.leader()).value)).toBe('two');
  });

  it('tells who waits or observes that its watch was lost, and why', () => {
    start();
    const etcd = client();
    const doomed = client();
    const ended: unknown[] = [];
    const session = cluster.run(() => Session.open(doomed));
    const record = (name: string, task: Task<unknown>): void =>
      cluster.spawn(name, function* (): Task<void> {
        try {
          yield* task;
        } catch (error) {
          ended.push(error);
        }
      });
    cluster.run(() => etcd.put({ key: bytes('led/1'), value: bytes('x') }));
    record(
      'follows',
      new Election(session, 'led').observe(() => undefined),
    );
    record(
      'awaits the first',
      new Election(session, 'vacant').observe(() => undefined),
    );
    record('campaigns', new Election(session, 'led').campaign(bytes('y')));
    cluster.sim.runFor(SECOND);
    expect(ended).toEqual([]);
    doomed.close();
    cluster.sim.runFor(SECOND);
    expect(ended).toHaveLength(3);
    for (const error of ended) expect(error).toBeInstanceOf(WatchLost);

    const { header } = cluster.run(() => etcd.put({ key: bytes('k') }));
    cluster.run(() => etcd.compact({ revision: header!.revision, physical: true }));
    expect(cluster.run(() => refusal(untilDeleted(etcd, bytes('k'), 1)))).toBe(
      'OutOfRange: etcdserver: mvcc: required revision has been compacted',
    );
  });

  it('tells an unknown lease from one that expired', () => {
    start();
    const etcd = client();
    const { id, ttl } = cluster.run(() => etcd.leases.grant(1));
    expect(ttl).toBe(2);
    cluster.run(() => etcd.put({ key: bytes('k'), lease: id }));
    expect(cluster.run(() => etcd.leases.timeToLive(id, true))).toMatchObject({ grantedTtl: 2, keys: [bytes('k')] });
    cluster.sim.runFor(4 * SECOND);
    expect(cluster.run(() => etcd.leases.timeToLive(id, false))).toMatchObject({ ttl: -1, grantedTtl: 0 });
    expect(cluster.run(() => refusal(etcd.leases.keepAliveOnce(id)))).toBe(
      'NotFound: etcdserver: requested lease not found',
    );
    expect(cluster.run(() => refusal(etcd.leases.revoke(NO_LEASE)))).toBe(
      'NotFound: etcdserver: requested lease not found',
    );
  });
});
