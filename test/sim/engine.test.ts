import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKind } from '../../src/platform/log.ts';
import type { Task } from '../../src/platform/task.ts';
import { AmbientAccess, LivelockError, SimulationBug } from '../../src/sim/errors.ts';
import type { Simulation } from '../../src/sim/simulation.ts';
import { addMachine, container, layOut, newSimulation, runOn, SECOND } from './helpers.ts';

const said = eventKind<{ what: string }>('test.said');

/** A simulation with machines that draw and log at random times; returns what each said. */
function talkers(seed: string, names: readonly string[], untilUs = 60 * SECOND) {
  const simulation = newSimulation({ seed });
  const spoken = new Map<string, string[]>();
  simulation.on(said, (event) => {
    const lines = spoken.get(event.source) ?? [];
    lines.push(`${event.timeUs} ${event.fields.what}`);
    spoken.set(event.source, lines);
  });
  for (const name of names) {
    addMachine(simulation, name, function* (platform) {
      const random = platform.random.stream('talk');
      const speak = (who: string) =>
        function* (): Task<void> {
          for (let i = 0; i < 20; i++) {
            yield* platform.clock.sleep(SECOND);
            platform.log.event(said, { what: `${who} ${random.int(0, 999)}` });
          }
        };
      for (const who of ['x', 'y', 'z']) platform.scope.spawn(who, speak(who));
    }).powerOn();
  }
  simulation.runUntil(untilUs);
  return { digest: simulation.digest(), spoken, events: simulation.eventsProcessed };
}

describe('determinism', () => {
  it('a seed gives the same digest each time, in any order of seeds; another seed another one', () => {
    const seeds = ['1', '2', '3', '4', '5', '6'];
    const forward = seeds.map((seed) => talkers(seed, ['a', 'b']).digest);
    const backward = [...seeds].reverse().map((seed) => talkers(seed, ['a', 'b']).digest);
    expect(backward.reverse()).toEqual(forward);
    expect(new Set(forward).size).toBe(seeds.length);
  });

  it('an owner draws and runs the same whatever other owners there are', () => {
    fc.assert(
      fc.property(fc.subarray(['b', 'c', 'd', 'e']), fc.integer({ min: 1, max: 1_000 }), (others, seed) => {
        const alone = talkers(String(seed), ['a'], 40 * SECOND).spoken.get('a/machined');
        const together = talkers(String(seed), [...others, 'a'], 40 * SECOND).spoken.get('a/machined');
        expect(alone?.length).toBe(60);
        expect(together).toEqual(alone);
      }),
      { numRuns: 20 },
    );
  });

  it('tasks ready at one instant go in another order with another seed', () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const lines = talkers(String(seed), ['a'], 7 * SECOND).spoken.get('a/machined') ?? [];
      orders.add(
        lines
          .slice(0, 3)
          .map((line) => line.split(' ')[1])
          .join(''),
      );
    }
    expect(orders.size).toBe(6);
  });
});

