import { END } from '../../platform/channel.ts';
import type { Process } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { readText } from './connect.ts';
import type { ComponentFlags } from './flags.ts';

/** SIGTERM ends a component in an orderly way. */
export function* untilStopped(process: Process): Task<number> {
  for (;;) {
    const signal = yield* process.signals.receive();
    if (signal === END || signal === 'SIGTERM' || signal === 'SIGINT') return 0;
  }
}

/** Text of the file that a flag names; undefined when flag or file is missing. */
export function* readFlagFile(platform: Platform, flags: ComponentFlags, name: string): Task<string | undefined> {
  const path = flags.values[name];
  return path === undefined ? undefined : yield* readText(platform, path);
}
