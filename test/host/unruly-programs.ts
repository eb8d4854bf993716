import type { Process } from '../../src/platform/containers.ts';
import { eventKind } from '../../src/platform/log.ts';
import type { Task } from '../../src/platform/task.ts';

const flooded = eventKind<{ line: number; padding: string }>('test.flooded');

/** After 200 ms, prints and logs as many lines as its argument says, without a pause, and ends. */
export function* flood({ argv, platform, print }: Process): Task<number> {
  yield* platform.clock.sleep(200_000);
  for (let line = 0; line < Number(argv[1]); line++) {
    print(`${line} ${'x'.repeat(300)}`);
    platform.log.event(flooded, { line, padding: 'y'.repeat(300) });
  }
  return 0;
}

/** Prints on and on, and writes what it has lived through to /alive; ends with 7 at SIGTERM. */
export function* chatter({ platform, signals, print }: Process): Task<number> {
  const { clock, disk, scope } = platform;
  scope.spawn('print', function* () {
    for (let i = 0; ; i++) {
      print(String(i));
      const file = yield* disk.open('/alive', { create: true, truncate: true });
      yield* file.append(Uint8Array.of(Math.min(i, 255)));
      file.close();
      yield* clock.sleep(10_000);
    }
  });
  yield* signals.receive();
  return 7;
}

/** Throws where no task can catch it. */
export function* stray({ signals }: Process): Task<number> {
  setImmediate(() => {
    throw new Error('thrown by a callback of Node.js');
  });
  yield* signals.receive();
  return 0;
}

/** Throws in a task. */
export function* broken({ platform }: Process): Task<number> {
  yield* platform.clock.sleep(1_000);
  throw new Error('a bug in a task');
}
