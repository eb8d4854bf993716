import type { Task } from '../../platform/task.ts';
import type { Run } from './context.ts';
import type { FlagSpecs } from './flags.ts';

/** What help says of a command. */
export interface Described {
  /** What follows the command's name: `[options] <key> [range_end]`. */
  readonly use: string;
  readonly short: string;
  readonly long?: string;
  readonly flags: FlagSpecs;
}

/** One command of etcdctl. */
export interface Verb extends Described {
  run(run: Run): Task<void>;
}
