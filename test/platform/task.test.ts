import { describe, expect, it } from 'vitest';
import { Channel, END } from '../../src/platform/channel.ts';
import { all, race } from '../../src/platform/combinators.ts';
import { TaskCancelled } from '../../src/platform/errors.ts';
import { Scope } from '../../src/platform/scope.ts';
import { Mutex, Notifier, Once } from '../../src/platform/signal.ts';
import { nothingToCancel, spawn, type Task, wait } from '../../src/platform/task.ts';
import { QueueExecutor } from './queue-executor.ts';

function world() {
  const executor = new QueueExecutor();
  return { executor, root: new Scope(executor, 'root') };
}

function* never(onWithdraw: (how: string) => void = () => {}): Task<never> {
  return yield* wait<never>(() => onWithdraw);
}

describe('tasks', () => {
  it('resumes with the value, fails with the error, and settles at most once', () => {
    const { executor, root } = world();
    const saw: unknown[] = [];
    let resume: (n: number) => void = () => {};
    let fail: (e: unknown) => void = () => {};
    root.spawn('t', function* () {
      saw.push(
        yield* wait<number>((r) => {
          resume = r;
          return nothingToCancel;
        }),
      );
      try {
        yield* wait<number>((_r, f) => {
          fail = f;
          return nothingToCancel;
        });
      } catch (error) {
        saw.push(error);
      }
      saw.push('end');
    });
    executor.drain();
    resume(1);
    resume(2);
    executor.drain();
    fail('boom');
    fail('again');
    executor.drain();
    resume(3);
    expect(saw).toEqual([1, 'boom', 'end']);
  });

  it('goes on at once when a suspension settles synchronously', () => {
    const { executor, root } = world();
    const task = root.spawn('t', function* () {
      let sum = 0;
      for (let i = 0; i < 5; i++)
        sum += yield* wait<number>((resume) => {
          resume(i);
          return nothingToCancel;
        });
      return sum;
    });
    let joined = -1;
    root.spawn('join', function* () {
      joined = yield* task.join();
    });
    executor.drain();
    expect(joined).toBe(10);
  });

  it('an error nobody joins goes to the nearest owner, else to the executor', () => {
    const { executor, root } = world();
    const caught: unknown[] = [];
    const guarded = root.child('guarded', (error, path) => caught.push([path, error]));
    function* thrower(): Task<void> {
      yield* wait<void>((resume) => {
        resume();
        return nothingToCancel;
      });
      throw 'bad';
    }
    guarded.child('deep').spawn('x', thrower);
    root.spawn('y', thrower);
    executor.drain();
    expect(caught).toEqual([['root/guarded/deep/x', 'bad']]);
    expect(executor.escapes).toEqual([{ path: 'root/y', error: 'bad' }]);
  });

  it('names the second task of one name x#2', () => {
    const { root } = world();
    expect([root.spawn('x', never).path, root.spawn('x', never).path]).toEqual(['root/x', 'root/x#2']);
  });
});

describe('cancellation', () => {
  it('cancel unwinds through finally; kill runs no line', () => {
    const { executor, root } = world();
    const log: string[] = [];
    function* body(name: string): Task<void> {
      try {
        yield* never((how) => log.push(`${name} withdrawn by ${how}`));
      } finally {
        log.push(`${name} finally`);
      }
    }
    const a = root.spawn('a', () => body('a'));
    const b = root.spawn('b', () => body('b'));
    executor.drain();
    a.cancel();
    a.cancel();
    b.kill();
    b.kill();
    executor.drain();
    expect(log).toEqual(['a withdrawn by cancel', 'a finally', 'b withdrawn by kill']);
  });

  it('cancelling the running task takes effect at its next suspension', () => {
    const { executor, root } = world();
    const log: string[] = [];
    const handle: { cancel(): void } = root.spawn('self', function* () {
      handle.cancel();
      log.push('still running');
      try {
        yield* never();
      } finally {
        log.push('finally');
      }
    });
    executor.drain();
    expect(log).toEqual(['still running', 'finally']);
  });

  it('a finally that suspends outside a grace period is dropped; inside it may suspend', () => {
    const { executor, root } = world();
    const log: string[] = [];
    function* body(name: string): Task<void> {
      try {
        yield* never();
      } finally {
        yield* wait<void>((resume) => {
          resume();
          return nothingToCancel;
        });
        log.push(name);
      }
    }
    const plain = root.child('plain');
    const graceful = root.child('graceful');
    plain.spawn('t', () => body('plain'));
    graceful.spawn('t', () => body('graceful'));
    executor.drain();
    plain.cancel();
    graceful.cancelWithGrace();
    executor.drain();
    expect(log).toEqual(['graceful']);
    expect(root.liveTasks).toBe(0);
  });

  it('a closed scope starts nothing', () => {
    const { executor, root } = world();
    root.kill();
    let ran = false;
    const handle = root.spawn('t', function* () {
      ran = true;
    });
    executor.drain();
    expect([ran, handle.settled]).toEqual([false, true]);
  });

  it('whoever joins a cancelled task is told', () => {
    const { executor, root } = world();
    const handle = root.spawn('t', never);
    let seen: unknown;
    root.spawn('join', function* () {
      try {
        yield* handle.join();
      } catch (error) {
        seen = error;
      }
    });
    executor.drain();
    handle.cancel();
    executor.drain();
    expect(seen).toBeInstanceOf(TaskCancelled);
  });
});

