import type { Clock } from '../../platform/clock.ts';
import { race, timeout } from '../../platform/combinators.ts';
import type { Container, ContainerSpec, Containers } from '../../platform/containers.ts';
import { ContainerError, TimeoutError } from '../../platform/errors.ts';
import type { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { errorText, NodeError } from '../errors.ts';
import type { ServiceState } from './states.ts';

/** How a runner says what happens to what it runs. */
export type Report = (state: ServiceState, message: string) => void;

/** Runs the process of a service once. */
export interface Runner {
  /** As messages name it: `Containerd(etcd)`. */
  readonly name: string;
  /**
   * Runs until the end, or until `stop` is set and the process is gone. Throws NodeError when it ended badly without
   * being stopped.
   */
  run(report: Report, stop: Once<void>): Task<void>;
}

const TERM_GRACE_US = 10_000_000;
const RESTART_PAUSE_US = 5_000_000;

/** A container of the machine's containerd. */
export function containerRunner(
  containers: Containers,
  clock: Clock,
  spec: () => ContainerSpec,
  onLog: (line: string) => void,
): Runner {
  return {
    name: `Containerd(${spec().id})`,
    *run(report, stop) {
      const container = yield* startContainer(containers, spec());
      const { id, pid } = container.info;
      container.onLog(onLog);
      report('Running', `Started task ${id} (PID ${pid}) for container ${id}`);
      const ended = yield* race<number | 'stop'>({ ended: exitCode(container), stopped: stopped(stop) });
      if (ended !== 'stop') {
        if (ended === 0) return;
        throw new NodeError(`task "${id}" failed: exit code ${ended}`);
      }
      const where = `task ${id} (PID ${pid}, container ${id})`;
      report('Stopping', `Sending SIGTERM to ${where}`);
      container.signal('SIGTERM');
      try {
        yield* timeout(clock, TERM_GRACE_US, container.wait());
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
        report('Stopping', `Sending SIGKILL to ${where}`);
        container.signal('SIGKILL');
        yield* container.wait();
      }
    },
  };
}

function* startContainer(containers: Containers, spec: ContainerSpec): Task<Container> {
  try {
    return yield* containers.run(spec);
  } catch (error) {
    if (error instanceof ContainerError)
      throw new NodeError(`failed to create container: "${spec.id}": ${errorText(error)}`);
    throw error;
  }
}

function* exitCode(container: Container): Task<number> {
  return (yield* container.wait()).code;
}

function* stopped(stop: Once<void>): Task<'stop'> {
  yield* stop.get();
  return 'stop';
}

export interface TaskRunnerOptions {
  readonly name: string;
  /** Message of the Running event. */
  readonly started: string;
  readonly stopping: string;
  /** Gets ready; Running is reported when it returns. */
  readonly start: () => Task<void>;
  /** What runs meanwhile; cancelled on stop. Returning ends the service. */
  readonly body: () => Task<void>;
  /** Winds down after the body was cancelled. */
  readonly shutDown?: () => Task<void>;
}

/** Something that machined itself runs: a goroutine, or a process whose inside is not modelled. */
export function taskRunner(options: TaskRunnerOptions): Runner {
  return {
    name: options.name,
    *run(report, stop) {
      yield* options.start();
      report('Running', options.started);
      const body = (function* (): Task<'ended'> {
        yield* options.body();
        return 'ended';
      })();
      const how = yield* race<'ended' | 'stop'>({ body, stopped: stopped(stop) });
      if (how === 'stop') report('Stopping', options.stopping);
      if (options.shutDown !== undefined) yield* options.shutDown();
    },
  };
}

/** Starts a runner again 5 s after it ended, until it is stopped. */
export function restartForever(clock: Clock, inner: Runner): Runner {
  return {
    name: `Restart(Forever, ${inner.name})`,
    *run(report, stop) {
      while (!stop.isSet) {
        yield* runOnce(inner, report, stop);
        if (stop.isSet) return;
        const how = yield* race<'again' | 'stop'>({ pause: pause(clock), stopped: stopped(stop) });
        if (how === 'stop') report('Stopping', 'Aborting restart sequence');
      }
    },
  };
}

function* runOnce(inner: Runner, report: Report, stop: Once<void>): Task<void> {
  try {
    yield* inner.run(report, stop);
    if (!stop.isSet) report('Waiting', `Runner ${inner.name} exited without error, going to restart it`);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (!stop.isSet) report('Waiting', `Error running ${inner.name}, going to restart forever: ${error.message}`);
  }
}

function* pause(clock: Clock): Task<'again'> {
  yield* clock.sleep(RESTART_PAUSE_US);
  return 'again';
}
