import { describe, expect, it } from 'vitest';
import { Scope } from '../../../src/platform/scope.ts';
import type { Task } from '../../../src/platform/task.ts';
import { ClusterState } from '../../../src/services/discovery/cluster.ts';
import { parseOptions } from '../../../src/services/discovery/options.ts';
import { RateLimiter } from '../../../src/services/discovery/rate-limiter.ts';
import { DiscoveryState } from '../../../src/services/discovery/state.ts';
import { OptionError } from '../../../src/services/flags.ts';
import { QueueExecutor } from '../../platform/queue-executor.ts';

const MINUTE = 60_000_000;

function data(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** Runs a task that must not have to wait. */
function now<T>(body: () => Task<T>): T {
  const executor = new QueueExecutor();
  let outcome: { value: T } | { error: unknown } | undefined;
  new Scope(executor, 'test').spawn('now', function* () {
    try {
      outcome = { value: yield* body() };
    } catch (error) {
      outcome = { error };
    }
  });
  executor.drain();
  if (outcome === undefined) throw new Error('it waits');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

describe('affiliates of a cluster', () => {
  it('watchers hear of every update with data, even the same one', () => {
    const cluster = new ClusterState();
    const { snapshot, subscription } = cluster.subscribe();
    expect(snapshot).toEqual([]);
    cluster.update('a', data(1), [], MINUTE);
    cluster.update('a', data(1), [], MINUTE);
    for (let i = 0; i < 2; i++) {
      expect(now(() => subscription.next())).toEqual({
        affiliates: [{ id: 'a', data: data(1), endpoints: [] }],
        deleted: false,
      });
    }
    expect(() => now(() => subscription.next())).toThrow('it waits');
  });

  it('endpoints alone make a stub; known ones only live longer, new ones are told', () => {
    const cluster = new ClusterState();
    const { subscription } = cluster.subscribe();
    cluster.update('a', null, [data(9)], MINUTE);
    expect(now(() => subscription.next())?.affiliates).toEqual([{ id: 'a', data: data(), endpoints: [data(9)] }]);
    cluster.update('a', null, [data(9)], 2 * MINUTE);
    expect(() => now(() => subscription.next())).toThrow('it waits');
    cluster.update('a', null, [data(8)], 2 * MINUTE);
    expect(now(() => subscription.next())?.affiliates[0]?.endpoints).toEqual([data(9), data(8)]);
  });

  it('updates of others keep a silent member alive', () => {
    const cluster = new ClusterState();
    cluster.update('a', data(1), [], MINUTE);
    cluster.update('a', null, [data(9)], 5 * MINUTE);
    expect(cluster.collect(4 * MINUTE)).toEqual([]);
    expect(cluster.collect(5 * MINUTE)).toEqual([]);
    expect(cluster.collect(5 * MINUTE + 1)).toEqual(['a']);
    expect(cluster.list()).toEqual([]);
  });

  it('an endpoint that expires is told as if its affiliate were gone', () => {
    const cluster = new ClusterState();
    cluster.update('a', data(1), [data(9)], MINUTE);
    cluster.update('a', data(1), [], 5 * MINUTE);
    const { subscription } = cluster.subscribe();
    expect(cluster.collect(2 * MINUTE)).toEqual([]);
    expect(now(() => subscription.next())).toMatchObject({ affiliates: [{ id: 'a' }], deleted: true });
    expect(cluster.list()).toEqual([{ id: 'a', data: data(1), endpoints: [] }]);
  });

  it('removal is told once', () => {
    const cluster = new ClusterState();
    cluster.update('a', data(1), [], MINUTE);
    const { snapshot, subscription } = cluster.subscribe();
    expect(snapshot.map((affiliate) => affiliate.id)).toEqual(['a']);
    cluster.remove('a');
    cluster.remove('a');
    expect(now(() => subscription.next())).toMatchObject({ affiliates: [{ id: 'a' }], deleted: true });
    expect(() => now(() => subscription.next())).toThrow('it waits');
  });

  it('limits: affiliates, endpoints (those before the limit stay)', () => {
    const cluster = new ClusterState();
    for (let i = 0; i < 1_024; i++) cluster.update(`m${i}`, data(1), [], MINUTE);
    expect(() => cluster.update('one more', data(1), [], MINUTE)).toThrow('too many affiliates in the cluster');
    const many = Array.from({ length: 65 }, (_, i) => data(i));
    expect(() => cluster.update('m0', null, many, MINUTE)).toThrow('too many endpoints in the affiliate');
    expect(cluster.list()[0]?.endpoints.length).toBe(64);
  });

  it('a watcher that falls behind by more than 32 changes is cut off', () => {
    const cluster = new ClusterState();
    const { subscription } = cluster.subscribe();
    for (let i = 0; i < 32; i++) cluster.update('a', data(i), [], MINUTE);
    expect(now(() => subscription.next())?.affiliates[0]?.data).toEqual(data(0));
    cluster.update('a', data(99), [], MINUTE);
    cluster.update('a', data(100), [], MINUTE);
    expect(() => now(() => subscription.next())).toThrow('subscription canceled: lost update');
  });

  it('clusters that nobody is in or watches are forgotten', () => {
    const state = new DiscoveryState();
    state.cluster('c').update('a', data(1), [], MINUTE);
    const { subscription } = state.cluster('c').subscribe();
    expect(state.collect(2 * MINUTE)).toEqual([{ clusterId: 'c', affiliateId: 'a' }]);
    expect(state.clusters.length).toBe(1);
    subscription.close();
    state.collect(3 * MINUTE);
    expect(state.clusters.length).toBe(0);
  });
});

describe('rate of a client address', () => {
  it('60 at once, then 15 a second, apart for each address', () => {
    const limiter = new RateLimiter();
    const forever = Number.MAX_SAFE_INTEGER;
    const waits = Array.from({ length: 75 }, () => limiter.reserve('a', 0, forever));
    expect(waits.slice(0, 60).every((wait) => wait === 0)).toBe(true);
    expect(waits[60]).toBe(66_666);
    expect(waits[74]).toBe(15 * 66_666);
    expect(limiter.reserve('b', 0, forever)).toBe(0);
    expect(limiter.reserve('a', 0, 1_000_000)).toBe(-1);
    expect(limiter.reserve('a', 5_000_000, 0)).toBe(0);
  });
});

describe('flags', () => {
  it('are those of the real service, the rest is refused by name', () => {
    expect(parseOptions([])).toMatchObject({ address: '0.0.0.0', port: 3_000, snapshotPath: undefined });
    expect(parseOptions(['--addr=10.0.0.9:443', '--snapshots-enabled', '--snapshot-interval=2m'])).toMatchObject({
      address: '10.0.0.9',
      port: 443,
      snapshotPath: '/var/discovery-service/state.binpb',
      snapshotIntervalUs: 2 * MINUTE,
    });
    expect(() => parseOptions(['--nope=1'])).toThrow(OptionError);
    expect(() => parseOptions(['--nope=1'])).toThrow('flag provided but not defined: -nope');
    expect(() => parseOptions(['nope'])).toThrow('unexpected argument "nope"');
    expect(() => parseOptions(['--addr=443'])).toThrow('addr: address:port expected, not "443"');
    expect(() => parseOptions(['--addr=somewhere:443'])).toThrow('addr: "somewhere" is not an IP address');
    expect(() => parseOptions(['--snapshot-interval=0m'])).toThrow('snapshot-interval: minutes expected, as in 10m');
    expect(() => parseOptions(['--snapshots-enabled=perhaps'])).toThrow('true or false expected');
    expect(parseOptions(['--addr=[fd00::9]:443'])).toMatchObject({ address: 'fd00::9', port: 443 });
  });
});
