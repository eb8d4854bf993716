import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryDeque } from '../../src/raft/entry-deque.ts';
import {
  EMPTY_CONF_STATE,
  MemoryStorage,
  NO_LIMIT,
  StorageError,
  TERM_COMPACTED,
  TERM_UNAVAILABLE,
} from '../../src/raft/index.ts';
import { entries, entry, N1, N2, termsOf } from './helper.ts';

/** Entries 3, 4, 5 of terms 3, 4, 5 were appended, and 3 compacted. */
function example(): MemoryStorage {
  const storage = new MemoryStorage();
  storage.applySnapshot({ index: 2, term: 2, confState: EMPTY_CONF_STATE, data: null });
  storage.append(entries(3, 3, 4, 5));
  storage.compact(3);
  return storage;
}

function termsIn(storage: MemoryStorage): number[] {
  const list = storage.entries(storage.firstIndex(), storage.lastIndex() + 1, NO_LIMIT);
  return typeof list === 'string' ? [] : termsOf(list);
}

describe('MemoryStorage', () => {
  it('starts empty, with first index 1 and last index 0', () => {
    const storage = new MemoryStorage();
    expect([storage.firstIndex(), storage.lastIndex(), storage.term(0)]).toEqual([1, 0, 0]);
    expect(storage.entries(1, 1, NO_LIMIT)).toBe(StorageError.Unavailable);
  });

  it('answers for terms from one below the first index on', () => {
    expect([2, 3, 4, 5, 6].map((i) => example().term(i))).toEqual([TERM_COMPACTED, 3, 4, 5, TERM_UNAVAILABLE]);
  });

  // Each entry encodes to 4 bytes.
  it.each([
    [3, 5, NO_LIMIT, 'compacted'],
    [4, 5, NO_LIMIT, [4]],
    [4, 6, NO_LIMIT, [4, 5]],
    [4, 6, 0, [4]],
    [4, 6, 7, [4]],
    [4, 6, 8, [4, 5]],
  ] as const)('entries [%i, %i) within %i bytes: %j', (lo, hi, max, expected) => {
    const list = example().entries(lo, hi, max);
    expect(typeof list === 'string' ? 'compacted' : termsOf(list)).toEqual(expected);
    if (expected === 'compacted') expect(list).toBe(StorageError.Compacted);
  });

  it('refuses to read beyond the end', () => {
    expect(() => example().entries(4, 7, NO_LIMIT)).toThrow("entries' hi(7) is out of bound lastindex(5)");
  });

  it('compacts up to and including an index', () => {
    const storage = example();
    expect(storage.compact(3)).toBe(StorageError.Compacted);
    expect(storage.compact(4)).toBeNull();
    expect([storage.firstIndex(), storage.term(4)]).toEqual([5, 4]);
    expect(storage.compact(5)).toBeNull();
    expect([storage.firstIndex(), storage.lastIndex()]).toEqual([6, 5]);
    expect(() => storage.compact(6)).toThrow('compact 6 is out of bound lastindex(5)');
  });

  it.each([
    ['what is there', [3, 3, 4, 5], 2, [4, 5]],
    ['replaces from the first', [6, 6], 4, [6, 6]],
    ['trims what is compacted', [3, 6, 6], 3, [6, 6]],
    ['entirely compacted', [9, 9], 2, [4, 5]],
    ['truncates', [6], 4, [6]],
    ['at the end', [5, 6], 6, [4, 5, 5, 6]],
  ])('append: %s', (_, terms, at, expected) => {
    const storage = example();
    storage.append(entries(at, ...terms));
    expect(termsIn(storage)).toEqual(expected);
  });

  it('append refuses a gap, and leaves alone what it handed out', () => {
    const storage = example();
    const before = storage.entries(4, 6, NO_LIMIT) as readonly { term: number }[];
    expect(() => storage.append(entries(7, 7))).toThrow('missing log entry [last: 5, append at: 7]');
    storage.append(entries(4, 9));
    expect(before.map(({ term }) => term)).toEqual([4, 5]);
  });

  it('makes snapshots of its log, newer ones only', () => {
    const storage = example();
    const confState = { ...EMPTY_CONF_STATE, voters: [N1, N2] };
    expect(storage.createSnapshot(4, confState, null)).toEqual({ index: 4, term: 4, confState, data: null });
    expect(storage.createSnapshot(4, null, null)).toBe(StorageError.SnapOutOfDate);
    expect(storage.createSnapshot(5, null, null)).toMatchObject({ index: 5, confState });
    expect(() => storage.createSnapshot(6, null, null)).toThrow('snapshot 6 is out of bound lastindex(5)');
    expect([storage.firstIndex(), storage.lastIndex()]).toEqual([4, 5]);
  });

  it('a received snapshot replaces everything, unless it is old', () => {
    const storage = new MemoryStorage();
    const at = (index: number) => ({ index, term: index, confState: EMPTY_CONF_STATE, data: null });
    storage.append(entries(1, 1, 1));
    expect(storage.applySnapshot(at(4))).toBeNull();
    expect([storage.firstIndex(), storage.lastIndex(), storage.term(4)]).toEqual([5, 4, 4]);
    expect(storage.applySnapshot(at(4))).toBe(StorageError.SnapOutOfDate);
    expect(storage.applySnapshot(at(3))).toBe(StorageError.SnapOutOfDate);
  });
});

describe('EntryDeque', () => {
  const command = fc.oneof(
    fc.record({ op: fc.constant('push' as const), count: fc.integer({ min: 1, max: 1500 }) }),
    fc.record({ op: fc.constant('truncate' as const), count: fc.integer({ min: 0, max: 3000 }) }),
    fc.record({ op: fc.constant('drop' as const), count: fc.integer({ min: 0, max: 1500 }) }),
  );

  it('does what an array does', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), fc.nat(), fc.nat(), (commands, a, b) => {
        const deque = new EntryDeque();
        let model: number[] = [];
        let next = 1;
        for (const { op, count } of commands) {
          if (op === 'push') {
            for (let i = 0; i < count; i++) {
              deque.push(entry(1, next));
              model.push(next++);
            }
          } else if (op === 'truncate') {
            deque.truncate(count);
            model = model.slice(0, count);
          } else {
            deque.dropFirst(count);
            model = model.slice(count);
          }
          expect(deque.length).toBe(model.length);
        }
        const from = model.length === 0 ? 0 : a % model.length;
        const to = model.length === 0 ? 0 : Math.max(from, b % (model.length + 1));
        expect(deque.slice(from, to).map(({ index }) => index)).toEqual(model.slice(from, to));
        if (model.length > 0) expect(deque.at(from).index).toBe(model[from]);
      }),
      { numRuns: 200 },
    );
  });
});
