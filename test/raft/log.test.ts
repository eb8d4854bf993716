import { describe, expect, it } from 'vitest';
import { RaftFatal } from '../../src/raft/fatal.ts';
import {
  EMPTY_CONF_STATE,
  MemoryStorage,
  NO_LIMIT,
  StorageError,
  TERM_COMPACTED,
  TERM_UNAVAILABLE,
} from '../../src/raft/index.ts';
import { RaftLog } from '../../src/raft/log.ts';
import { entries, entry, termsOf } from './helper.ts';

function logOf(stable: readonly number[], unstable: readonly number[] = [], maxBytes = NO_LIMIT): RaftLog {
  const storage = new MemoryStorage();
  storage.append(entries(1, ...stable));
  const log = new RaftLog(storage, maxBytes, null);
  if (unstable.length > 0) log.append(entries(stable.length + 1, ...unstable));
  return log;
}

function all(log: RaftLog): number[] {
  const list = log.entries(log.firstIndex(), NO_LIMIT);
  return typeof list === 'string' ? [] : termsOf(list);
}

describe('isUpToDate', () => {
  it.each([
    [4, 2, true],
    [4, 3, true],
    [4, 4, true],
    [2, 2, false],
    [2, 3, false],
    [2, 4, false],
    [3, 2, false],
    [3, 3, true],
    [3, 4, true],
  ])('a log that ends at term %i index %i, against term 3 index 3: %s', (term, index, expected) => {
    expect(logOf([], [1, 2, 3]).isUpToDate(term, index)).toBe(expected);
  });
});

describe('append', () => {
  it.each([
    [[] as number[], 0, [1, 2], 3],
    [[2], 3, [1, 2, 2], 3],
    [[2], 1, [2], 1],
    [[3, 3], 2, [1, 3, 3], 2],
  ])('of terms %j at index %i to 1,2 gives %j, unstable from %i', (terms, at, expected, offset) => {
    const log = logOf([1, 2]);
    if (terms.length > 0) log.append(entries(at, ...terms));
    expect(all(log)).toEqual(expected);
    expect(log.unstable.offset).toBe(offset);
  });

  it('below the commit index is illegal', () => {
    const log = logOf([1, 2]);
    log.commitTo(2);
    expect(() => log.append(entries(2, 5))).toThrow('after(1) is out of range [committed(2)]');
  });
});

describe('maybeAppend to 1,2,3 committed up to 1', () => {
  // previous term and index, new terms, leader's commit; then last new index or -1, commit, terms
  it.each([
    ['previous term differs', 2, 3, [4], 3, -1, 1, [1, 2, 3]],
    ['previous index is beyond', 3, 4, [4], 3, -1, 1, [1, 2, 3]],
    ['nothing new', 3, 3, [], 3, 3, 3, [1, 2, 3]],
    ['commit does not exceed the last new', 3, 3, [], 4, 3, 3, [1, 2, 3]],
    ['commit may lag', 3, 3, [], 2, 3, 2, [1, 2, 3]],
    ['commit never goes back', 3, 3, [], 0, 3, 1, [1, 2, 3]],
    ['commit is bounded by an empty message', 0, 0, [], 3, 0, 1, [1, 2, 3]],
    ['one more', 3, 3, [4], 3, 4, 3, [1, 2, 3, 4]],
    ['one more, committed', 3, 3, [4], 5, 4, 4, [1, 2, 3, 4]],
    ['two more', 3, 3, [4, 4], 5, 5, 5, [1, 2, 3, 4, 4]],
    ['replaces the last', 2, 2, [4], 3, 3, 3, [1, 2, 4]],
    ['replaces from the second', 1, 1, [4], 3, 2, 2, [1, 4]],
    ['replaces from the second by two', 1, 1, [4, 4], 3, 3, 3, [1, 4, 4]],
    ['a prefix does not truncate', 1, 1, [2], 1, 2, 1, [1, 2, 3]],
  ] as const)('%s', (_, term, index, terms, commit, last, committed, expected) => {
    const log = logOf([], [1, 2, 3]);
    log.commitTo(1);
    expect(log.maybeAppend(term, index, entries(index + 1, ...terms), commit)).toBe(last);
    expect(log.committed).toBe(committed);
    expect(all(log)).toEqual(expected);
  });

  it('a conflict with a committed entry is fatal', () => {
    const log = logOf([], [1, 2, 3]);
    log.commitTo(1);
    expect(() => log.maybeAppend(0, 0, entries(1, 4), 1)).toThrow(
      'entry 1 conflict with committed entry [committed(1)]',
    );
  });
});