describe('the digest', () => {
  it('tells instants, order and fields apart, the latter only when it is full', () => {
    const digestOf = (act: (simulation: Simulation) => void, digest: 'fast' | 'full' = 'full') => {
      const simulation = newSimulation({ digest });
      act(simulation);
      simulation.runUntil(100);
      return simulation.digest();
    };
    const at = (timeUs: number) => digestOf((simulation) => simulation.schedule(timeUs, () => {}));
    expect(at(5)).toBe(at(5));
    expect(at(5)).not.toBe(at(6));
    const say = (what: string, digest: 'fast' | 'full') =>
      digestOf((simulation) => simulation.log('x').event(said, { what }), digest);
    expect(say('a', 'full')).not.toBe(say('b', 'full'));
    expect(say('a', 'fast')).toBe(say('b', 'fast'));
    const from = (source: string) => digestOf((simulation) => simulation.log(source).event(said, { what: '' }), 'fast');
    expect(from('x')).not.toBe(from('y'));
    expect(at(5)).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('livelock', () => {
  it('names the task that keeps the clock from moving', () => {
    const simulation = newSimulation({ livelockLimit: 10_000 });
    const machine = addMachine(simulation, 'm', function* (platform) {
      yield* platform.clock.sleep(SECOND);
      platform.scope.spawn('busy', function* () {
        for (;;) yield* platform.clock.sleep(0);
      });
    });
    machine.powerOn();
    const run = () => simulation.runUntil(60 * SECOND);
    expect(run).toThrow(LivelockError);
    expect(run).toThrow(/10000 events at 6000000 us with seed 1, lately by m\/machined/);
  });

  it('counts each instant for itself', () => {
    const simulation = newSimulation({ livelockLimit: 10_000 });
    addMachine(simulation, 'm', function* (platform) {
      for (let i = 0; i < 20_000; i++) yield* platform.clock.sleep(i % 2);
    }).powerOn();
    expect(simulation.runUntil(20 * SECOND)).toBe('reached');
  });
});

describe('ambient sources', () => {
  const leaks: Record<string, () => unknown> = {
    'Math.random': () => Math.random(),
    'Date.now': () => Date.now(),
    'new Date': () => new Date(),
    'Date()': () => (Date as unknown as () => string)(),
    setTimeout: () => setTimeout(() => {}, 0),
    setInterval: () => setInterval(() => {}, 1),
    setImmediate: () => setImmediate(() => {}),
    queueMicrotask: () => queueMicrotask(() => {}),
    nextTick: () => process.nextTick(() => {}),
    'performance.now': () => performance.now(),
    'process.hrtime': () => process.hrtime(),
    'hrtime.bigint': () => process.hrtime.bigint(),
    getRandomValues: () => crypto.getRandomValues(new Uint8Array(1)),
    randomUUID: () => crypto.randomUUID(),
    randomBytes: () => process.getBuiltinModule('node:crypto').randomBytes(1),
  };

  for (const [name, leak] of Object.entries(leaks)) {
    it(`${name} throws while a simulation advances and works before and after`, () => {
      const simulation = newSimulation();
      addMachine(simulation, 'm', function* () {
        leak();
      }).powerOn();
      let caught: unknown;
      try {
        simulation.runUntil(10 * SECOND);
      } catch (error) {
        caught = error;
      }
      expect(caught).toBeInstanceOf(SimulationBug);
      expect((caught as SimulationBug).cause).toBeInstanceOf(AmbientAccess);
      expect((caught as SimulationBug).stack).toContain('engine.test.ts');
      expect(Math.random()).toBeLessThan(1);
      expect(Date.now()).toBeGreaterThan(1e12);
      expect(performance.now()).toBeGreaterThan(0);
      expect(crypto.randomUUID().length).toBe(36);
      expect(process.hrtime.bigint() > 0n).toBe(true);
    });
  }

  it('traps nest: a simulation that advances inside another one leaves the outer trap set', () => {
    const outer = newSimulation();
    outer.schedule(5, () => {
      newSimulation().runUntil(10);
      Math.random();
    });
    expect(() => outer.runUntil(10)).toThrow(/Math.random/);
    expect(Math.random()).toBeLessThan(1);
  });

  it('a known instant may still be converted', () => {
    const simulation = newSimulation();
    let text = '';
    simulation.schedule(1, () => {
      text = new Date(0).toISOString();
    });
    simulation.runUntil(2);
    expect(text).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('slices', () => {
  function withListener(act: (simulation: Simulation) => void) {
    const simulation = newSimulation();
    const log: string[] = [];
    const machine = addMachine(simulation, 'm', function* (platform) {
      log.push('one');
      platform.log.event(said, { what: 'now' });
      log.push('two');
      platform.log.event(said, { what: 'still the same slice' });
      yield* platform.clock.sleep(0);
      log.push('three');
    });
    simulation.on(said, () => act(simulation));
    machine.powerOn();
    simulation.runUntil(20 * SECOND);
    return { simulation, machine, log };
  }

  it('a power cut asked for by a listener takes effect when the slice ends', () => {
    const states: (string | undefined)[] = [];
    const { machine, log } = withListener((simulation) => {
      simulation.machine('m')?.powerOff();
      states.push(simulation.machine('m')?.state);
    });
    expect([machine.state, log, states]).toEqual(['off', ['one', 'two'], ['running', 'running']]);
  });

  it('a listener that throws is our bug, not an error that node code could catch', () => {
    expect(() =>
      withListener(() => {
        throw new Error('broken checker');
      }),
    ).toThrow(/broken checker/);
  });

  it('an action of a plan that throws stops the run too', () => {
    const simulation = newSimulation();
    simulation.schedule(1, () => {
      throw new Error('broken plan');
    });
    expect(() => simulation.runUntil(2)).toThrow(/broken plan/);
  });

  it('nothing of a dead incarnation logs: a timer set by a process that died never fires', () => {
    const simulation = newSimulation({
      programs: {
        late: function* ({ platform }) {
          platform.clock.after(2 * SECOND, () => platform.log.event(said, { what: 'too late' }));
          yield* platform.clock.sleep(SECOND);
          return 0;
        },
      },
    });
    const machine = addMachine(simulation, 'm', layOut);
    machine.powerOn();
    simulation.runUntil(10 * SECOND);
    let heard = 0;
    simulation.on(said, () => heard++);
    runOn(simulation, machine, function* ({ containers }) {
      yield* containers.pull('late');
      yield* containers.run(container('late'));
    });
    simulation.runFor(60 * SECOND);
    expect(heard).toBe(0);
  });

  it('an event of a process that is dead breaks the run: the epoch guard is checked', () => {
    const simulation = newSimulation();
    const machine = addMachine(simulation, 'm', function* () {});
    machine.powerOn();
    simulation.runUntil(10 * SECOND);
    const log = machine.platform!.log;
    machine.powerOff();
    log.event(said, { what: 'ghost' });
    expect(() => simulation.runFor(1)).toThrow(/after its process died/);
  });
});

describe('running', () => {
  it('says why it stopped', () => {
    const simulation = newSimulation();
    expect(simulation.runUntil(5)).toBe('reached');
    expect(simulation.runUntil(() => false)).toBe('idle');
    simulation.schedule(10, () => {});
    simulation.schedule(20, () => {});
    expect(simulation.runUntil(() => simulation.nowUs >= 10)).toBe('reached');
    expect(simulation.runUntil(() => false, { untilUs: 15 })).toBe('time');
    expect(simulation.nowUs).toBe(15);
    expect(simulation.runUntil(100, { maxEvents: 1 })).toBe('budget');
    expect([simulation.nowUs, simulation.step()]).toEqual([20, false]);
  });

  it('keeps a bounded index of notable events', () => {
    const simulation = newSimulation({ notable: (kind) => kind === said.name, notableLimit: 10 });
    const log = simulation.log('operator');
    for (let i = 0; i < 100; i++) log.event(said, { what: String(i) });
    const { events, dropped } = simulation.trace.notable;
    expect(events.length + dropped).toBe(100);
    expect(events.length).toBeLessThanOrEqual(20);
    expect(events.at(-1)?.fields).toEqual({ what: '99' });
  });

  it('closing runs no further line', () => {
    const simulation = newSimulation();
    let ticks = 0;
    addMachine(simulation, 'm', function* ({ clock }) {
      for (;;) {
        yield* clock.sleep(SECOND);
        ticks++;
      }
    }).powerOn();
    simulation.runUntil(8 * SECOND);
    simulation.close();
    expect([ticks, simulation.pending, simulation.runFor(10 * SECOND)]).toEqual([3, 0, 'reached']);
    expect(ticks).toBe(3);
  });
});
