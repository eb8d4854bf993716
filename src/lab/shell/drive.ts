import type { Channel } from '../../platform/channel.ts';
import { SECOND_US } from '../../platform/clock.ts';
import type { Signal } from '../../platform/containers.ts';
import { TaskCancelled } from '../../platform/errors.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import type { SimProcess } from '../../sim/kernel/process.ts';
import type { Simulation } from '../../sim/simulation.ts';
import { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import { runInSlices, type Slices } from '../engine/slices.ts';

/** How long of simulated time a command that is interrupted may still take: its last calls are given up before. */
const LAST_WORDS_LIMIT_US = 10 * SECOND_US;

export interface Driven {
  /** False when the limit of simulated time was over before the work ended. */
  readonly ended: boolean;
  /** What went wrong in steps of a scenario; empty when nothing did. */
  readonly problems: readonly string[];
}

/**
 * Lets the operator do something on the workstation while simulated time moves, until it ends or `limitUs` of simulated
 * time are over. Then, and when the slices are given up, it is interrupted as by Ctrl-C: it may still give back what it
 * holds. `print` sees what commands print, as they print it, `onCommand` the lines of a scenario as they are typed.
 */
export function* driveOperator(
  session: Session,
  body: (engine: Engine) => Task<void>,
  print: (text: string, stream: 'stdout' | 'stderr') => void,
  limitUs?: number,
  onCommand: (line: string) => void = () => {},
): Slices<Driven> {
  const { simulation } = session.world;
  let ended = false;
  const problems: string[] = [];
  const process = session.asOperator('command', function* (shell, platform, signals): Task<void> {
    const engine = new Engine(session.world, shell, platform, {
      onCommand,
      onOutput: print,
      onStep: () => {},
    });
    ended = yield* untilInterrupted(platform.scope, body(engine), signals);
    if (!ended) yield* engine.interrupted();
    problems.push(...engine.problems);
  });
  try {
    yield* runInSlices(simulation, () => ended, limitUs === undefined ? {} : { untilUs: simulation.nowUs + limitUs });
  } finally {
    if (!ended) interrupt(simulation, process);
  }
  return { ended, problems };
}

/** Does the work, or cancels it at the first signal. False when that came first. */
function* untilInterrupted(scope: TaskScope, body: Task<void>, signals: Channel<Signal>): Task<boolean> {
  const work = scope.spawn('work', () => body);
  scope.spawn('signals', function* (): Task<void> {
    yield* signals.receive();
    work.cancel();
  });
  try {
    yield* work.join();
    return true;
  } catch (error) {
    if (error instanceof TaskCancelled) return false;
    throw error;
  }
}

function interrupt(simulation: Simulation, process: SimProcess): void {
  process.signal('SIGINT');
  simulation.runUntil(() => process.state === 'exited', { untilUs: simulation.nowUs + LAST_WORDS_LIMIT_US });
  if (process.state !== 'exited') process.kill();
}