describe('combinators', () => {
  it('race gives the first and cancels the rest; all gives every result or the first error', () => {
    const { executor, root } = world();
    const log: string[] = [];
    function* loser(): Task<string> {
      try {
        return yield* never();
      } finally {
        log.push('loser unwound');
      }
    }
    function* winner(): Task<string> {
      return 'won';
    }
    root.spawn('t', function* () {
      log.push(yield* race({ loser: loser(), winner: winner() }));
      log.push((yield* all([winner(), winner()])).join());
    });
    executor.drain();
    expect(log).toEqual(['loser unwound', 'won', 'won,won']);
  });

  it('killing a racer kills its branches', () => {
    const { executor, root } = world();
    const log: string[] = [];
    root.spawn('t', function* () {
      yield* race({ a: never((how) => log.push(how)), b: never((how) => log.push(how)) });
    });
    executor.drain();
    root.kill();
    expect(log).toEqual(['kill', 'kill']);
  });
});

describe('channels, notifiers, locks', () => {
  it('a bounded channel holds its senders back and never loses an item to a cancelled receiver', () => {
    const { executor, root } = world();
    const channel = new Channel<number>(1);
    const got: unknown[] = [];
    root.spawn('producer', function* () {
      for (let i = 0; i < 3; i++) yield* channel.send(i);
      channel.close();
    });
    const first = root.spawn('first', function* () {
      got.push(yield* channel.receive());
    });
    executor.drain();
    expect(channel.size).toBe(1);
    first.cancel();
    root.spawn('second', function* () {
      for (;;) {
        const item = yield* channel.receive();
        got.push(item);
        if (item === END) return;
      }
    });
    executor.drain();
    expect(got).toEqual([0, 1, 2, END]);
  });

  it('a notifier wakes those who saw an older version; a Once keeps its value', () => {
    const { executor, root } = world();
    const notifier = new Notifier();
    const once = new Once<string>();
    const log: string[] = [];
    root.spawn('a', function* () {
      yield* notifier.changed(0);
      log.push('changed');
      log.push(yield* once.get());
    });
    executor.drain();
    notifier.notify();
    once.set('x');
    once.set('y');
    executor.drain();
    expect(log).toEqual(['changed', 'x']);
  });

  it('a mutex passes to the next even when that one is cancelled as it is granted', () => {
    const { executor, root } = world();
    const mutex = new Mutex();
    const log: string[] = [];
    let release: () => void = () => {};
    root.spawn('a', () =>
      mutex.with(() =>
        wait<void>((r) => {
          release = r;
          return nothingToCancel;
        }),
      ),
    );
    const b = root.spawn('b', () => mutex.with(never));
    root.spawn('c', () =>
      mutex.with(function* () {
        log.push('c has it');
      }),
    );
    executor.drain();
    release();
    b.cancel();
    executor.drain();
    expect(log).toEqual(['c has it']);
  });

  it('spawn starts a task beside the caller', () => {
    const { executor, root } = world();
    let value = 0;
    root.spawn('t', function* () {
      const handle = yield* spawn('helper', function* () {
        return 7;
      });
      value = yield* handle.join();
    });
    executor.drain();
    expect(value).toBe(7);
  });
});
