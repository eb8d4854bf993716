import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { timeout } from '../../src/platform/combinators.ts';
import { TimeoutError } from '../../src/platform/errors.ts';
import { exponentialPause, retry } from '../../src/platform/retry.ts';
import { nothingToCancel, spawn, type Task, wait } from '../../src/platform/task.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;

function* never(): Task<never> {
  return yield* wait<never>(() => nothingToCancel);
}

for (const world of WORLDS) {
  describe(`clock on ${world.name}`, () => {
    let running: RunningWorld;
    let peer: Peer;
    let clock: Clock;
    const run = <T>(body: () => Task<T>): Promise<T> => running.run(peer, body);

    beforeAll(async () => {
      running = await world.start({ peers: 1 });
      peer = running.peers[0]!;
      clock = peer.platform.clock;
    });
    afterAll(() => running.stop());

    it('sleeps at least as long as asked, on both clocks, in whole microseconds', async () => {
      const [wall, monotonic] = await run(function* () {
        const before = [clock.nowUs(), clock.monotonicUs()] as const;
        yield* clock.sleep(30 * MS);
        return [clock.nowUs() - before[0], clock.monotonicUs() - before[1]] as const;
      });
      expect(monotonic).toBeGreaterThanOrEqual(30 * MS);
      expect(wall).toBeGreaterThanOrEqual(29 * MS);
      expect([Number.isSafeInteger(wall), Number.isSafeInteger(monotonic)]).toEqual([true, true]);
      expect(clock.nowUs()).toBeGreaterThan(1_700_000_000_000_000);
    });

    it('the monotonic clock never goes back', async () => {
      const readings = await run(function* () {
        const seen: number[] = [];
        for (let i = 0; i < 50; i++) {
          seen.push(clock.monotonicUs());
          yield* clock.sleep(i % 5 === 0 ? MS : 0);
        }
        return seen;
      });
      expect(readings).toEqual([...readings].sort((a, b) => a - b));
    });

    it('calls back once, in the order of the due times, and not at all when cancelled', async () => {
      const order: string[] = [];
      await run(function* () {
        clock.after(40 * MS, () => order.push('late'));
        clock.after(10 * MS, () => order.push('early'));
        const dropped = clock.after(20 * MS, () => order.push('cancelled'));
        const fired = clock.after(1 * MS, () => order.push('first'));
        yield* clock.sleep(5 * MS);
        dropped.cancel();
        dropped.cancel();
        fired.cancel();
        yield* clock.sleep(80 * MS);
      });
      expect(order).toEqual(['first', 'early', 'late']);
    });

    it('a sleep of nothing lets others that are ready go first', async () => {
      const order: string[] = [];
      await run(function* () {
        peer.platform.scope.spawn('other', function* () {
          order.push('other');
        });
        yield* clock.sleep(0);
        order.push('me');
      });
      expect(order).toEqual(['other', 'me']);
    });

    it('a delay below zero is due at once', async () => {
      await run(() => clock.sleep(-5 * MS));
    });

    it('a killed sleeper never wakes; a cancelled one unwinds', async () => {
      const log: string[] = [];
      await run(function* () {
        const { scope } = peer.platform;
        const sleeper = (name: string) =>
          scope.spawn(name, function* () {
            try {
              yield* clock.sleep(20 * MS);
              log.push(`${name} woke`);
            } finally {
              log.push(`${name} unwound`);
            }
          });
        const killed = sleeper('killed');
        const cancelled = sleeper('cancelled');
        yield* clock.sleep(5 * MS);
        killed.kill();
        cancelled.cancel();
        yield* clock.sleep(40 * MS);
      });
      expect(log).toEqual(['cancelled unwound']);
    });

    it('timeout gives the result in time and TimeoutError otherwise', async () => {
      const quick = await run(() =>
        timeout(
          clock,
          500 * MS,
          (function* () {
            yield* clock.sleep(1 * MS);
            return 'done';
          })(),
        ),
      );
      expect(quick).toBe('done');
      await expect(run(() => timeout(clock, 20 * MS, never(), 'waiting'))).rejects.toThrow(TimeoutError);
    });

    it('a limit inside a limit ends alone, and what it limited unwinds before the error is seen', async () => {
      const log: string[] = [];
      const outcome = await run(() =>
        timeout(
          clock,
          2_000 * MS,
          (function* () {
            try {
              yield* timeout(
                clock,
                10 * MS,
                (function* () {
                  try {
                    yield* never();
                  } catch {
                    log.push('an error in what ran too long');
                  } finally {
                    log.push('unwound');
                  }
                })(),
                'inner',
              );
            } catch (error) {
              log.push((error as Error).message);
            }
            yield* clock.sleep(1 * MS);
            return 'went on';
          })(),
          'outer',
        ),
      );
      expect(outcome).toBe('went on');
      expect(log).toEqual(['unwound', `inner timed out after ${10 * MS} us`]);
    });

    it('a limited task is told of errors, and unwinds with the task that limits it', async () => {
      const log: string[] = [];
      const failing = function* (): Task<never> {
        yield* clock.sleep(1 * MS);
        throw new Error('refused');
      };
      await run(function* () {
        const caught = yield* timeout(
          clock,
          500 * MS,
          (function* () {
            try {
              return yield* failing();
            } catch (error) {
              return (error as Error).message;
            }
          })(),
        );
        log.push(caught);
        const limited = yield* spawn('limited', () =>
          timeout(
            clock,
            5 * MS,
            (function* () {
              try {
                yield* never();
              } finally {
                log.push('cancelled');
              }
            })(),
          ),
        );
        yield* clock.sleep(1 * MS);
        limited.cancel();
        yield* clock.sleep(20 * MS);
      });
      expect(log).toEqual(['refused', 'cancelled']);
    });

    it('retry tries again after its pauses and gives up at its limit', async () => {
      const pauseUs = exponentialPause(peer.platform.random.stream('retry'), 2 * MS, 2, 10 * MS, 10);
      const attempts = await run(() =>
        retry(clock, { limitUs: 500 * MS, pauseUs }, function* (n) {
          if (n < 4) throw new Error(`attempt ${n}`);
          return n;
        }),
      );
      expect(attempts).toBe(4);
      const hopeless = run(() =>
        retry(clock, { limitUs: 30 * MS, pauseUs }, function* () {
          throw new Error('still down');
        }),
      );
      await expect(hopeless).rejects.toThrow(/gave up after \d+ attempts: still down/);
    });

    describe.skipIf(!world.isSimulation)('in a simulation only: stops and freezes', () => {
      it('timers of a stopped process come when it goes on; time does not stop for it', async () => {
        const fresh = await world.start({ peers: 1 });
        const [stopped] = fresh.peers;
        const controls = fresh.simulation!;
        let firedAtUs = -1;
        const startUs = controls.nowUs();
        stopped!.platform.clock.after(10 * MS, () => {
          firedAtUs = controls.nowUs() - startUs;
        });
        controls.stopProcess(stopped!);
        controls.advance(100 * MS);
        expect(firedAtUs).toBe(-1);
        controls.continueProcess(stopped!);
        controls.advance(1 * MS);
        expect(firedAtUs).toBe(100 * MS);
        controls.freeze(stopped!);
        let woke = false;
        stopped!.platform.clock.after(10 * MS, () => {
          woke = true;
        });
        controls.advance(100 * MS);
        expect(woke).toBe(false);
        controls.thaw(stopped!);
        controls.advance(0);
        expect(woke).toBe(true);
        expect(stopped!.platform.clock.monotonicUs()).toBeGreaterThanOrEqual(201 * MS);
        await fresh.stop();
      });
    });
  });
}
