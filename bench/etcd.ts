import { KeyValue, NO_LEASE, PutRequest } from '../src/api/etcd/kv.ts';
import { KvService, WatchService } from '../src/api/etcd/services.ts';
import { WatchCreateRequest } from '../src/api/etcd/watch.ts';
import { ETCD_3_6 } from '../src/etcd/behaviour.ts';
import { BackendFrame, encodeFrame, readFrames } from '../src/etcd/server/backend/frame.ts';
import { encodeImage, StateBuilder } from '../src/etcd/server/backend/image.ts';
import { keyOf } from '../src/etcd/server/mvcc/keys.ts';
import { ReplicatedState } from '../src/etcd/server/state/replicated.ts';
import { FastCrc32c } from '../src/etcd/server/wal/crc.ts';
import { CheckerSet } from '../src/lab/checkers/all.ts';
import { concatBytes, utf8Encode } from '../src/platform/bytes.ts';
import type { Task } from '../src/platform/task.ts';
import { SimCluster } from '../test/etcd/sim-cluster.ts';
import { EtcdLoad, get, type LoadCall, put, putOrGet } from './etcd-load.ts';
import type { Figure } from './figure.ts';
import { processorMs } from './processor-time.ts';

const SECOND = 1_000_000;

/** Parts of the benchmark by name: `npm run bench -- etcd/checked`. */
export const ETCD_PARTS: Readonly<Record<string, () => Figure[]>> = {
  throughput,
  checked,
  watchFanOut,
  memory,
  restart,
};

/** etcd in simulations of three members, and its store alone. */
export function benchEtcd(): Figure[] {
  return Object.values(ETCD_PARTS).flatMap((part) => part());
}

/** Puts and linearizable reads. Best of some rounds, since what else the machine does only slows them. */
function throughput(): Figure[] {
  const rounds = 16;
  const load = new EtcdLoad();
  const best = (count: number, call: LoadCall): number => {
    load.drive(20_000, call);
    const ms = Math.min(...Array.from({ length: rounds }, () => load.drive(count, call)));
    return Math.round((count * 1000) / ms);
  };
  const puts = best(30_000, put);
  const gets = best(50_000, get);
  load.close();
  return [
    { name: 'puts through three members', value: puts, unit: 'ops/s' },
    { name: 'linearizable reads', value: gets, unit: 'ops/s' },
  ];
}

/**
 * The same load, half puts and half linearizable reads, with all checkers and without any, in short rounds by turns. The
 * better half of the rounds is compared: the best one alone is luck.
 */
function checked(): Figure[] {
  const count = 10_000;
  const rounds = 40;
  const checkers = new CheckerSet();
  const loads = [new EtcdLoad(), new EtcdLoad(checkers)];
  for (const load of loads) load.drive(3 * count, putOrGet);
  const times = loads.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, load] of loads.entries()) times[i]!.push(load.drive(count, putOrGet));
  }
  for (const load of loads) load.close();
  const { violations, etcd } = checkers;
  if (etcd.reads < (rounds * count) / 2) throw new Error(`the checkers saw ${etcd.reads} reads only`);
  const [violation] = violations;
  if (violation !== undefined) throw new Error(`the checkers complain: ${violation.detail}`);
  const [plainMs, followedMs] = times.map(betterHalf);
  return [{ name: 'checker overhead', value: Math.round((followedMs! / plainMs! - 1) * 100), unit: '%' }];
}

/** Sum of the smaller half. */
function betterHalf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.slice(0, Math.ceil(sorted.length / 2)).reduce((sum, value) => sum + value, 0);
}

