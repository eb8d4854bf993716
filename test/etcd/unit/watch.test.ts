import { describe, expect, it } from 'vitest';
import { NO_LEASE } from '../../../src/api/etcd/kv.ts';
import { WatchCreateRequest, WatchFilter, type WatchResponse } from '../../../src/api/etcd/watch.ts';
import { bytesOf } from '../../../src/etcd/server/mvcc/keys.ts';
import { MvccStore } from '../../../src/etcd/server/mvcc/store.ts';
import { WatchHub } from '../../../src/etcd/server/watch/hub.ts';
import { WatchStream } from '../../../src/etcd/server/watch/stream.ts';
import { utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';
import type { Random } from '../../../src/platform/random.ts';
import { HandClock } from '../storm/hand-clock.ts';

const NO_RANDOM = { int: (min: number) => min } as unknown as Random;

class Bench {
  readonly clock = new HandClock();
  store = newStore();
  readonly hub = new WatchHub(this.clock, () => this.store);

  stream(options: { progressUs?: number; fragmentBytes?: number; refusesNegative?: boolean } = {}): WatchStream {
    return new WatchStream({
      hub: this.hub,
      clock: this.clock,
      random: NO_RANDOM,
      store: () => this.store,
      header: (revision) => ({
        clusterId: '0000000000000001',
        memberId: '0000000000000001',
        raftTerm: 1,
        revision: revision === 0 ? this.store.currentRevision : revision,
      }),
      progressIntervalUs: options.progressUs ?? 600_000_000,
      fragmentBytes: options.fragmentBytes ?? 2_000_000,
      refusesNegativeStart: options.refusesNegative ?? false,
    });
  }

  put(...pairs: readonly (readonly [string, string])[]): void {
    this.store.beginWrite();
    for (const [key, value] of pairs) this.store.put(key, bytesOf(key), utf8Encode(value), NO_LEASE);
    this.hub.publish(this.store.endWrite());
  }

  remove(key: string): void {
    this.store.beginWrite();
    this.store.deleteRange({ from: key, end: `${key}\0`, single: true });
    this.hub.publish(this.store.endWrite());
  }

  compact(revision: number): void {
    this.store.scheduleCompaction(revision);
    let from = this.store.compactStep(revision, null, 100);
    while (from !== null) from = this.store.compactStep(revision, from, 100);
  }
}

function newStore(): MvccStore {
  const sink = { revisionAdded: () => {}, compactionScheduled: () => {}, compactionFinished: () => {} };
  return new MvccStore(sink, { attach: () => {}, detach: () => {} });
}

/** Takes what a stream has to say now. */
function drain(stream: WatchStream): WatchResponse[] {
  const responses: WatchResponse[] = [];
  for (;;) {
    const step = stream.next().next();
    if (!step.done) return responses;
    responses.push(...step.value);
  }
}

function watch(key: string, more: Partial<WatchCreateRequest> = {}): WatchCreateRequest {
  return WatchCreateRequest.of({ key: utf8Encode(key), ...more });
}

const text = (response: WatchResponse): string[] =>
  response.events.map(
    (event) => `${event.type === 0 ? 'PUT' : 'DEL'} ${utf8Decode(event.kv.key)}=${utf8Decode(event.kv.value)}`,
  );

describe('a watch stream', () => {
  it('says "created" before anything else, and delivers one answer for each revision', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('a', { rangeEnd: utf8Encode('c') }));
    bench.put(['a', '1'], ['b', '2'], ['c', '3']);
    bench.remove('a');
    const [created, first, second] = drain(stream);
    expect(created).toMatchObject({ created: true, watchId: 0, header: { revision: 1 } });
    expect(text(first!)).toEqual(['PUT a=1', 'PUT b=2']);
    expect(first!.header!.revision).toBe(2);
    expect(text(second!)).toEqual(['DEL a=']);
    expect(second!.events[0]!.kv).toMatchObject({ modRevision: 3, createRevision: 0, version: 0 });
  });

  it('replays history from its start revision, then goes on without a gap', () => {
    const bench = new Bench();
    for (let i = 0; i < 5; i++) bench.put(['k', String(i)]);
    const stream = bench.stream();
    stream.create(watch('k', { startRevision: 3 }));
    bench.put(['k', 'during']);
    bench.clock.advance(100_000);
    bench.put(['k', 'after']);
    const [, replay, live] = drain(stream);
    expect(text(replay!)).toEqual(['PUT k=1', 'PUT k=2', 'PUT k=3', 'PUT k=4', 'PUT k=during']);
    expect(text(live!)).toEqual(['PUT k=after']);
  });

  it('cuts history into answers of at most a thousand revisions, never within one', () => {
    const bench = new Bench();
    for (let i = 0; i < 2500; i++) bench.put([`k${i}a`, 'x'], [`k${i}b`, 'x']);
    const stream = bench.stream();
    stream.create(watch('k', { rangeEnd: utf8Encode('l'), startRevision: 1 }));
    bench.clock.advance(1_000_000);
    const replies = drain(stream).slice(1);
    expect(replies.map((reply) => reply.events.length)).toEqual([2000, 2000, 1000]);
    for (const reply of replies) expect(reply.events[0]!.kv.modRevision).not.toBe(reply.events.at(-1)!.kv.modRevision);
  });

  it('waits for a start revision in the future, without events or progress before it', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('k', { startRevision: 4 }));
    bench.put(['k', '2']);
    bench.put(['k', '3']);
    stream.requestProgress();
    expect(drain(stream)).toHaveLength(1);
    bench.put(['k', '4']);
    expect(drain(stream).map(text)).toEqual([['PUT k=4']]);
    stream.requestProgress();
    expect(drain(stream)).toMatchObject([{ watchId: -1, header: { revision: 4 }, events: [] }]);
  });

  it('ends a watch that needs what was compacted, with the revision it could begin at', () => {
    const bench = new Bench();
    for (let i = 0; i < 5; i++) bench.put(['k', String(i)]);
    bench.compact(4);
    const stream = bench.stream();
    stream.create(watch('k', { startRevision: 3 }));
    stream.create(watch('k', { startRevision: 4 }));
    bench.clock.advance(100_000);
    const [, , cancelled, replay] = drain(stream);
    expect(cancelled).toMatchObject({ canceled: true, compactRevision: 4, cancelReason: '', header: { revision: 0 } });
    expect(text(replay!)).toEqual(['PUT k=2', 'PUT k=3', 'PUT k=4']);
  });

  it('sees a deletion at exactly the compacted revision', () => {
    const bench = new Bench();
    bench.put(['k', '1']);
    bench.remove('k');
    bench.compact(3);
    const stream = bench.stream();
    stream.create(watch('k', { startRevision: 3 }));
    bench.clock.advance(100_000);
    expect(text(drain(stream)[1]!)).toEqual(['DEL k=']);
  });

  it('numbers watches from 0, does not go back, and refuses an id in use', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('a'));
    stream.create(watch('b', { watchId: 1 }));
    stream.create(watch('c'));
    stream.cancel(0);
    stream.create(watch('d'));
    stream.create(watch('e', { watchId: 2 }));
    stream.cancel(77);
    expect(drain(stream).map(({ watchId, canceled, cancelReason }) => [watchId, canceled, cancelReason])).toEqual([
      [0, false, ''],
      [1, false, ''],
      [2, false, ''],
      [0, true, ''],
      [3, false, ''],
      [-1, true, 'mvcc: duplicate watch ID provided on the WatchStream'],
    ]);
  });

  it('refuses an empty range, and a negative start where the release does', () => {
    const bench = new Bench();
    const stream = bench.stream({ refusesNegative: true });
    stream.create(watch('b', { rangeEnd: utf8Encode('a') }));
    stream.create(watch('b', { startRevision: -1 }));
    expect(drain(stream)).toMatchObject([
      { created: true, canceled: true, watchId: -1, cancelReason: 'mvcc: watcher range is empty' },
      {
        created: true,
        canceled: true,
        watchId: -1,
        cancelReason: 'etcdserver: mvcc: required revision has been compacted',
      },
    ]);
  });

  it('leaves out what filters do not want, and answers that would be empty', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('k', { filters: [WatchFilter.NoPut] }));
    stream.create(watch('k', { filters: [WatchFilter.NoDelete] }));
    bench.put(['k', '1']);
    bench.remove('k');
    expect(
      drain(stream)
        .slice(2)
        .map((response) => [response.watchId, ...text(response)]),
    ).toEqual([
      [1, 'PUT k=1'],
      [0, 'DEL k='],
    ]);
  });

  it('adds the value before, unless it was compacted meanwhile', () => {
    const bench = new Bench();
    bench.put(['k', '1']);
    const stream = bench.stream();
    stream.create(watch('k', { prevKv: true }));
    bench.put(['k', '2']);
    expect(utf8Decode(drain(stream)[1]!.events[0]!.prevKv!.value)).toBe('1');
    bench.put(['k', '3']);
    bench.compact(4);
    expect(drain(stream)[0]!.events[0]!.prevKv).toBeNull();
  });

  it('cuts large answers between events when asked to, and marks all pieces but the last', () => {
    const bench = new Bench();
    const stream = bench.stream({ fragmentBytes: 2000 });
    stream.create(watch('k', { rangeEnd: utf8Encode('l'), fragment: true }));
    stream.create(watch('k', { rangeEnd: utf8Encode('l') }));
    bench.put(...Array.from({ length: 30 }, (_, i) => [`k${i}`, 'x'.repeat(200)] as const));
    const replies = drain(stream).slice(2);
    const pieces = replies.filter((reply) => reply.watchId === 0);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.map((piece) => piece.fragment)).toEqual([...pieces.slice(1).map(() => true), false]);
    expect(pieces.flatMap((piece) => piece.events)).toHaveLength(30);
    expect(replies.filter((reply) => reply.watchId === 1)).toHaveLength(1);
  });

  it('never drops an event of a client that reads too slowly', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('k'));
    for (let i = 0; i < 400; i++) bench.put(['k', String(i)]);
    const values: string[] = [];
    for (let round = 0; round < 50; round++) {
      for (const response of drain(stream)) values.push(...response.events.map((event) => utf8Decode(event.kv.value)));
      bench.clock.advance(10_000);
    }
    bench.clock.advance(1_000_000);
    for (const response of drain(stream)) values.push(...response.events.map((event) => utf8Decode(event.kv.value)));
    expect(values).toEqual(Array.from({ length: 400 }, (_, i) => String(i)));
  });

  it('tells of progress only when every watcher is up to date', () => {
    const bench = new Bench();
    bench.put(['k', '1']);
    const stream = bench.stream();
    stream.requestProgress();
    stream.create(watch('k'));
    stream.create(watch('k', { startRevision: 1 }));
    stream.requestProgress();
    expect(drain(stream)).toHaveLength(2);
    bench.clock.advance(100_000);
    stream.requestProgress();
    expect(drain(stream).at(-1)).toMatchObject({ watchId: -1, header: { revision: 2 } });
  });

  it('notifies of progress after a quiet interval, not after a busy one', () => {
    const bench = new Bench();
    const stream = bench.stream({ progressUs: 1_000_000 });
    stream.create(watch('k', { progressNotify: true }));
    stream.create(watch('k'));
    drain(stream);
    bench.clock.advance(500_000);
    bench.put(['k', '1']);
    drain(stream);
    bench.clock.advance(600_000);
    expect(drain(stream)).toEqual([]);
    bench.clock.advance(1_000_000);
    expect(drain(stream)).toMatchObject([{ watchId: 0, events: [], header: { revision: 2 } }]);
  });

  it('goes on from where it was when a snapshot replaced the store', () => {
    const bench = new Bench();
    bench.put(['k', '1']);
    const stream = bench.stream();
    stream.create(watch('k'));
    drain(stream);
    const replaced = newStore();
    for (let i = 1; i <= 4; i++) {
      replaced.beginWrite();
      replaced.put('k', bytesOf('k'), utf8Encode(String(i)), NO_LEASE);
      replaced.endWrite();
    }
    bench.store = replaced;
    bench.hub.storeReplaced();
    bench.clock.advance(100_000);
    expect(text(drain(stream)[0]!)).toEqual(['PUT k=2', 'PUT k=3', 'PUT k=4']);
  });

  it('leaves nothing behind when it is closed', () => {
    const bench = new Bench();
    const stream = bench.stream();
    stream.create(watch('a'));
    stream.create(watch('b', { startRevision: 1 }));
    stream.close();
    expect(bench.hub.watcherCount).toBe(0);
  });
});
