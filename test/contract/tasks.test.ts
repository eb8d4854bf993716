import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Channel, END } from '../../src/platform/channel.ts';
import { all, race } from '../../src/platform/combinators.ts';
import { TaskCancelled } from '../../src/platform/errors.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { shuffled } from '../../src/platform/random.ts';
import { Mutex, Notifier, Once } from '../../src/platform/signal.ts';
import { currentScope, spawn, type Task } from '../../src/platform/task.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;

for (const world of WORLDS) {
  describe(`tasks on ${world.name}`, () => {
    let running: RunningWorld;
    let peer: Peer;
    let platform: Platform;
    const run = <T>(body: () => Task<T>): Promise<T> => running.run(peer, body);

    beforeAll(async () => {
      running = await world.start({ peers: 1 });
      peer = running.peers[0]!;
      platform = peer.platform;
    });
    afterAll(() => running.stop());

    function* later<T>(delayUs: number, value: T): Task<T> {
      yield* platform.clock.sleep(delayUs);
      return value;
    }

    it('a spawned task runs beside its parent and gives its result to whoever joins', async () => {
      const result = await run(function* () {
        const child = yield* spawn('child', () => later(5 * MS, 'child'));
        const again = yield* spawn('again', () => later(1 * MS, 'again'));
        return [yield* child.join(), yield* again.join(), child.settled];
      });
      expect(result).toEqual(['child', 'again', true]);
    });

    it('an error reaches whoever joins; a cancelled task tells so', async () => {
      const seen = await run(function* () {
        const failing = yield* spawn('failing', function* () {
          yield* platform.clock.sleep(5 * MS);
          throw new Error('failed');
        });
        const cancelled = yield* spawn('cancelled', () => later(10_000 * MS, 1));
        const errors: unknown[] = [];
        for (const task of [failing, cancelled]) {
          if (task === cancelled) cancelled.cancel();
          try {
            yield* task.join();
          } catch (error) {
            errors.push(error);
          }
        }
        return errors;
      });
      expect((seen[0] as Error).message).toBe('failed');
      expect(seen[1]).toBeInstanceOf(TaskCancelled);
    });

    it('killing a scope ends everything below it without running a line; cancelling unwinds', async () => {
      const log: string[] = [];
      await run(function* () {
        const scope = yield* currentScope();
        for (const how of ['kill', 'cancel'] as const) {
          const child = scope.child(how);
          child.child('deep').spawn('task', function* () {
            try {
              yield* platform.clock.sleep(10_000 * MS);
            } finally {
              log.push(how);
            }
          });
          yield* platform.clock.sleep(2 * MS);
          if (how === 'kill') child.kill();
          else child.cancel();
        }
      });
      expect(log).toEqual(['cancel']);
    });

    it('race takes the first, all takes every one', async () => {
      const result = await run(function* () {
        const first = yield* race({ slow: later(5_000 * MS, 'slow'), quick: later(2 * MS, 'quick') });
        const every = yield* all([later(6 * MS, 1), later(2 * MS, 2), later(4 * MS, 3)]);
        return { first, every };
      });
      expect(result).toEqual({ first: 'quick', every: [1, 2, 3] });
    });

    it('channels, notifiers, onces and locks work between tasks that really wait', async () => {
      const log = await run(function* () {
        const channel = new Channel<number>(2);
        const once = new Once<string>();
        const notifier = new Notifier();
        const mutex = new Mutex();
        const lines: string[] = [];
        yield* spawn('producer', function* () {
          for (let i = 0; i < 5; i++) {
            yield* channel.send(i);
            yield* platform.clock.sleep(1 * MS);
          }
          channel.close();
          yield* notifier.changed();
          once.set('over');
        });
        for (let item = yield* channel.receive(); item !== END; item = yield* channel.receive())
          lines.push(`got ${item}`);
        yield* spawn('holder', () => mutex.with(() => later(5 * MS, undefined)));
        yield* platform.clock.sleep(1 * MS);
        yield* mutex.with(function* () {
          lines.push('locked');
        });
        notifier.notify();
        lines.push(yield* once.get());
        return lines;
      });
      expect(log).toEqual(['got 0', 'got 1', 'got 2', 'got 3', 'got 4', 'locked', 'over']);
    });

    it('random draws keep their bounds and streams of one name are one stream', async () => {
      const { random } = platform;
      const draws = Array.from({ length: 300 }, () => random.int(-3, 3));
      expect([Math.min(...draws), Math.max(...draws)]).toEqual([-3, 3]);
      expect([random.chance(0), random.chance(1_000_000)]).toEqual([false, true]);
      expect(random.bytes(33).length).toBe(33);
      expect(shuffled(random, [1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
      expect(random.int(0, Number.MAX_SAFE_INTEGER - 1)).toBeGreaterThan(0);
      expect(random.uint32()).toBeLessThan(4_294_967_296);
    });
  });
}
