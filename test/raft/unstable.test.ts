import { describe, expect, it } from 'vitest';
import { EMPTY_CONF_STATE } from '../../src/raft/index.ts';
import { Unstable } from '../../src/raft/unstable.ts';
import { entries, termsOf } from './helper.ts';

interface State {
  readonly offset: number;
  readonly inProgress?: number;
  readonly terms?: readonly number[];
  readonly snapshot?: number;
}

const snapshotAt = (index: number) => ({ index, term: 1, confState: EMPTY_CONF_STATE, data: null });

function unstableOf({ offset, inProgress = offset, terms = [], snapshot }: State): Unstable {
  const unstable = new Unstable(offset, null);
  unstable.entries = entries(offset, ...terms);
  unstable.offsetInProgress = inProgress;
  if (snapshot !== undefined) unstable.snapshot = snapshotAt(snapshot);
  return unstable;
}

describe('lookups', () => {
  it('know the entries, and the index of a snapshot', () => {
    const unstable = unstableOf({ offset: 5, terms: [2, 3], snapshot: 4 });
    expect([3, 4, 5, 6, 7].map((i) => unstable.term(i))).toEqual([-1, 1, 2, 3, -1]);
    expect(unstable.lastIndex()).toBe(6);
    expect(unstableOf({ offset: 5, snapshot: 4 }).lastIndex()).toBe(4);
    expect(unstableOf({ offset: 5 }).lastIndex()).toBe(-1);
  });
});

describe('what to write next', () => {
  it.each([
    [{ offset: 5, terms: [1, 1] }, [5, 6]],
    [{ offset: 5, inProgress: 6, terms: [1, 1] }, [6]],
    [{ offset: 5, inProgress: 7, terms: [1, 1] }, []],
    [{ offset: 5 }, []],
  ])('of %j is %j', (state, indexes) => {
    const unstable = unstableOf(state);
    expect(unstable.nextEntries().map(({ index }) => index)).toEqual(indexes);
    expect(unstable.hasNextEntries()).toBe(indexes.length > 0);
    unstable.acceptInProgress();
    expect(unstable.nextEntries()).toEqual([]);
  });

  it('a snapshot is handed out once', () => {
    const unstable = unstableOf({ offset: 5, snapshot: 4 });
    expect(unstable.nextSnapshot()?.index).toBe(4);
    unstable.acceptInProgress();
    expect(unstable.nextSnapshot()).toBeNull();
    unstable.stableSnapshotTo(3);
    expect(unstable.snapshot).not.toBeNull();
    unstable.stableSnapshotTo(4);
    expect(unstable.snapshot).toBeNull();
    expect(unstable.snapshotInProgress).toBe(false);
  });
});

describe('stableTo', () => {
  it.each([
    ['nothing there', { offset: 5 }, 1, 5, 5, 5, 0],
    ['the first', { offset: 5, inProgress: 6, terms: [1] }, 1, 5, 6, 6, 0],
    ['the first of two', { offset: 5, inProgress: 6, terms: [1, 1] }, 1, 5, 6, 6, 1],
    ['the first of two under way', { offset: 5, inProgress: 7, terms: [1, 1] }, 1, 5, 6, 7, 1],
    ['another term', { offset: 6, inProgress: 7, terms: [2] }, 1, 6, 6, 7, 1],
    ['below the offset', { offset: 5, inProgress: 6, terms: [1] }, 1, 4, 5, 6, 1],
    ['the snapshot', { offset: 5, inProgress: 6, terms: [1], snapshot: 4 }, 1, 4, 5, 6, 1],
    ['an entry after a snapshot', { offset: 5, inProgress: 6, terms: [1], snapshot: 4 }, 1, 5, 6, 6, 0],
  ] as const)('%s', (_, state, term, index, offset, inProgress, count) => {
    const unstable = unstableOf(state);
    unstable.stableTo(term, index);
    expect([unstable.offset, unstable.offsetInProgress, unstable.entries.length]).toEqual([offset, inProgress, count]);
  });
});

describe('truncateAndAppend', () => {
  it.each([
    ['at the end', { offset: 5, terms: [1] }, 6, [1, 1], 5, 5, [1, 1, 1]],
    ['at the end, some under way', { offset: 5, inProgress: 6, terms: [1] }, 6, [1, 1], 5, 6, [1, 1, 1]],
    ['replaces all', { offset: 5, terms: [1] }, 5, [2, 2], 5, 5, [2, 2]],
    ['replaces from below', { offset: 5, terms: [1] }, 4, [2, 2, 2], 4, 4, [2, 2, 2]],
    ['replaces what is under way', { offset: 5, inProgress: 6, terms: [1] }, 5, [2, 2], 5, 5, [2, 2]],
    ['replaces the tail', { offset: 5, terms: [1, 1, 1] }, 6, [2], 5, 5, [1, 2]],
    ['replaces the last', { offset: 5, terms: [1, 1, 1] }, 7, [2, 2], 5, 5, [1, 1, 2, 2]],
    ['replaces the tail, one kept under way', { offset: 5, inProgress: 6, terms: [1, 1, 1] }, 6, [2], 5, 6, [1, 2]],
    ['replaces part of what is under way', { offset: 5, inProgress: 7, terms: [1, 1, 1] }, 6, [2], 5, 6, [1, 2]],
    ['into nothing, below the offset', { offset: 5 }, 3, [2], 3, 3, [2]],
  ] as const)('%s', (_, state, at, terms, offset, inProgress, expected) => {
    const unstable = unstableOf(state);
    unstable.truncateAndAppend(entries(at, ...terms), 0);
    expect([unstable.offset, unstable.offsetInProgress]).toEqual([offset, inProgress]);
    expect(termsOf(unstable.entries)).toEqual(expected);
    expect(unstable.entries.map(({ index }) => index)).toEqual(expected.map((_, i) => offset + i));
  });

  it('leaves alone what was handed out before', () => {
    const unstable = unstableOf({ offset: 5, terms: [1, 1, 1] });
    const before = unstable.nextEntries();
    const slice = unstable.slice(5, 8);
    unstable.truncateAndAppend(entries(6, 2), 0);
    expect(termsOf(before)).toEqual([1, 1, 1]);
    expect(termsOf(slice)).toEqual([1, 1, 1]);
  });
});

it('restore leaves only the snapshot, to be written', () => {
  const unstable = unstableOf({ offset: 5, inProgress: 6, terms: [1], snapshot: 4 });
  unstable.snapshotInProgress = true;
  unstable.restore(snapshotAt(6));
  expect([unstable.offset, unstable.offsetInProgress, unstable.entries.length]).toEqual([7, 7, 0]);
  expect(unstable.nextSnapshot()?.index).toBe(6);
});
