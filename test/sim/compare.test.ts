import { describe, expect, it } from 'vitest';
import { eventKind } from '../../src/platform/log.ts';
import { compareRuns, eventLine } from '../../src/sim/compare.ts';
import type { Simulation } from '../../src/sim/simulation.ts';
import { addMachine, newSimulation, SECOND } from './helpers.ts';

const said = eventKind<{ what: number }>('test.said');

/** A machine that says a number every second; `leak` adds to what it says or to how long it waits. */
function talker(seed: string, leak: { say?: () => number; waitUs?: () => number } = {}): Simulation {
  const simulation = newSimulation({ seed });
  addMachine(simulation, 'm', function* (platform) {
    for (let i = 0; ; i++) {
      yield* platform.clock.sleep(SECOND + (leak.waitUs?.() ?? 0));
      platform.log.event(said, { what: i + (leak.say?.() ?? 0) });
    }
  }).powerOn();
  return simulation;
}

describe('two runs side by side', () => {
  it('of one seed do not differ', () => {
    expect(compareRuns(talker('1'), talker('1'), 60 * SECOND)).toBe(undefined);
  });

  it('the first event that differs is named when state leaks from one run into the other', () => {
    let shared = 0;
    const leaking = () => talker('1', { say: () => (++shared > 40 ? shared : 0) });
    const difference = compareRuns(leaking(), leaking(), 60 * SECOND);
    expect(difference?.lastCommon?.fields).toEqual({ what: 19 });
    expect(difference?.events.map((event) => event && eventLine(event))).toEqual([
      `26000000 us #${difference?.events[0]?.sequence} m/machined test.said what=61`,
      `26000000 us #${difference?.events[1]?.sequence} m/machined test.said what=62`,
    ]);
  });

  it('a difference of timing alone leads to the next event that shows it', () => {
    let asked = 0;
    const early = talker('1', { waitUs: () => (++asked === 10 ? -1 : 0) });
    const difference = compareRuns(early, talker('1'), 60 * SECOND);
    expect(difference?.events.map((event) => event?.timeUs)).toEqual([15 * SECOND - 1, 15 * SECOND]);
    expect(difference?.lastCommon?.fields).toEqual({ what: 8 });
  });

  it('one that ends earlier differs from one that goes on', () => {
    let asked = 0;
    const stopping = talker('1', { waitUs: () => (++asked === 10 ? 3_600 * SECOND : 0) });
    const difference = compareRuns(talker('1'), stopping, 60 * SECOND);
    expect(difference?.events[0]?.fields).toEqual({ what: 9 });
    expect(difference?.events[1]).toBe(undefined);
  });

  it('different seeds differ from the first slice on, even when no event shows it', () => {
    const difference = compareRuns(talker('1'), talker('2'), 60 * SECOND);
    expect([difference?.step, difference?.events]).toEqual([2, [undefined, undefined]]);
  });
});