describe('findConflictByTerm', () => {
  it.each([
    [[2, 2, 5, 5, 5], 5, 6, 5],
    [[2, 2, 5, 5, 5], 5, 5, 5],
    [[2, 2, 5, 5, 5], 5, 4, 2],
    [[2, 2, 5, 5, 5], 5, 2, 2],
    [[2, 2, 5, 5, 5], 5, 1, 0],
    [[2, 2, 5, 5, 5], 1, 2, 1],
    [[2, 2, 5, 5, 5], 1, 1, 0],
    [[2, 2, 5, 5, 5], 0, 0, 0],
    [[2, 2, 5, 5, 5], 100, 3, 100],
  ])('terms %j, from index %i with term %i: %i', (terms, index, term, expected) => {
    expect(logOf([], terms).findConflictByTerm(index, term)).toBe(expected);
  });

  it('stops where the log is compacted', () => {
    const storage = new MemoryStorage();
    storage.append(entries(1, 1, 1, 1, 3, 3));
    storage.compact(3);
    const log = new RaftLog(storage, NO_LIMIT, null);
    expect(log.findConflictByTerm(5, 2)).toBe(3);
    expect(log.findConflictByTerm(2, 0)).toBe(2);
  });
});

describe('term', () => {
  it('is known from one below the first index up to the last', () => {
    const storage = new MemoryStorage();
    storage.applySnapshot({ index: 100, term: 5, confState: EMPTY_CONF_STATE, data: null });
    const log = new RaftLog(storage, NO_LIMIT, null);
    log.append(entries(101, 5, 6, 6));
    expect([99, 100, 101, 102, 103, 104].map((i) => log.term(i))).toEqual([
      TERM_COMPACTED,
      5,
      5,
      6,
      6,
      TERM_UNAVAILABLE,
    ]);
    expect(log.termOrZero(99)).toBe(0);
    expect(log.matchTerm(0, 104)).toBe(false);
  });

  it('with an unstable snapshot, only that snapshot and what follows is known', () => {
    const storage = new MemoryStorage();
    storage.applySnapshot({ index: 100, term: 1, confState: EMPTY_CONF_STATE, data: null });
    const log = new RaftLog(storage, NO_LIMIT, null);
    log.restore({ index: 105, term: 1, confState: EMPTY_CONF_STATE, data: null });
    expect([100, 104, 105, 106].map((i) => log.term(i))).toEqual([TERM_COMPACTED, TERM_COMPACTED, 1, TERM_UNAVAILABLE]);
  });
});

describe('commit and apply', () => {
  it('commitTo never goes back, and never beyond the last index', () => {
    const log = logOf([], [1, 2, 3]);
    log.commitTo(2);
    log.commitTo(1);
    expect(log.committed).toBe(2);
    expect(() => log.commitTo(4)).toThrow('tocommit(4) is out of range [lastIndex(3)]');
  });

  it('maybeCommit takes only entries of the current term', () => {
    const log = logOf([], [1, 2, 2]);
    expect(log.maybeCommit(2, 1)).toBe(false);
    expect(log.maybeCommit(3, 3)).toBe(false);
    expect(log.maybeCommit(0, 4)).toBe(false);
    expect(log.maybeCommit(2, 3)).toBe(true);
    expect(log.maybeCommit(2, 3)).toBe(false);
  });

  it.each([
    [2, 'below what is applied'],
    [6, 'beyond what is committed'],
  ])('appliedTo(%i) is illegal: %s', (index) => {
    const log = logOf([], [1, 1, 1, 1, 1, 1]);
    log.commitTo(5);
    log.appliedTo(3, 0);
    expect(() => log.appliedTo(index, 0)).toThrow(RaftFatal);
  });

  it('hands out committed entries once, unstable ones only where allowed', () => {
    const log = logOf([1, 1], [1, 1]);
    log.commitTo(4);
    expect(termsOf(log.nextCommitted(false))).toHaveLength(2);
    expect(termsOf(log.nextCommitted(true))).toHaveLength(4);
    log.acceptApplying(2, 0, true);
    expect(log.nextCommitted(true).map(({ index }) => index)).toEqual([]);
    log.appliedTo(2, 0);
    expect(log.nextCommitted(true).map(({ index }) => index)).toEqual([3, 4]);
  });

  it('hands out nothing while a snapshot is unstable', () => {
    const log = logOf([1, 1]);
    log.restore({ index: 4, term: 1, confState: EMPTY_CONF_STATE, data: null });
    log.append(entries(5, 1));
    log.commitTo(5);
    expect(log.hasNextCommitted(true)).toBe(false);
    log.unstable.acceptInProgress();
    expect(log.hasNextCommitted(true)).toBe(false);
  });

  // Three entries of 6 bytes each: 2 for the term, 2 for the index, 2 for present but empty data.
  it.each([
    ['a cut batch pauses', 5, 6, true],
    ['a batch that fills the quota pauses', 18, 18, true],
    ['a batch with room to spare does not', 19, 18, false],
  ])('%s', (_, quota, handedOut, paused) => {
    const storage = new MemoryStorage();
    const log = new RaftLog(storage, quota, null);
    log.append([1, 2, 3].map((index) => entry(1, index, new Uint8Array(0))));
    log.commitTo(3);
    const batch = log.nextCommitted(true);
    const size = log.applyingBytes(batch);
    expect(size).toBe(handedOut);
    log.acceptApplying(batch[batch.length - 1]!.index, size, true);
    expect(log.applyingPaused).toBe(paused);
    log.appliedTo(batch[batch.length - 1]!.index, size);
    expect(log.applyingPaused).toBe(false);
    expect(log.applyingSize).toBe(0);
  });
});