/** Events handed to a thousand watchers of one prefix. */
function watchFanOut(): Figure[] {
  const cluster = new SimCluster({ digest: 'fast' });
  cluster.sim.runFor(2 * SECOND);
  let received = 0;
  for (let i = 0; i < 1000; i++) {
    const channel = cluster.channel(cluster.nodes[i % 3]!);
    cluster.spawn(`watch-${i}`, function* (): Task<void> {
      const stream = channel.stream(WatchService.Watch, { waitForReady: true });
      stream.send({
        createRequest: WatchCreateRequest.of({ key: utf8Encode('w'), rangeEnd: utf8Encode('x') }),
        cancelRequest: null,
        progressRequest: null,
      });
      for (;;) {
        const response = yield* stream.receive();
        if (response === undefined) return;
        received += response.events.length;
      }
    });
  }
  cluster.sim.runFor(5 * SECOND);
  const channel = cluster.channel(cluster.nodes[0]!);
  const events = 100;
  const ms = processorMs(() => {
    for (let i = 0; i < events; i++) {
      cluster.run(() =>
        channel.unary(KvService.Put, PutRequest.of({ key: utf8Encode(`w${i}`), value: utf8Encode('v') })),
      );
    }
    cluster.sim.runUntil(() => received >= events * 1000, { untilUs: cluster.sim.nowUs + 60 * SECOND });
  });
  cluster.close();
  return [{ name: 'events to 1,000 watchers', value: Math.round((received * 1000) / ms), unit: 'events/s' }];
}

const KEYS = 1_000_000;
const KEY_BYTES = 16;
const VALUE_BYTES = 32;

/** Memory of a store with a million keys of one revision each, beside keys and values themselves. */
function memory(): Figure[] {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage();
  const state = newState();
  let putMs = 0;
  putMs = processorMs(() => {
    for (let i = 0; i < KEYS; i++) {
      const key = utf8Encode(`key-${String(i).padStart(KEY_BYTES - 4, '0')}`);
      state.store.beginWrite();
      state.store.put(keyOf(key), key, new Uint8Array(VALUE_BYTES).fill(i), NO_LEASE);
      state.store.endWrite();
      if (i % 1000 === 0) state.pending.clear();
    }
  });
  state.pending.clear();
  collect?.();
  const after = process.memoryUsage();
  const used = after.heapUsed - before.heapUsed + (after.arrayBuffers - before.arrayBuffers);
  const perKey = used / KEYS - KEY_BYTES - VALUE_BYTES;
  const rangeMs = processorMs(() => state.store.range({ from: 'key-', end: null, single: false }, KEYS + 1, 0));
  return [
    { name: 'memory per key over its data, 1,000,000 keys', value: Math.round(perKey), unit: 'bytes' },
    { name: 'puts into the store alone', value: Math.round((KEYS * 1000) / putMs), unit: 'ops/s' },
    { name: 'range over 1,000,000 keys', value: Math.round(rangeMs), unit: 'ms' },
  ];
}

function newState(): ReplicatedState {
  return new ReplicatedState({
    clusterId: '0000000000000001',
    memberId: '0000000000000002',
    maxLearners: 1,
    minLeaseTtlSec: 2,
    storesLeaseCheckpoints: false,
    behaviour: ETCD_3_6,
  });
}

/** Reading a database of 100,000 changes back, and writing it as one image. */
function restart(): Figure[] {
  const changes = 100_000;
  const parts: Uint8Array[] = encodeImage(newState().export());
  const value = new Uint8Array(64).fill(120);
  const sums = new FastCrc32c();
  for (let at = 0; at < changes; at += 1000) {
    const revisions = Array.from({ length: 1000 }, (_, i) => ({
      sub: 0,
      kv: KeyValue.of({
        key: utf8Encode(`key-${(at + i) % 20_000}`),
        createRevision: ((at + i) % 20_000) + 2,
        modRevision: at + i + 2,
        version: Math.floor((at + i) / 20_000) + 1,
        value,
      }),
    }));
    parts.push(encodeFrame(BackendFrame.of({ index: at + 1000, term: 2, revisions }), sums));
  }
  const file = concatBytes(parts);
  const ms = processorMs(() => {
    const builder = new StateBuilder();
    readFrames(file, (frame) => builder.add(frame));
    newState().load(builder.finish());
  });
  return [{ name: 'restart with 100,000 entries', value: Math.round(ms), unit: 'ms' }];
}
