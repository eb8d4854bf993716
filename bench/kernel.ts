import { Bug } from '../src/platform/errors.ts';
import { Scope } from '../src/platform/scope.ts';
import type { Task } from '../src/platform/task.ts';
import { MachineClock, ProcessClock } from '../src/sim/clock.ts';
import { Engine } from '../src/sim/engine.ts';
import { Gate } from '../src/sim/gate.ts';

/** One figure of a benchmark. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const REFERENCE_ROUNDS = 20_000_000;
const ROUNDS = 5;

/** Milliseconds that a piece of work takes: the best of several rounds, since noise only ever adds. */
function bestMs(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now();
    work();
    best = Math.min(best, performance.now() - before);
  }
  return best;
}

/** A fixed loop of integer arithmetic, so that figures of different machines can be compared. */
function referenceLoop(): number {
  let hash = 1;
  for (let i = 0; i < REFERENCE_ROUNDS; i++) hash = Math.imul(hash ^ i, 0x01000193) ^ (hash >>> 7);
  return hash;
}

function newEngine(): { engine: Engine; gate: Gate } {
  const engine = new Engine('bench', Number.MAX_SAFE_INTEGER);
  const gate = new Gate(engine, 'bench', (error) => {
    throw error;
  });
  return { engine, gate };
}

/** Events per second with `pending` timers that each schedule themselves again: the usual life of a simulation. */
function eventsPerSec(pending: number, events: number): number {
  const { engine, gate } = newEngine();
  let delayUs = 1;
  const again = (): void => {
    delayUs = (Math.imul(delayUs, 1_103_515_245) + 12_345) & 0xfffff;
    engine.scheduleIn(1 + delayUs, again, gate);
  };
  for (let i = 0; i < pending; i++) again();
  const run = (): void => {
    for (let i = 0; i < events; i++) engine.step(Number.MAX_SAFE_INTEGER);
  };
  run();
  return (events / bestMs(run)) * 1_000;
}

/** Timed calls per second: a timer that is set and taken back, beside others that stay. */
function timedCallsPerSec(pending: number, calls: number): number {
  const { engine, gate } = newEngine();
  const nothing = (): void => {};
  for (let i = 0; i < pending; i++) engine.scheduleIn(i * 7, nothing, gate);
  const run = (): void => {
    for (let i = 0; i < calls; i++) engine.scheduleIn(5_000_000 + i, nothing, gate).cancel();
  };
  run();
  if (engine.queue.size !== pending) throw new Bug('cancelled timers stayed in the queue');
  return (calls / bestMs(run)) * 1_000;
}

/** Task switches per second: ten tasks that sleep in turn. */
function switchesPerSec(switches: number): number {
  const { engine, gate } = newEngine();
  const clock = new ProcessClock(new MachineClock(engine, 0, 0), gate);
  const scope = new Scope(gate, 'bench');
  let left = 0;
  function* sleeper(): Task<void> {
    for (;;) {
      yield* clock.sleep(10);
      left--;
    }
  }
  for (let i = 0; i < 10; i++) scope.spawn('sleeper', sleeper);
  const run = (): void => {
    left = switches;
    while (left > 0) engine.step(Number.MAX_SAFE_INTEGER);
  };
  run();
  return (switches / bestMs(run)) * 1_000;
}

/** The figures of the simulation's kernel. Relative ones are per million rounds of the reference loop. */
export function benchKernel(): Measurement[] {
  const referencePerSec = (REFERENCE_ROUNDS / bestMs(referenceLoop)) * 1_000;
  const results: Measurement[] = [{ name: 'reference loop', value: Math.round(referencePerSec), unit: 'rounds/s' }];
  const report = (name: string, perSec: number, what: string): void => {
    results.push({ name, value: Math.round(perSec), unit: `${what}/s` });
    const relative = Math.round((perSec / referencePerSec) * 1_000_000);
    results.push({ name: `${name}, relative`, value: relative, unit: `${what} per million reference rounds` });
  };
  for (const pending of [100, 10_000, 100_000]) {
    report(`kernel events with ${pending} pending`, eventsPerSec(pending, 400_000), 'events');
  }
  report('timed calls with 10000 pending', timedCallsPerSec(10_000, 400_000), 'calls');
  report('task switches', switchesPerSec(400_000), 'switches');
  return results;
}
