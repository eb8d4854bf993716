import { describe, expect, it } from 'vitest';
import type { Process, Program } from '../../src/platform/containers.ts';
import type { Connection } from '../../src/platform/net.ts';
import type { Task } from '../../src/platform/task.ts';
import { compareRuns } from '../../src/sim/compare.ts';
import type { SimProcess } from '../../src/sim/kernel/process.ts';
import type { Station } from '../../src/sim/machine/station.ts';
import type { Simulation } from '../../src/sim/simulation.ts';
import { addMachine, container, layOut, newSimulation, runOn, SECOND } from './helpers.ts';

const PORT = 7000;

/** Two stations on one segment, 10.0.0.1 and 10.0.0.2. */
function pair(seed = '1'): { simulation: Simulation; a: Station; b: Station } {
  const simulation = newSimulation({ seed });
  simulation.network.addSegment({ name: 'lan' });
  const station = (name: string, address: string): Station =>
    simulation.addStation({
      name,
      nics: [{ link: 'eth0', segment: 'lan' }],
      memoryBytes: 1e9,
      addresses: [{ link: 'eth0', cidr: `${address}/24` }],
    });
  return { simulation, a: station('a', '10.0.0.1'), b: station('b', '10.0.0.2') };
}

/** Answers every segment with itself, one task for each connection; prints what it gets. */
function* server({ platform, print }: Process): Task<number> {
  const listener = yield* platform.net.listen({ address: '0.0.0.0', port: PORT });
  for (;;) {
    const connection = yield* listener.accept();
    platform.scope.spawn('serve', () => serve(connection, print));
  }
}

function* serve(connection: Connection, print: (line: string) => void): Task<void> {
  try {
    for (let segment = yield* connection.receive(); segment !== undefined; segment = yield* connection.receive()) {
      print(`got ${(segment as Uint8Array).length}`);
      connection.send(segment);
    }
    connection.close();
  } catch (error) {
    print(`lost ${(error as { code: string }).code}`);
  }
}

/** Sends a byte every `everyUs` and prints what comes back, and how the connection ended. */
function client(everyUs: number, userTimeoutUs?: number): Program {
  return function* ({ platform, print }) {
    const options = userTimeoutUs === undefined ? {} : { userTimeoutUs };
    const connection: Connection = yield* platform.net.dial({ address: '10.0.0.2', port: PORT }, options);
    connection.consume(
      (segment) => print(`back ${(segment as Uint8Array).length} at ${platform.clock.monotonicUs()}`),
      (error) => print(`end ${(error as { code?: string } | undefined)?.code ?? 'fin'}`),
    );
    for (;;) {
      connection.send(Uint8Array.of(1));
      yield* platform.clock.sleep(everyUs);
    }
  };
}

function started(everyUs = SECOND, userTimeoutUs?: number, seed?: string) {
  const world = pair(seed);
  const serving = world.b.run({ name: 'server', program: server })!;
  world.simulation.runFor(SECOND);
  const asking = world.a.run({ name: 'client', program: client(everyUs, userTimeoutUs) })!;
  world.simulation.runFor(3.5 * SECOND);
  return { ...world, serving, asking };
}

const endOf = (process: SimProcess): string | undefined =>
  process.lines.tail(100).find((line) => line.startsWith('end'));
const backs = (process: SimProcess): number =>
  process.lines.tail(1_000).filter((line) => line.startsWith('back')).length;

describe('death and pauses, seen over the network', () => {
  it('a killed process: its kernel says goodbye', () => {
    const { simulation, serving, asking } = started();
    expect([backs(asking), endOf(asking)]).toEqual([4, undefined]);
    serving.kill();
    simulation.runFor(SECOND / 10);
    expect(endOf(asking)).toMatch(/end (fin|reset)/);
  });

  it('a power cut: nobody is told; the rebooted kernel answers with a reset', () => {
    const { simulation, b, asking } = started(10 * SECOND);
    b.powerOff();
    simulation.runFor(5 * SECOND);
    expect(endOf(asking)).toBe(undefined);
    b.powerOn();
    simulation.runFor(120 * SECOND);
    expect(endOf(asking)).toBe('end reset');
  });

  it('a power cut for good: only the user timeout ends the connection', () => {
    const { simulation, b, asking } = started(SECOND, 20 * SECOND);
    b.powerOff();
    simulation.runFor(15 * SECOND);
    expect(endOf(asking)).toBe(undefined);
    simulation.runFor(15 * SECOND);
    expect(endOf(asking)).toBe('end timeout');
  });

  it('a stopped process: its kernel goes on acknowledging, the data waits for it', () => {
    const { simulation, serving, asking } = started(SECOND, 5 * SECOND);
    serving.signal('SIGSTOP');
    simulation.runFor(20 * SECOND);
    expect([backs(asking), endOf(asking)]).toEqual([4, undefined]);
    serving.signal('SIGCONT');
    simulation.runFor(SECOND / 2);
    expect(backs(asking)).toBeGreaterThan(4);
    const received = serving.lines.tail(1_000).reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    expect(received).toBe(24);
  });

  it('a stopped client gets what arrived meanwhile only when it goes on', () => {
    const { simulation, a, b } = pair();
    b.run({
      name: 'pusher',
      program: function* ({ platform }) {
        const listener = yield* platform.net.listen({ address: '0.0.0.0', port: PORT });
        const connection = yield* listener.accept();
        for (;;) {
          connection.send(Uint8Array.of(1));
          yield* platform.clock.sleep(SECOND);
        }
      },
    });
    simulation.runFor(SECOND);
    const listening = a.run({ name: 'client', program: client(1_000 * SECOND) })!;
    simulation.runFor(3.5 * SECOND);
    listening.signal('SIGSTOP');
    simulation.runFor(10 * SECOND);
    expect(backs(listening)).toBe(4);
    listening.signal('SIGCONT');
    simulation.runFor(0);
    const bytes = listening.lines.tail(100).reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    expect(bytes).toBe(14);
  });

  it('a frozen machine does not even acknowledge', () => {
    const { simulation, b, asking } = started(SECOND, 5 * SECOND);
    b.freeze();
    simulation.runFor(20 * SECOND);
    expect(endOf(asking)).toBe('end timeout');
    b.thaw();
    simulation.runFor(20 * SECOND);
  });

  it('no callback reaches a process that died, whatever is still under way', () => {
    for (let cutUs = 0; cutUs < 2_000; cutUs += 77) {
      const { simulation, a, asking, serving } = started(500);
      simulation.runFor(cutUs);
      const lines = asking.lines.tail(1_000_000).length;
      if (cutUs % 2 === 0) a.powerOff();
      else asking.kill();
      const before = asking.lines.tail(1_000_000).length;
      simulation.runFor(5 * SECOND);
      expect(asking.lines.tail(1_000_000).length).toBe(before);
      expect(before).toBe(lines);
      expect(serving.state).toBe('running');
    }
  });

  it('an error in a callback of a socket is our bug', () => {
    const { simulation, a } = started();
    a.run({
      name: 'broken',
      program: function* ({ platform }) {
        const connection = yield* platform.net.dial({ address: '10.0.0.2', port: PORT });
        connection.consume(
          () => {
            throw new TypeError('undefined is not a function');
          },
          () => {},
        );
        connection.send(Uint8Array.of(1));
        for (;;) yield* platform.clock.sleep(SECOND);
      },
    });
    expect(() => simulation.runFor(5 * SECOND)).toThrow(/our own bug in a\/broken.*undefined is not a function/);
  });
});

