import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine } from '../src/lab/engine/engine.ts';
import { Session } from '../src/lab/engine/session.ts';
import { openScenario } from '../src/runner/scenario-file.ts';

const scenarioFile = join(dirname(fileURLToPath(import.meta.url)), '..', 'scenarios', 'bring-up.yaml');
const SETTLE_US = 120_000_000;

/** Three control planes and two workers, from blank to ready, and then left alone for two minutes. */
export class QuietCluster {
  readonly #session: Session;
  readonly bringUpMs: number;
  readonly bringUpUs: number;

  constructor() {
    const { scenario, deps } = openScenario(scenarioFile);
    const session = new Session(scenario, { seed: 1, digest: 'fast', strictWire: false }, deps);
    this.#session = session;
    let done = false;
    session.start(function* (shell, platform) {
      const engine = new Engine(session.world, shell, platform, {
        onCommand: () => {},
        onOutput: () => {},
        onStep: () => {},
      });
      yield* engine.run(scenario.steps);
      done = true;
    });
    const { simulation } = this;
    this.bringUpMs = timed(() => simulation.runUntil(() => done, { untilUs: 3_600_000_000 }));
    this.bringUpUs = simulation.nowUs;
    simulation.runFor(SETTLE_US);
  }

  get simulation(): Session['world']['simulation'] {
    return this.#session.world.simulation;
  }

  close(): void {
    this.#session.close();
  }
}

/** Wall time of `body` in milliseconds. */
export function timed(body: () => void): number {
  const startedMs = performance.now();
  body();
  return performance.now() - startedMs;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
