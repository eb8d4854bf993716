import type { Process } from '../../src/platform/containers.ts';
import { ExitProcess, Fatal } from '../../src/platform/errors.ts';
import type { Task } from '../../src/platform/task.ts';
import type { ProgramImage } from './world.ts';

const SECOND_US = 1_000_000;

/** Prints its arguments and one variable, then ends with the code in the last argument. */
export function* echo({ argv, env, print }: Process): Task<number> {
  for (const argument of argv) print(argument);
  print(env.GREETING ?? 'no greeting');
  return Number(argv.at(-1));
}

/** Says that it is ready, then prints each signal; ends with 5 at SIGTERM. */
export function* signals({ signals: incoming, print }: Process): Task<number> {
  print('ready');
  for (;;) {
    const signal = yield* incoming.receive();
    print(String(signal));
    if (signal === 'SIGTERM') return 5;
  }
}

export function* panics({ platform }: Process): Task<number> {
  yield* platform.clock.sleep(1_000);
  throw new Fatal('something is very wrong');
}

/** Ends from deep inside, while another task is still busy. */
export function* exits({ platform }: Process): Task<number> {
  platform.scope.spawn('busy', function* () {
    for (;;) yield* platform.clock.sleep(SECOND_US);
  });
  platform.scope.spawn('exit', function* () {
    yield* platform.clock.sleep(1_000);
    throw new ExitProcess(9);
  });
  for (;;) yield* platform.clock.sleep(SECOND_US);
}

/** Prints a number every 20 ms. */
export function* ticker({ platform, print }: Process): Task<number> {
  for (let i = 0; ; i++) {
    print(String(i));
    yield* platform.clock.sleep(20_000);
  }
}

/** Appends its last argument to /data/log, once without syncing, and goes on running. */
export function* writer({ argv, platform, print }: Process): Task<number> {
  const file = yield* platform.disk.open('/data/log', { create: true });
  yield* file.append(Uint8Array.of(Number(argv.at(-1))));
  print('written');
  for (;;) yield* platform.clock.sleep(SECOND_US);
}

const MODULE = import.meta.url;

export const PROGRAMS: readonly ProgramImage[] = [
  { image: 'contract/echo:v1', program: echo, module: MODULE, export: 'echo' },
  { image: 'contract/signals:v1', program: signals, module: MODULE, export: 'signals' },
  { image: 'contract/panics:v1', program: panics, module: MODULE, export: 'panics' },
  { image: 'contract/exits:v1', program: exits, module: MODULE, export: 'exits' },
  { image: 'contract/ticker:v1', program: ticker, module: MODULE, export: 'ticker' },
  { image: 'contract/writer:v1', program: writer, module: MODULE, export: 'writer' },
];
