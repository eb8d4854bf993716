import { describe, expect, it } from 'vitest';
import { readWhole, writeDurably } from '../../src/platform/disk.ts';
import { ExitProcess, Fatal } from '../../src/platform/errors.ts';
import type { MachinePlatform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import { SimulationBug } from '../../src/sim/errors.ts';
import { addMachine, container, layOut, newSimulation, runOn, SECOND, serveUntilTerm } from './helpers.ts';

function* idle(): Task<void> {}

describe('a machine', () => {
  it('boots the medium after firmware and kernel, and what was synced survives a power cut', () => {
    const simulation = newSimulation();
    const machine = addMachine(simulation, 'cp-1', layOut);
    machine.powerOn();
    simulation.runUntil(() => machine.state === 'running');
    expect(simulation.nowUs).toBe(5 * SECOND);
    simulation.runFor(SECOND);
    runOn(simulation, machine, function* (platform) {
      yield* writeDurably(platform.disk, '/var/kept', Uint8Array.of(1, 2, 3));
      const file = yield* platform.disk.open('/var/lost', { create: true });
      yield* file.append(Uint8Array.of(4));
    });
    machine.powerOff();
    expect([machine.state, machine.kernel]).toEqual(['off', undefined]);
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const found = runOn(simulation, machine, function* (platform) {
      return [yield* readWhole(platform.disk, '/var/kept'), yield* readWhole(platform.disk, '/var/lost')];
    });
    expect(found).toEqual([Uint8Array.of(1, 2, 3), undefined]);
  });

  it('boots the slot that was installed, tries a one-shot slot once, and comes back from a broken one', () => {
    const simulation = newSimulation();
    const boots: (string | undefined)[] = [];
    const machine = addMachine(simulation, 'cp-1', function* (platform) {
      boots.push(platform.firmware.bootedSlot());
      yield* layOut(platform);
    });
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const image = { version: 'v1.11.3', schematic: '', bootable: true };
    runOn(simulation, machine, function* (platform) {
      yield* platform.firmware.setSlot('A', image);
      yield* platform.firmware.setSlot('B', { ...image, bootable: false });
      yield* platform.firmware.setOneShot('B');
      platform.power.reboot();
    });
    simulation.runFor(60 * SECOND);
    expect(boots).toEqual([undefined, 'A']);
    expect(simulation.trace.notable.events.map((event) => event.kind)).toContain('sim.machine.panicked');
    runOn(simulation, machine, function* (platform) {
      yield* platform.firmware.setDefault('B');
      platform.power.reboot('powercycle');
    });
    simulation.runFor(60 * SECOND);
    expect(machine.state).toBe('hung');
    machine.disks[0]!.wipe();
    machine.reset();
    simulation.runFor(60 * SECOND);
    expect(boots).toEqual([undefined, 'A', undefined]);
  });

  it('panics and restarts when its supervisor ends', () => {
    const simulation = newSimulation();
    let boots = 0;
    const machine = simulation.addMachine({
      name: 'm',
      nics: [],
      disks: [],
      medium: { version: 'v1', schematic: '', bootable: true },
      supervisor: function* () {
        boots++;
        if (boots === 1) throw new Fatal('out of luck');
        for (;;) yield* machine.platform!.clock.sleep(SECOND);
      },
    });
    machine.powerOn();
    simulation.runFor(30 * SECOND);
    expect([boots, machine.state]).toEqual([2, 'running']);
  });

  it('stands still when frozen: timers come late and all at once', () => {
    const simulation = newSimulation();
    const ticks: number[] = [];
    const machine = addMachine(simulation, 'm', function* (platform) {
      for (;;) {
        yield* platform.clock.sleep(SECOND);
        ticks.push(platform.clock.monotonicUs() / SECOND);
      }
    });
    machine.powerOn();
    simulation.runUntil(7.5 * SECOND);
    machine.freeze();
    simulation.runFor(4 * SECOND);
    machine.thaw();
    simulation.runFor(2 * SECOND);
    expect(ticks).toEqual([1, 2, 6.5, 7.5, 8.5]);
  });
});

describe('containers', () => {
  const start = (programs: NonNullable<Parameters<typeof newSimulation>[0]>['programs']) => {
    const simulation = newSimulation({ programs: programs ?? {} });
    const machine = addMachine(simulation, 'cp-1', layOut);
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    return { simulation, machine };
  };

  function* runImage(platform: MachinePlatform, image: string) {
    yield* platform.containers.pull(image);
    return yield* platform.containers.run(container(image));
  }

  it('pulls, runs, signals, and tells how it ended', () => {
    const { simulation, machine } = start({ server: serveUntilTerm });
    const before = simulation.nowUs;
    const running = runOn(simulation, machine, (platform) => runImage(platform, 'server'));
    expect(simulation.nowUs - before).toBe(4.2 * SECOND);
    expect(running.info.state).toBe('running');
    running.signal('SIGTERM');
    expect(runOn(simulation, machine, () => running.wait())).toEqual({ code: 0 });
    const again = runOn(simulation, machine, (platform) => platform.containers.run(container('server')));
    again.signal('SIGKILL');
    expect(runOn(simulation, machine, () => again.wait())).toEqual({ code: 137, signal: 'SIGKILL' });
  });

  it('ends with the code of ExitProcess, with 2 and the text of Fatal', () => {
    const { simulation, machine } = start({
      exits: function* () {
        throw new ExitProcess(7);
      },
      panics: function* () {
        throw new Fatal('tocommit(5) is out of range');
      },
    });
    const exits = runOn(simulation, machine, (platform) => runImage(platform, 'exits'));
    expect(runOn(simulation, machine, () => exits.wait())).toEqual({ code: 7 });
    const panics = runOn(simulation, machine, (platform) => runImage(platform, 'panics'));
    expect(runOn(simulation, machine, () => panics.wait())).toEqual({ code: 2 });
    expect(panics.logTail(5)[0]).toBe('panic: tocommit(5) is out of range');
  });

  it('stops the whole simulation at any other error, with seed and stack', () => {
    const { simulation, machine } = start({
      broken: function* () {
        throw new TypeError('x is not a function');
      },
    });
    const broken = runOn(simulation, machine, (platform) => runImage(platform, 'broken'));
    expect(() => runOn(simulation, machine, () => broken.wait())).toThrow(SimulationBug);
    expect(simulation.failure?.stack).toContain('machine.test.ts');
    expect(() => simulation.runFor(1)).toThrow(/seed 1/);
  });

  it('a stopped process catches up later; a killed one leaves no timer behind', () => {
    const ticks: number[] = [];
    const { simulation, machine } = start({
      ticker: function* ({ platform }) {
        for (;;) {
          platform.clock.after(900 * SECOND, () => ticks.push(-1));
          yield* platform.clock.sleep(SECOND);
          ticks.push(platform.clock.monotonicUs());
        }
      },
    });
    const pending = simulation.pending;
    const running = runOn(simulation, machine, (platform) => runImage(platform, 'ticker'));
    simulation.runFor(2.5 * SECOND);
    expect(ticks.length).toBe(2);
    running.signal('SIGSTOP');
    simulation.runFor(10 * SECOND);
    expect([ticks.length, running.info.state]).toEqual([2, 'paused']);
    running.signal('SIGCONT');
    simulation.runFor(0);
    expect(ticks.length).toBe(3);
    running.signal('SIGKILL');
    expect(simulation.pending).toBe(pending);
  });

  it('keeps what a killed process wrote without syncing, and images over a reboot', () => {
    const { simulation, machine } = start({
      writer: function* ({ platform }) {
        const file = yield* platform.disk.open('/data/log', { create: true });
        yield* file.append(Uint8Array.of(9));
        for (;;) yield* platform.clock.sleep(SECOND);
      },
    });
    runOn(simulation, machine, function* (platform) {
      yield* platform.disk.makeDirectory('/var/lib/writer');
      yield* platform.containers.pull('writer');
      const mounts = [{ source: '/var/lib/writer', destination: '/data' }];
      const running = yield* platform.containers.run(container('writer', { mounts }));
      yield* platform.clock.sleep(SECOND);
      running.signal('SIGKILL');
      yield* running.wait();
    });
    const read = () => runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/lib/writer/log'));
    expect(read()).toEqual(Uint8Array.of(9));
    runOn(simulation, machine, function* (platform) {
      platform.power.reboot();
    });
    simulation.runFor(10 * SECOND);
    expect(read()).toEqual(Uint8Array.of(9));
    expect(machine.containers?.images()).toEqual(['writer']);
  });

  it('reports registries that are down and images that do not exist', () => {
    const { simulation, machine } = start({ 'ghcr.io/x': serveUntilTerm });
    const pull = (image: string) => () => runOn(simulation, machine, (platform) => platform.containers.pull(image));
    simulation.registry.breakRegistry('ghcr.io', { kind: 'down' });
    expect(pull('ghcr.io/x')).toThrow(expect.objectContaining({ code: 'pull-failed' }));
    simulation.registry.heal('ghcr.io');
    pull('ghcr.io/x')();
    expect(pull('ghcr.io/y')).toThrow(expect.objectContaining({ code: 'image-not-found' }));
    expect(pull('ghcr.io/x')).not.toThrow();
  });
});

describe('stations', () => {
  it('run processes that keep their files over a power cut when synced', () => {
    const simulation = newSimulation();
    const station = simulation.addStation({ name: 'ops', nics: [], memoryBytes: 1e9, addresses: [] });
    const write = station.run({
      name: 'write',
      program: function* ({ platform, print }) {
        yield* writeDurably(platform.disk, '/config', Uint8Array.of(5));
        print('done');
        return 3;
      },
    })!;
    simulation.runFor(SECOND);
    expect([write.exit.peek(), write.lines.tail(1)]).toEqual([{ code: 3 }, ['done']]);
    station.powerOff();
    expect(
      station.run({
        name: 'none',
        program: function* () {
          yield* idle();
          return 0;
        },
      }),
    ).toBe(undefined);
    station.powerOn();
    let found: Uint8Array | undefined;
    station.run({
      name: 'read',
      program: function* ({ platform }) {
        found = yield* readWhole(platform.disk, '/config');
        return 0;
      },
    });
    simulation.runFor(SECOND);
    expect(found).toEqual(Uint8Array.of(5));
  });
});
