import { describe, expect, it } from 'vitest';
import { ProgressState } from '../../src/raft/index.ts';
import { Inflights } from '../../src/raft/inflights.ts';
import { describeProgress, Progress } from '../../src/raft/progress.ts';
import { N1 } from './helper.ts';

const { Probe, Replicate, Snapshot } = ProgressState;

function progress(fields: Partial<Progress>): Progress {
  return Object.assign(new Progress(N1, 0, 1, new Inflights(256, 0), false), fields);
}

describe('Inflights', () => {
  it('frees everything up to an index, around the end of the ring', () => {
    const inflights = new Inflights(10, 0);
    for (let i = 0; i < 10; i++) inflights.add(i, i * 100);
    expect(inflights.full()).toBe(true);
    expect(() => inflights.add(10, 0)).toThrow('cannot add into a Full inflights');
    inflights.freeUpTo(4);
    expect([inflights.count, inflights.bytes]).toEqual([5, 3500]);
    for (let i = 10; i < 15; i++) inflights.add(i, i * 100);
    inflights.freeUpTo(12);
    expect([inflights.count, inflights.bytes]).toEqual([2, 2700]);
    inflights.freeUpTo(3);
    expect(inflights.count).toBe(2);
    inflights.freeUpTo(14);
    expect([inflights.count, inflights.bytes]).toEqual([0, 0]);
  });

  it('grows while it is rotated', () => {
    const inflights = new Inflights(1000, 0);
    for (let i = 0; i < 8; i++) inflights.add(i, 1);
    inflights.freeUpTo(5);
    for (let i = 8; i < 100; i++) inflights.add(i, 1);
    for (let i = 6; i < 100; i++) {
      inflights.freeUpTo(i);
      expect(inflights.count).toBe(99 - i);
    }
  });

  it('the byte limit may be overshot by one message', () => {
    const inflights = new Inflights(10, 1000);
    inflights.add(1, 999);
    expect(inflights.full()).toBe(false);
    inflights.add(2, 5000);
    expect(inflights.full()).toBe(true);
    inflights.freeUpTo(1);
    expect(inflights.full()).toBe(true);
    inflights.reset();
    expect([inflights.count, inflights.bytes, inflights.full()]).toEqual([0, 0, false]);
  });

  it('a clone goes its own way', () => {
    const inflights = new Inflights(4, 0);
    inflights.add(1, 10);
    const clone = inflights.clone();
    clone.add(2, 10);
    inflights.freeUpTo(1);
    expect([inflights.count, clone.count, clone.bytes]).toEqual([0, 2, 20]);
  });
});

describe('Progress', () => {
  it('prints what matters', () => {
    const one = progress({ match: 3, next: 4, state: Snapshot, pendingSnapshot: 123, isLearner: true });
    one.inflights = new Inflights(1, 0);
    one.inflights.add(123, 1);
    expect(describeProgress(one.view())).toBe(
      'StateSnapshot match=3 next=4 learner paused pendingSnap=123 inactive inflight=1[full]',
    );
  });

  it.each([
    [Probe, false, false],
    [Probe, true, true],
    [Replicate, false, false],
    [Replicate, true, true],
    [Snapshot, false, true],
    [Snapshot, true, true],
  ])('in state %i with flow paused %s is paused: %s', (state, flowPaused, expected) => {
    expect(progress({ state, flowPaused }).isPaused()).toBe(expected);
  });

  it('becomeProbe goes back to what is acknowledged, or on after a finished snapshot', () => {
    const replicating = progress({ state: Replicate, match: 1, next: 5, sentCommit: 4 });
    replicating.becomeProbe();
    expect(replicating).toMatchObject({ state: Probe, match: 1, next: 2, sentCommit: 1 });
    const finished = progress({ state: Snapshot, match: 1, next: 11, pendingSnapshot: 10, sentCommit: 10 });
    finished.becomeProbe();
    expect(finished).toMatchObject({ state: Probe, match: 1, next: 11, sentCommit: 10, pendingSnapshot: 0 });
    const failed = progress({ state: Snapshot, match: 1, next: 11, pendingSnapshot: 0, sentCommit: 10 });
    failed.becomeProbe();
    expect(failed).toMatchObject({ state: Probe, next: 2, sentCommit: 1 });
  });

  it('becomeReplicate and becomeSnapshot empty the window and unpause', () => {
    const one = progress({ match: 1, next: 5, flowPaused: true });
    one.inflights.add(4, 1);
    one.becomeReplicate();
    expect(one).toMatchObject({ state: Replicate, match: 1, next: 2, flowPaused: false });
    expect(one.inflights.count).toBe(0);
    one.becomeSnapshot(10);
    expect(one).toMatchObject({ state: Snapshot, match: 1, next: 11, pendingSnapshot: 10, sentCommit: 10 });
  });

  it('sentEntries: optimistic only in Replicate; an empty message does not pause a probe', () => {
    const replicating = progress({ state: Replicate, match: 1, next: 2 });
    replicating.sentEntries(3, 30);
    expect([replicating.next, replicating.inflights.count, replicating.inflights.bytes]).toEqual([5, 1, 30]);
    const probing = progress({ match: 1, next: 2 });
    probing.sentEntries(0, 0);
    expect(probing.flowPaused).toBe(false);
    probing.sentEntries(1, 10);
    expect([probing.next, probing.flowPaused]).toEqual([2, true]);
    expect(() => progress({ state: Snapshot }).sentEntries(1, 1)).toThrow();
  });

  it.each([
    [2, 3, 5, false],
    [3, 3, 5, false],
    [4, 4, 5, true],
    [5, 5, 6, true],
  ])('maybeUpdate(%i) from match 3 next 5', (index, match, next, ok) => {
    const one = progress({ match: 3, next: 5, flowPaused: true });
    expect(one.maybeUpdate(index)).toBe(ok);
    expect(one).toMatchObject({ match, next, flowPaused: !ok });
  });

  it.each([
    [Replicate, 5, 10, 5, 5, false, 10],
    [Replicate, 5, 10, 4, 4, false, 10],
    [Replicate, 5, 10, 9, 9, true, 6],
    [Probe, 0, 0, 0, 0, false, 0],
    [Probe, 0, 10, 5, 5, false, 10],
    [Probe, 0, 10, 9, 9, true, 9],
    [Probe, 0, 2, 1, 1, true, 1],
    [Probe, 0, 1, 0, 0, true, 1],
    [Probe, 0, 10, 9, 2, true, 3],
    [Probe, 0, 10, 9, 0, true, 1],
    [Probe, 4, 10, 9, 1, true, 5],
  ])(
    'maybeDecrTo in state %i from match %i next %i: rejected %i, hint %i',
    (state, match, next, rejected, hint, ok, then) => {
      const one = progress({ state, match, next, sentCommit: next, flowPaused: true });
      expect(one.maybeDecrTo(rejected, hint)).toBe(ok);
      expect(one).toMatchObject({ match, next: then, sentCommit: ok ? then - 1 : next });
      if (ok && state === Probe) expect(one.flowPaused).toBe(false);
    },
  );

  it('canBumpCommit while some message may still carry news', () => {
    expect(progress({ next: 10, sentCommit: 5 }).canBumpCommit(6)).toBe(true);
    expect(progress({ next: 10, sentCommit: 5 }).canBumpCommit(5)).toBe(false);
    expect(progress({ next: 6, sentCommit: 5 }).canBumpCommit(9)).toBe(false);
  });
});
