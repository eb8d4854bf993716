import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine } from '../src/lab/engine/engine.ts';
import { Session } from '../src/lab/engine/session.ts';
import { openScenario } from '../src/runner/scenario-file.ts';

const scenarioFile = join(dirname(fileURLToPath(import.meta.url)), '..', 'scenarios', 'bring-up.yaml');
const QUIET_US = 600_000_000;
const SETTLE_US = 120_000_000;

/** Five machines from blank to ready, then ten quiet minutes with everything periodic going on. */
export function benchCluster(): { name: string; value: number; unit: string }[] {
  const { scenario, deps } = openScenario(scenarioFile);
  const session = new Session(scenario, { seed: 1, digest: 'fast', strictWire: false }, deps);
  const { simulation } = session.world;
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
  const bringUpMs = timed(() => simulation.runUntil(() => done, { untilUs: 3_600_000_000 }));
  const bringUpUs = simulation.nowUs;
  simulation.runFor(SETTLE_US);
  const before = simulation.eventsProcessed;
  const quietMs = timed(() => simulation.runFor(QUIET_US));
  const quietEvents = simulation.eventsProcessed - before;
  session.close();
  return [
    { name: 'bring-up, wall', value: Math.round(bringUpMs), unit: 'ms' },
    { name: 'bring-ups', value: round(60_000 / bringUpMs), unit: 'per minute' },
    { name: 'bring-up, simulated to wall', value: round(bringUpUs / 1000 / bringUpMs), unit: 'ratio' },
    { name: 'quiet 3 + 2 cluster, simulated to wall', value: round(QUIET_US / 1000 / quietMs), unit: 'ratio' },
    {
      name: 'quiet 3 + 2 cluster, events',
      value: round((quietEvents * 1_000_000) / QUIET_US),
      unit: 'per simulated second',
    },
  ];
}

function timed(body: () => void): number {
  const startedMs = performance.now();
  body();
  return performance.now() - startedMs;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
