import type { Process, Program } from '../../platform/containers.ts';
import { Fatal } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import type { Behaviour } from '../behaviour.ts';
import { ETCD_3_6 } from '../behaviour.ts';
import { parseConfig, type ServerConfig } from './config/config.ts';
import { Console } from './console.ts';
import type { ServerObserver } from './observer.ts';
import { restoreCommand } from './restore/command.ts';
import { serveMember } from './serve.ts';
import { StartError } from './start/errors.ts';
import { SEGMENT_BYTES } from './wal/wal.ts';

export interface EtcdProgramOptions {
  /** Which release it is; default 3.6.5. */
  readonly behaviour?: Behaviour;
  /** Follows every request; for checkers in a simulation. */
  readonly observer?: ServerObserver;
  /** Size at which a segment of the log is closed; default 64 MiB. */
  readonly walSegmentBytes?: number;
}

/**
 * The program of an etcd image. The name it is called by decides, as in the real image: `etcd` is the server, `etcdutl`
 * restores snapshots.
 */
export function etcdProgram(options: EtcdProgramOptions = {}): Program {
  return function* (process: Process): Task<number> {
    const name = (process.argv[0] ?? 'etcd').replace(/^.*\//, '');
    if (name === 'etcdutl') return yield* restoreCommand(process);
    return yield* runServer(process, options);
  };
}

function* runServer(process: Process, options: EtcdProgramOptions): Task<number> {
  const behaviour = options.behaviour ?? ETCD_3_6;
  const console = new Console(process);
  const config = parseConfig(process.argv.slice(1), process.env, behaviour);
  if ('exitCode' in config) {
    for (const line of config.lines) process.print(line);
    return config.exitCode;
  }
  for (const name of config.variables) {
    console.info('recognized and used environment variable', {
      'variable-name': name,
      'variable-value': process.env[name],
    });
  }
  console.info('Running: ', { args: process.argv });
  return yield* guarded(console, serve(process, console, config, behaviour, options));
}

function* serve(
  process: Process,
  console: Console,
  config: ServerConfig,
  behaviour: Behaviour,
  options: EtcdProgramOptions,
): Task<number> {
  try {
    const { observer, walSegmentBytes = SEGMENT_BYTES } = options;
    return yield* serveMember({ process, console, config, behaviour, observer, walSegmentBytes });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.fatal('discovery failed', { error: error.message });
    return 1;
  }
}

/** A panic's text belongs to the log before the process ends. */
function* guarded(console: Console, task: Task<number>): Task<number> {
  try {
    return yield* task;
  } catch (error) {
    if (error instanceof Fatal) console.fatal(error.message);
    throw error;
  }
}
