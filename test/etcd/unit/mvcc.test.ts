import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyValue, NO_LEASE } from '../../../src/api/etcd/kv.ts';
import { prefixEnd } from '../../../src/api/etcd/ranges.ts';
import { hashAt } from '../../../src/etcd/server/mvcc/hash.ts';
import { bytesOf, keyOf, keyRange } from '../../../src/etcd/server/mvcc/keys.ts';
import { SortedBlocks } from '../../../src/etcd/server/mvcc/sorted-blocks.ts';
import { MvccStore, type StoreSink } from '../../../src/etcd/server/mvcc/store.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';

const SILENT: StoreSink = { revisionAdded: () => {}, compactionScheduled: () => {}, compactionFinished: () => {} };
const NO_LEASES = { attach: () => {}, detach: () => {} };

function newStore(): MvccStore {
  return new MvccStore(SILENT, NO_LEASES);
}

function put(store: MvccStore, key: string, value: string): void {
  store.beginWrite();
  store.put(key, bytesOf(key), utf8Encode(value), NO_LEASE);
  store.endWrite();
}

function remove(store: MvccStore, from: string, end: string): number {
  store.beginWrite();
  const count = store.deleteRange({ from, end, single: false }).length;
  store.endWrite();
  return count;
}

function compact(store: MvccStore, revision: number, batch = 3): void {
  expect(store.scheduleCompaction(revision)).toBeNull();
  let from = store.compactStep(revision, null, batch);
  while (from !== null) from = store.compactStep(revision, from, batch);
}

const ALL = { from: '', end: null, single: false };

describe('revisions', () => {
  it('start at 1, grow by one for each transaction that changes something, and number its changes', () => {
    const store = newStore();
    expect(store.currentRevision).toBe(1);
    expect(remove(store, 'a', 'z')).toBe(0);
    expect(store.currentRevision).toBe(1);
    store.beginWrite();
    store.put('a', bytesOf('a'), utf8Encode('1'), NO_LEASE);
    expect(store.readRevision).toBe(2);
    store.put('b', bytesOf('b'), utf8Encode('2'), NO_LEASE);
    const changes = store.log.newest(store.endWrite());
    expect(changes.map(({ main, sub }) => [main, sub])).toEqual([
      [2, 0],
      [2, 1],
    ]);
    expect(store.currentRevision).toBe(2);
  });

  it('of a long transaction are all found in the log, and no others', () => {
    const store = newStore();
    for (let i = 0; i < 700; i++) put(store, 'before', String(i));
    store.beginWrite();
    for (let i = 0; i < 3000; i++) store.put(`k${i}`, bytesOf(`k${i}`), utf8Encode('v'), NO_LEASE);
    const changes = store.log.newest(store.endWrite());
    expect(changes.map(({ main, sub }) => [main, sub])).toEqual(Array.from({ length: 3000 }, (_, sub) => [702, sub]));
    expect(store.log.newest(0)).toEqual([]);
  });

  it('count versions from one within a life of a key, and keep its creation', () => {
    const store = newStore();
    put(store, 'k', 'a');
    put(store, 'k', 'b');
    expect(store.get('k', 3)).toMatchObject({ createRevision: 2, modRevision: 3, version: 2 });
    expect(remove(store, 'k', 'l')).toBe(1);
    expect(store.get('k', 4)).toBeNull();
    expect(store.get('k', 3)).toMatchObject({ version: 2 });
    put(store, 'k', 'c');
    expect(store.get('k', 5)).toMatchObject({ createRevision: 5, modRevision: 5, version: 1 });
  });

  it('can be read from the compacted one on, and not beyond the current one', () => {
    const store = newStore();
    for (let i = 0; i < 5; i++) put(store, 'k', String(i));
    compact(store, 4);
    expect(store.checkRevision(3)).toBe('compacted');
    expect(store.checkRevision(4)).toBeNull();
    expect(store.checkRevision(7)).toBe('future');
    expect(store.scheduleCompaction(4)).toBe('compacted');
    expect(store.scheduleCompaction(99)).toBe('future');
  });

  it('may be compacted at 0 once', () => {
    const store = newStore();
    expect(store.scheduleCompaction(0)).toBeNull();
    expect(store.scheduleCompaction(0)).toBe('compacted');
  });

  it('keep a tombstone at exactly the compacted revision, and none older', () => {
    const store = newStore();
    put(store, 'a', '1');
    remove(store, 'a', 'b');
    put(store, 'b', '1');
    remove(store, 'b', 'c');
    compact(store, 5);
    const left: [number, boolean][] = [];
    store.visitRevisions((revision) => left.push([revision.main, revision.isTombstone]));
    expect(left).toEqual([[5, true]]);
    expect(store.keyCount).toBe(1);
  });

  it('never go back after a restart, even when compaction removed the newest', () => {
    const store = newStore();
    store.finishRestore(7, -1);
    expect(store.currentRevision).toBe(7);
    expect(store.compactRevision).toBe(7);
  });
});

/** A store that keeps everything: what each key was at each revision. */
class Model {
  readonly states: Map<string, KeyValue>[] = [new Map(), new Map()];

  get current(): number {
    return this.states.length - 1;
  }

  put(key: string, value: string): void {
    const next = new Map(this.states[this.current]);
    const before = next.get(key);
    const main = this.current + 1;
    next.set(key, {
      key: bytesOf(key),
      createRevision: before?.createRevision ?? main,
      modRevision: main,
      version: (before?.version ?? 0) + 1,
      value: utf8Encode(value),
      lease: NO_LEASE,
    });
    this.states.push(next);
  }

