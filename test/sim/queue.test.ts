import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Timer } from '../../src/platform/clock.ts';
import { EventQueue, type TimerOwner } from '../../src/sim/queue.ts';
import { byTier } from '../support/tier.ts';

const RUNS = byTier(200, 3_000, 3_000);

function owner(path: string): TimerOwner {
  return { path, dispatch: (callback) => callback() };
}

type Command =
  | { readonly kind: 'schedule'; readonly timeUs: number; readonly owner: number }
  | { readonly kind: 'post'; readonly timeUs: number }
  | { readonly kind: 'cancel'; readonly index: number }
  | { readonly kind: 'remove-owner'; readonly owner: number }
  | { readonly kind: 'take' };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('schedule' as const), timeUs: fc.nat(30), owner: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('post' as const), timeUs: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), index: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove-owner' as const), owner: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
);

interface Entry {
  readonly timeUs: number;
  readonly sequence: number;
  readonly owner: number;
}

function earliest(model: Entry[]): Entry | undefined {
  return [...model].sort((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence)[0];
}

describe('event queue', () => {
  it('does what a sorted array does, under scheduling, cancelling, owners that die, and taking', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
        const queue = new EventQueue();
        const owners = [owner('a'), owner('b'), owner('c')];
        const timers: { readonly entry: Entry; readonly timer: Timer }[] = [];
        let model: Entry[] = [];
        let fired = -1;
        let sequence = 0;
        for (const step of commands) {
          if (step.kind === 'schedule') {
            const entry = { timeUs: step.timeUs, sequence: ++sequence, owner: step.owner };
            const fire = () => {
              fired = entry.sequence;
            };
            timers.push({ entry, timer: queue.schedule(step.timeUs, fire, owners[step.owner]!) });
            model.push(entry);
          } else if (step.kind === 'post') {
            const entry = { timeUs: step.timeUs, sequence: ++sequence, owner: -1 };
            queue.post(step.timeUs, {
              owner: 'net',
              fire: () => {
                fired = entry.sequence;
              },
            });
            model.push(entry);
          } else if (step.kind === 'cancel') {
            const victim = timers[step.index % Math.max(1, timers.length)];
            victim?.timer.cancel();
            model = model.filter((entry) => entry !== victim?.entry);
          } else if (step.kind === 'remove-owner') {
            queue.removeOwner(owners[step.owner]!);
            model = model.filter((entry) => entry.owner !== step.owner);
          } else {
            const expected = earliest(model);
            model = model.filter((entry) => entry !== expected);
            fired = -1;
            queue.takeFirst()?.fire();
            expect(fired).toBe(expected?.sequence ?? -1);
          }
          expect(queue.size).toBe(model.length);
          expect(queue.peekTimeUs()).toBe(earliest(model)?.timeUs);
          expect(queue.peekSequence()).toBe(earliest(model)?.sequence ?? 0);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('stays in order when many entries leave from the middle', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000_000), { minLength: 200, maxLength: 600 }),
        fc.infiniteStream(fc.boolean()),
        (times, coin) => {
          const queue = new EventQueue();
          const left: number[] = [];
          const timers = times.map((timeUs) => ({ timeUs, timer: queue.schedule(timeUs, () => {}, owner('me')) }));
          for (const { timeUs, timer } of timers) {
            if (coin.next().value === true) timer.cancel();
            else left.push(timeUs);
          }
          const taken: number[] = [];
          for (let timeUs = queue.peekTimeUs(); timeUs !== undefined; timeUs = queue.peekTimeUs()) {
            taken.push(timeUs);
            queue.takeFirst();
          }
          expect(taken).toEqual(left.sort((a, b) => a - b));
        },
      ),
      { numRuns: RUNS / 4 },
    );
  });

  it('stays small under a million timed calls that are cancelled', () => {
    const queue = new EventQueue();
    const me = owner('me');
    for (let i = 0; i < 100; i++) queue.schedule(i, () => {}, me);
    for (let i = 0; i < 1_000_000; i++) queue.schedule(5_000_000 + i, () => {}, me).cancel();
    expect([queue.size, queue.capacity]).toEqual([100, 128]);
  });

  it('a handle is harmless after its entry fired and its slot was used again', () => {
    const queue = new EventQueue();
    const me = owner('me');
    const first = queue.schedule(1, () => {}, me);
    queue.takeFirst();
    queue.schedule(2, () => {}, me);
    first.cancel();
    expect(queue.size).toBe(1);
  });

  it('refuses times that are not whole microseconds from zero on', () => {
    const queue = new EventQueue();
    for (const timeUs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => queue.schedule(timeUs, () => {}, owner('me'))).toThrow(/due at/);
    }
  });
});
