import type { Process, Program } from '../../platform/containers.ts';
import { DiskError, Fatal } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import type { Behaviour } from '../behaviour.ts';
import { ETCD_3_6 } from '../behaviour.ts';
import { parseConfig, type ServerConfig } from './config/config.ts';
import { tellRefusal } from './config/refusal.ts';
import { Console } from './console.ts';
import type { ServerObserver } from './observer.ts';
import { restoreCommand } from './restore/command.ts';
import { serveMember } from './serve.ts';
import { StartError } from './start/errors.ts';
import { layoutOf } from './start/layout.ts';
import { SEGMENT_BYTES } from './wal/wal.ts';

export interface EtcdProgramOptions {
  /** Which release it is; default 3.6.5. */
  readonly behaviour?: Behaviour;
  /** Follows every request; for checkers in a simulation. */
  readonly observer?: ServerObserver;
  /** Size at which a segment of the log is closed; default 64 MiB. */
  readonly walSegmentBytes?: number;
}

/** Other programs inside the same binary. */
const PROXIES: readonly string[] = Object.freeze(['gateway', 'grpc-proxy']);

/**
 * The program of an etcd image. The name it is called by decides, as in the real image: `etcd` is the server, `etcdutl`
 * restores snapshots.
 */
export function etcdProgram(options: EtcdProgramOptions = {}): Program {
  return function* (process: Process): Task<number> {
    const name = (process.argv[0] ?? 'etcd').replace(/^.*\//, '');
    if (name === 'etcdutl') return yield* restoreCommand(process);
    const proxy = process.argv[1] ?? '';
    if (PROXIES.includes(proxy)) {
      process.print(`etcd ${proxy} is not simulated; only the server is`);
      return 1;
    }
    return yield* runServer(process, options);
  };
}

function* runServer(process: Process, options: EtcdProgramOptions): Task<number> {
  const behaviour = options.behaviour ?? ETCD_3_6;
  const console = new Console(process);
  const config = parseConfig(process.argv.slice(1), process.env, behaviour);
  if ('why' in config) {
    tellRefusal(config, process.argv, (line) => process.print(line), console);
    return config.exitCode;
  }
  for (const name of config.variables) {
    console.info('recognized and used environment variable', {
      'variable-name': name,
      'variable-value': process.env[name],
    });
  }
  for (const variable of config.unknownVariables) {
    console.warn('unrecognized environment variable', { 'environment-variable': variable });
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
  let isFresh = false;
  try {
    isFresh = yield* isFreshDirectory(process, console, config);
    if (config.startProblem !== null) throw new StartError(config.startProblem);
    const { observer, walSegmentBytes = SEGMENT_BYTES } = options;
    return yield* serveMember({ process, console, config, behaviour, observer, walSegmentBytes });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    if (isFresh) console.warn('failed to start etcd', { error: error.message });
    console.fatal(error.announced, { error: error.message });
    return 1;
  }
}

/** Whether no member has lived in the data directory yet. Tells of files there that are not a member's. */
function* isFreshDirectory(process: Process, console: Console, config: ServerConfig): Task<boolean> {
  const { disk } = process.platform;
  const { dataDir } = layoutOf(config);
  try {
    if ((yield* disk.stat(dataDir)) === undefined) return true;
    let isFresh = true;
    for (const { name } of yield* disk.list(dataDir)) {
      if (name === 'member') isFresh = false;
      else console.warn('found invalid file under data directory', { filename: name, 'data-dir': config.dataDir });
    }
    return isFresh;
  } catch (error) {
    if (!(error instanceof DiskError && error.code === 'not-directory')) throw error;
    throw new StartError(`open ${dataDir}: not a directory`, 'failed to list data directory');
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