describe('slice', () => {
  // Stable 1..5, unstable 6..10; each entry encodes to 4 bytes.
  const log = (): RaftLog => logOf([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]);
  it.each([
    [1, 11, NO_LIMIT, 10],
    [1, 6, NO_LIMIT, 5],
    [6, 11, NO_LIMIT, 5],
    [1, 11, 0, 1],
    [1, 11, 4, 1],
    [1, 11, 8, 2],
    [1, 11, 20, 5],
    [1, 11, 23, 5],
    [1, 11, 24, 6],
    [4, 8, 11, 2],
    [5, 8, 3, 1],
    [6, 8, 3, 1],
    [6, 8, 8, 2],
    [3, 3, NO_LIMIT, 0],
  ])('[%i, %i) within %i bytes has %i entries', (lo, hi, max, count) => {
    const slice = log().slice(lo, hi, max);
    expect(slice).toHaveLength(count);
    if (typeof slice !== 'string') expect(slice.map(({ index }) => index)).toEqual(slice.map((_, i) => lo + i));
  });

  it('refuses what is out of bounds', () => {
    expect(() => log().slice(3, 2, NO_LIMIT)).toThrow('invalid slice 3 > 2');
    expect(() => log().slice(3, 12, NO_LIMIT)).toThrow('slice[3,12) out of bound [1,10]');
    expect(log().slice(0, 2, NO_LIMIT)).toBe(StorageError.Compacted);
  });

  it('loses nothing when a storage returns more than it was asked for', () => {
    class Generous extends MemoryStorage {
      override entries(lo: number, hi: number) {
        return super.entries(lo, hi, NO_LIMIT);
      }
    }
    const storage = new Generous();
    storage.append(entries(1, 1, 1, 1));
    const generous = new RaftLog(storage, NO_LIMIT, null);
    generous.append(entries(4, 1));
    expect(generous.slice(1, 5, 8)).toHaveLength(3);
  });

  it('some() reads page by page', () => {
    const seen: number[] = [];
    expect(log().some(2, 9, 8, ({ index }) => seen.push(index) < 0)).toBe(false);
    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(log().some(2, 9, 0, ({ index }) => index === 7)).toBe(true);
  });
});

describe('compaction', () => {
  it('of the storage shows at once', () => {
    const log = logOf([1, 1, 1, 1, 1], [2, 2]);
    const storage = log.storage as MemoryStorage;
    log.commitTo(5);
    storage.compact(4);
    expect([log.firstIndex(), log.lastIndex()]).toEqual([5, 7]);
    expect(all(log)).toEqual([1, 2, 2]);
    expect(log.term(4)).toBe(1);
    log.append(entries(8, 2));
    expect(log.lastIndex()).toBe(8);
  });

  it('restore drops everything for the snapshot', () => {
    const log = logOf([1, 1], [1]);
    log.restore({ index: 1000, term: 1000, confState: EMPTY_CONF_STATE, data: null });
    expect([log.firstIndex(), log.lastIndex(), log.committed, log.unstable.offset]).toEqual([1001, 1000, 1000, 1001]);
    expect(log.term(1000)).toBe(1000);
    expect(log.entries(1001, NO_LIMIT)).toEqual([]);
  });
});
