import { describe, expect, it } from 'vitest';
import { Channel } from '../../src/platform/channel.ts';
import { Scope } from '../../src/platform/scope.ts';
import { QueueExecutor } from './queue-executor.ts';

function consuming(take: (item: number) => void, before: readonly number[] = []) {
  const executor = new QueueExecutor();
  const root = new Scope(executor, 'root');
  const channel = new Channel<number>(2);
  for (const item of before) channel.offer(item);
  const outcome: unknown[] = [];
  const task = root.spawn('consumer', function* () {
    try {
      yield* channel.each(take);
      outcome.push('end');
    } catch (error) {
      outcome.push(error);
    }
  });
  executor.drain();
  return { channel, executor, outcome, task };
}

describe('a channel whose items are taken as they come', () => {
  it('hands over what waits, then each item in the call that puts it in, and ends with the channel', () => {
    const taken: number[] = [];
    const { channel, executor, outcome } = consuming((item) => taken.push(item), [1, 2]);
    expect(taken).toEqual([1, 2]);
    for (const item of [3, 4, 5]) expect(channel.offer(item)).toBe(true);
    expect(taken).toEqual([1, 2, 3, 4, 5]);
    channel.close();
    executor.drain();
    expect(outcome).toEqual(['end']);
    expect(channel.offer(6)).toBe(false);
  });

  it('fails with what the consumer throws; later items stay', () => {
    const { channel, executor, outcome } = consuming((item) => {
      if (item === 2) throw new RangeError('two');
    });
    for (const item of [1, 2, 3]) channel.offer(item);
    executor.drain();
    expect(outcome).toEqual([new RangeError('two')]);
    expect(channel.poll()).toBe(3);
  });

  it('takes nothing after it was cancelled', () => {
    const taken: number[] = [];
    const { channel, task } = consuming((item) => taken.push(item));
    task.cancel();
    channel.offer(1);
    expect(taken).toEqual([]);
    expect(channel.size).toBe(1);
  });

  it('of a closed channel ends at once', () => {
    const executor = new QueueExecutor();
    const channel = new Channel<number>();
    channel.close();
    let ended = false;
    new Scope(executor, 'root').spawn('t', function* () {
      yield* channel.each(() => {});
      ended = true;
    });
    executor.drain();
    expect(ended).toBe(true);
  });
});
