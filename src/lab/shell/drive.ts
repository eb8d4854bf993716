import type { Task } from '../../platform/task.ts';
import { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import { runInSlices, type Slices } from '../engine/slices.ts';

export interface Driven {
  /** False when the limit of simulated time was over before the work ended. */
  readonly ended: boolean;
  /** What went wrong in steps of a scenario; empty when nothing did. */
  readonly problems: readonly string[];
}

/**
 * Lets the operator do something on the workstation while simulated time moves, until it ends or `limitUs` of simulated
 * time are over; what is interrupted is killed. `print` sees what commands print, as they print it, `onCommand` the lines of
 * a scenario as they are typed.
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
  const process = session.asOperator('command', function* (shell, platform): Task<void> {
    const engine = new Engine(session.world, shell, platform, {
      onCommand,
      onOutput: print,
      onStep: () => {},
    });
    yield* body(engine);
    problems.push(...engine.problems);
    ended = true;
  });
  try {
    yield* runInSlices(simulation, () => ended, limitUs === undefined ? {} : { untilUs: simulation.nowUs + limitUs });
  } finally {
    if (!ended) process.kill();
  }
  return { ended, problems };
}