  remove(from: string, end: string): void {
    const doomed = [...this.states[this.current]!.keys()].filter((key) => key >= from && key < end);
    if (doomed.length === 0) return;
    const next = new Map(this.states[this.current]);
    for (const key of doomed) next.delete(key);
    this.states.push(next);
  }

  at(revision: number): KeyValue[] {
    const state = this.states[revision]!;
    return [...state.keys()].sort().map((key) => state.get(key)!);
  }
}

const KEYS = ['a', 'aa', 'b', 'c', 'ca', 'd'];
const operation = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key: fc.constantFrom(...KEYS), value: fc.string({ maxLength: 3 }) }),
  fc.record({
    kind: fc.constant('remove' as const),
    from: fc.constantFrom(...KEYS),
    end: fc.constantFrom(...KEYS, 'z'),
  }),
  fc.record({ kind: fc.constant('compact' as const), back: fc.nat(6), batch: fc.integer({ min: 1, max: 5 }) }),
);

describe('the store', () => {
  it('agrees with a model that keeps everything, at every revision that can be read', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const store = newStore();
        const model = new Model();
        for (const step of operations) {
          if (step.kind === 'put') {
            put(store, step.key, step.value);
            model.put(step.key, step.value);
          } else if (step.kind === 'remove') {
            remove(store, step.from, step.end);
            model.remove(step.from, step.end);
          } else {
            const to = Math.max(0, store.currentRevision - step.back);
            if (to > store.compactRevision) compact(store, to, step.batch);
          }
          expect(store.currentRevision).toBe(model.current);
        }
        for (let revision = Math.max(1, store.compactRevision); revision <= store.currentRevision; revision++) {
          const { kvs, count } = store.range(ALL, revision, 0);
          expect(kvs.map((kv) => ({ ...kv }))).toEqual(model.at(revision));
          expect(count).toBe(kvs.length);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('hashes alike whether a compaction has removed its leftovers already or not', () => {
    const one = newStore();
    const two = newStore();
    for (const store of [one, two]) {
      for (let i = 0; i < 30; i++) put(store, `k${i % 5}`, String(i));
      remove(store, 'k1', 'k2');
      for (let i = 0; i < 5; i++) put(store, 'x', String(i));
      expect(store.scheduleCompaction(32)).toBeNull();
    }
    let from = one.compactStep(32, null, 4);
    while (from !== null) from = one.compactStep(32, from, 4);
    expect(hashAt(one, 36)).toEqual(hashAt(two, 36));
    // The compaction left the hash of what was there before it, which nobody can compute any more.
    expect(hashAt(one, 32)).toMatchObject({ revision: 32, compactRevision: -1 });
    expect(one.revisionCount).toBeLessThan(two.revisionCount);
  });
});

describe('sorted blocks', () => {
  it('hold what a map holds, in order', () => {
    const keys = fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 2 })), { maxLength: 400 });
    fc.assert(
      fc.property(keys, (steps) => {
        const blocks = new SortedBlocks<{ readonly key: string }>();
        const model = new Map<string, { readonly key: string }>();
        for (const [isInsert, key] of steps) {
          if (!isInsert) {
            blocks.remove(key);
            model.delete(key);
          } else if (!model.has(key)) {
            const item = { key };
            blocks.insert(item);
            model.set(key, item);
          }
        }
        const seen: string[] = [];
        blocks.scan('', null, (item) => {
          seen.push(item.key);
          return true;
        });
        expect(seen).toEqual([...model.keys()].sort());
        expect(blocks.size).toBe(model.size);
        for (const [key, item] of model) expect(blocks.get(key)).toBe(item);
        expect(blocks.get('not there')).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it('split and empty blocks without losing anything', () => {
    const blocks = new SortedBlocks<{ readonly key: string }>();
    for (let i = 0; i < 3000; i++) blocks.insert({ key: String((i * 7919) % 3000).padStart(4, '0') });
    for (let i = 0; i < 3000; i += 2) blocks.remove(String(i).padStart(4, '0'));
    let count = 0;
    blocks.scan('1000', '2000', () => {
      count++;
      return true;
    });
    expect(count).toBe(500);
    expect(blocks.size).toBe(1500);
  });
});

describe('ranges of keys', () => {
  it('are one key, all keys from one on, or from one to before another', () => {
    expect(keyRange(utf8Encode('a'), new Uint8Array(0))).toMatchObject({ from: 'a', single: true });
    expect(keyRange(utf8Encode('a'), Uint8Array.of(0))).toMatchObject({ from: 'a', end: null });
    expect(keyRange(utf8Encode('a'), utf8Encode('c'))).toMatchObject({ from: 'a', end: 'c', single: false });
  });

  it('end after a prefix at its last byte that can grow', () => {
    expect([...prefixEnd(Uint8Array.of(0x61, 0xff, 0xff))]).toEqual([0x62]);
    expect([...prefixEnd(Uint8Array.of(0xff))]).toEqual([0]);
  });

  it('keep every byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        expect(bytesOf(keyOf(bytes))).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves the same hash of a compaction however its steps fell and whatever chunks they emptied', () => {
    const hashes = [1, 700, 5000].map((batch) => {
      const store = newStore();
      for (let i = 0; i < 3000; i++) put(store, `k${i % 3}`, String(i));
      compact(store, 2900, batch);
      return hashAt(store, 2900);
    });
    expect(hashes[0]).toMatchObject({ revision: 2900, compactRevision: -1 });
    expect(hashes[1]).toEqual(hashes[0]);
    expect(hashes[2]).toEqual(hashes[0]);
  });
});