describe('determinism with a network', () => {
  it('runs of one seed agree event by event, under loss, partition and power cuts', () => {
    const run = (): Simulation => {
      const { simulation, b } = started(50_000, 2 * SECOND, '11');
      simulation.network.faults.degrade('*', '*', { lossPpm: 100_000, jitterUs: 2_000 });
      simulation.schedule(10 * SECOND, () => simulation.network.faults.partition(['a'], ['b']));
      simulation.schedule(15 * SECOND, () => simulation.network.faults.healAll());
      simulation.schedule(20 * SECOND, () => b.powerOff());
      simulation.schedule(25 * SECOND, () => b.powerOn());
      return simulation;
    };
    const difference = compareRuns(run(), run(), 60 * SECOND);
    expect(difference).toBe(undefined);
  });

  it('what two stations do to each other does not depend on a third pair that talks beside them', () => {
    const lines = (others: boolean): readonly string[] => {
      const { simulation, asking } = started(30_000, undefined, '5');
      if (others) {
        const more = ['10.0.0.8', '10.0.0.9'].map((address) =>
          simulation.addStation({
            name: `other-${address}`,
            nics: [{ link: 'eth0', segment: 'lan' }],
            memoryBytes: 1e9,
            addresses: [{ link: 'eth0', cidr: `${address}/24` }],
          }),
        );
        more[0]!.run({ name: 'server', program: server });
        simulation.runFor(0);
        more[1]!.run({
          name: 'client',
          program: function* ({ platform }) {
            const connection = yield* platform.net.dial({ address: '10.0.0.8', port: PORT });
            for (;;) {
              connection.send(new Uint8Array(100));
              yield* platform.clock.sleep(7_000);
            }
          },
        });
      }
      simulation.runUntil(20 * SECOND);
      return asking.lines.tail(1_000);
    };
    expect(lines(true)).toEqual(lines(false));
  });
});

describe('pods', () => {
  it('live at addresses of their own, which go with their last process', () => {
    const simulation = newSimulation({ programs: { server } });
    simulation.network.addSegment({ name: 'lan' });
    const machine = simulation.addMachine({
      name: 'm',
      nics: [{ link: 'eth0', segment: 'lan' }],
      disks: [],
      medium: { version: '', schematic: '', bootable: true },
      supervisor: function* (platform) {
        platform.net.addAddress('eth0', '10.0.0.1/24');
        for (;;) yield* platform.clock.sleep(1_000 * SECOND);
      },
    });
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const answers = (): string =>
      runOn(simulation, machine, function* ({ net }) {
        try {
          const connection = yield* net.dial({ address: '10.244.0.5', port: PORT }, { timeoutUs: SECOND });
          connection.send(Uint8Array.of(1, 2));
          return `echo ${((yield* connection.receive()) as Uint8Array).length}`;
        } catch (error) {
          return (error as { code: string }).code;
        }
      });
    const running = runOn(simulation, machine, function* ({ containers }) {
      yield* containers.pull('server');
      return yield* containers.run(container('server', { network: { podAddress: '10.244.0.5' } }));
    });
    simulation.runFor(SECOND);
    expect(answers()).toBe('echo 2');
    running.signal('SIGKILL');
    simulation.runFor(SECOND);
    expect(['unreachable', 'timeout']).toContain(answers());
  });

  it('a machine without cards still boots and has only itself', () => {
    const simulation = newSimulation();
    const machine = addMachine(simulation, 'm', layOut);
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const links = runOn(simulation, machine, function* ({ net }) {
      return net.links().map(({ name }) => name);
    });
    expect(links).toEqual(['lo']);
  });
});
