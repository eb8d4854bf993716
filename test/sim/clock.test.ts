import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MachineClock } from '../../src/sim/clock.ts';
import { Engine } from '../../src/sim/engine.ts';
import { addMachine, newSimulation, runOn, SECOND } from './helpers.ts';

describe('machine clock', () => {
  it('a delay of local time takes the least true time in which the local clock gets there', () => {
    const year = 365 * 86_400 * SECOND;
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 500 }),
        fc.nat(year),
        fc.nat(86_400 * SECOND),
        (ppm, startUs, delayUs) => {
          const engine = new Engine('1', 100_000);
          const clock = new MachineClock(engine, 0, ppm);
          engine.advanceTo(startUs);
          const dueUs = clock.monotonicUs() + delayUs;
          const trueUs = clock.trueDelayUs(delayUs);
          if (trueUs > 0) {
            engine.advanceTo(startUs + trueUs - 1);
            expect(clock.monotonicUs()).toBeLessThan(dueUs);
          }
          engine.advanceTo(startUs + trueUs);
          expect(clock.monotonicUs()).toBeGreaterThanOrEqual(dueUs);
        },
      ),
    );
  });

  it('drifts exactly, and a change of rate leaves no gap', () => {
    const engine = new Engine('1', 100_000);
    const clock = new MachineClock(engine, 1_000, 100);
    engine.advanceTo(10 * SECOND);
    expect([clock.monotonicUs(), clock.wallUs()]).toEqual([10_001_000, 10_002_000]);
    clock.setDrift(-100);
    expect(clock.monotonicUs()).toBe(10_001_000);
    engine.advanceTo(20 * SECOND);
    expect(clock.monotonicUs()).toBe(20_000_000);
    clock.jump(-5 * SECOND);
    expect([clock.monotonicUs(), clock.wallUs()]).toEqual([20_000_000, 15_001_000]);
  });
});

describe('clocks of machines', () => {
  it('monotonic time starts with each kernel, the hardware clock goes on, a fault of it survives the reboot', () => {
    const simulation = newSimulation({ epochUs: 0 });
    const machine = addMachine(simulation, 'm', function* () {});
    const read = () =>
      runOn(simulation, machine, function* ({ clock }) {
        return [clock.monotonicUs(), clock.nowUs()];
      });
    machine.powerOn();
    simulation.runUntil(7 * SECOND);
    expect(read()).toEqual([2 * SECOND, 7 * SECOND]);
    machine.chassis.stepClock(60 * SECOND, 'fault', true);
    machine.chassis.stepClock(600 * SECOND, 'fault', false);
    expect(read()).toEqual([2 * SECOND, 667 * SECOND]);
    machine.reset();
    simulation.runFor(6 * SECOND);
    expect(read()).toEqual([1 * SECOND, 73 * SECOND]);
    runOn(simulation, machine, function* ({ timekeeping }) {
      timekeeping.step(-60 * SECOND);
    });
    expect(read()).toEqual([1 * SECOND, 13 * SECOND]);
  });

  it('a fast oscillator makes timers early in true time', () => {
    const simulation = newSimulation();
    const machine = simulation.addMachine({
      name: 'm',
      nics: [],
      disks: [],
      medium: { version: '', schematic: '', bootable: true },
      driftPpm: 200,
      supervisor: function* ({ clock }) {
        yield* clock.sleep(1_000 * SECOND);
        fired = simulation.nowUs;
        for (;;) yield* clock.sleep(1_000 * SECOND);
      },
    });
    let fired = 0;
    machine.powerOn();
    simulation.runUntil(1_010 * SECOND);
    expect(fired - 5 * SECOND).toBe(999_800_040);
  });
});
