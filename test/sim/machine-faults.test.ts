import { describe, expect, it } from 'vitest';
import type { BootImage, MachinePlatform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import { addMachine, container, layOut, newSimulation, runOn, SECOND, serveUntilTerm } from './helpers.ts';

const image = (version: string, bootable = true): BootImage => ({ version, schematic: '', bootable });
const EFI = { label: 'EFI', sizeBytes: 1_000, fileSystem: 'vfat' as const };
const disk = (name: string) => ({ name, sizeBytes: 10_000_000_000 });

function kinds(simulation: ReturnType<typeof newSimulation>): string[] {
  return simulation.trace.notable.events.map(({ kind }) => kind.replace('sim.machine.', ''));
}

function started(programs: NonNullable<Parameters<typeof newSimulation>[0]>['programs'] = {}) {
  const simulation = newSimulation({ programs });
  const machine = addMachine(simulation, 'm', layOut);
  machine.powerOn();
  simulation.runFor(10 * SECOND);
  return { simulation, machine };
}

describe('booting', () => {
  it('the first disk with slots wins, also one that was installed long ago', () => {
    const simulation = newSimulation();
    const versions: string[] = [];
    const machine = addMachine(
      simulation,
      'm',
      function* ({ firmware }) {
        const slot = firmware.bootedSlot();
        versions.push(slot === undefined ? 'medium' : firmware.slots()[slot]!.version);
      },
      [disk('/dev/sda'), disk('/dev/sdb')],
    );
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const install = (device: string, version: string) =>
      runOn(simulation, machine, function* ({ blockDevices, firmware, power }) {
        yield* blockDevices.partition(device, [EFI]);
        yield* firmware.setSlot('A', image(version), device);
        power.reboot();
      });
    install('/dev/sdb', 'v2');
    simulation.runFor(10 * SECOND);
    install('/dev/sda', 'v1');
    simulation.runFor(10 * SECOND);
    machine.disks.reverse();
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(versions).toEqual(['medium', 'v2', 'v1', 'v2']);
  });

  it('slots need a boot partition and go with it', () => {
    const { simulation, machine } = started();
    const code = (body: (platform: MachinePlatform) => Task<unknown>): string => {
      try {
        runOn(simulation, machine, body);
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'fine';
    };
    expect(code(({ firmware }) => firmware.setSlot('A', image('v1'), '/dev/sdz'))).toBe('not-found');
    expect(code(({ firmware }) => firmware.setDefault('A'))).toBe('not-found');
    expect(code(({ firmware }) => firmware.setSlot('A', image('v1')))).toBe('fine');
    expect(code(({ firmware }) => firmware.setSlot('B', image('v2')))).toBe('fine');
    expect(code(({ firmware }) => firmware.setDefault('B'))).toBe('fine');
    expect(machine.disks[0]!.boot?.defaultSlot).toBe('B');
    expect(code(({ firmware }) => firmware.removeSlot('B'))).toBe('fine');
    expect(machine.disks[0]!.boot?.defaultSlot).toBe('A');
    expect(code(({ blockDevices }) => blockDevices.format('/dev/sda', 'EFI'))).toBe('fine');
    expect(
      runOn(simulation, machine, function* ({ firmware }) {
        return firmware.slots();
      }),
    ).toEqual({});
    expect(code(({ blockDevices }) => blockDevices.unmount('/var'))).toBe('fine');
    expect(code(({ blockDevices }) => blockDevices.wipe('/dev/sda'))).toBe('fine');
    expect(code(({ firmware }) => firmware.setSlot('A', image('v1')))).toBe('not-found');
  });

  it('a kexec is quicker than the way through the firmware', () => {
    const { simulation, machine } = started();
    const reboot = (mode: 'default' | 'powercycle') => {
      runOn(simulation, machine, function* ({ power }) {
        power.reboot(mode);
      });
      const before = simulation.nowUs;
      simulation.runUntil(() => machine.state === 'running');
      return (simulation.nowUs - before) / SECOND;
    };
    expect([reboot('default'), reboot('powercycle')]).toEqual([1, 5]);
  });

  it('hangs when told to and stays so until it is reset', () => {
    const { simulation, machine } = started();
    machine.hangNextBoots(1);
    machine.reset();
    simulation.runFor(600 * SECOND);
    expect(machine.state).toBe('hung');
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(machine.state).toBe('running');
    expect(kinds(simulation)).toContain('boot-hung');
  });

  it('a machine that is cut while it starts does not start; switching on twice starts once', () => {
    const { simulation, machine } = started();
    machine.reset();
    simulation.runFor(SECOND);
    machine.powerOff();
    simulation.runFor(60 * SECOND);
    expect([machine.state, simulation.pending]).toEqual(['off', 0]);
    machine.powerOn();
    machine.powerOn();
    simulation.runFor(60 * SECOND);
    expect(kinds(simulation).filter((kind) => kind === 'booted').length).toBe(2);
  });
});

describe('power', () => {
  it('shutdown writes everything back; the button asks the supervisor', () => {
    const simulation = newSimulation();
    const machine = addMachine(simulation, 'm', function* (platform) {
      yield* layOut(platform);
      platform.power.onButton(() => platform.power.shutdown());
      const file = yield* platform.disk.open('/var/boots', { create: true });
      yield* file.append(Uint8Array.of(1));
    });
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    machine.pressPowerButton();
    expect([machine.state, machine.platform]).toEqual(['off', undefined]);
    machine.pressPowerButton();
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const size = runOn(simulation, machine, function* (platform) {
      return (yield* platform.disk.stat('/var/boots'))?.sizeBytes;
    });
    expect(size).toBe(2);
  });
});

describe('containers under faults', () => {
  function* runImage({ containers }: MachinePlatform, name: string) {
    yield* containers.pull(name);
    return yield* containers.run(container(name));
  }

  it('a kernel without memory kills, and says so', () => {
    const { simulation, machine } = started({ server: serveUntilTerm });
    const running = runOn(simulation, machine, (platform) => runImage(platform, 'server'));
    machine.containers?.processOf('system', 'server')?.process.kill(true);
    expect(runOn(simulation, machine, () => running.wait())).toEqual({
      code: 137,
      signal: 'SIGKILL',
      outOfMemory: true,
    });
  });

  it('a slow registry takes longer; an image that is gone can still run where it was pulled', () => {
    const { simulation, machine } = started({ server: serveUntilTerm, other: serveUntilTerm });
    simulation.registry.breakRegistry('*', { kind: 'slow', percent: 300 });
    const before = simulation.nowUs;
    runOn(simulation, machine, ({ containers }) => containers.pull('server'));
    expect(simulation.nowUs - before).toBe(12 * SECOND);
    simulation.registry.setMissing('server', true);
    simulation.registry.setMissing('other', true);
    runOn(simulation, machine, (platform) => runImage(platform, 'server')).signal('SIGKILL');
    const pull = () => runOn(simulation, machine, ({ containers }) => containers.pull('other'));
    expect(pull).toThrow(expect.objectContaining({ code: 'image-not-found' }));
    simulation.registry.setMissing('other', false);
    expect(pull).not.toThrow();
  });

  it('images go with the partition they are on', () => {
    const { simulation, machine } = started({ server: serveUntilTerm });
    runOn(simulation, machine, ({ containers }) => containers.pull('server'));
    expect(machine.containers?.images()).toEqual(['server']);
    runOn(simulation, machine, function* ({ blockDevices }) {
      yield* blockDevices.unmount('/var');
      yield* blockDevices.format('/dev/sda', 'EPHEMERAL');
      yield* blockDevices.mount('/dev/sda', 'EPHEMERAL', '/var');
    });
    expect(machine.containers?.images()).toEqual([]);
  });

  it('containers that ended stay visible until there are many', () => {
    const { simulation, machine } = started({
      server: serveUntilTerm,
      quick: function* () {
        return 0;
      },
    });
    runOn(simulation, machine, function* ({ containers, clock }) {
      yield* containers.pull('quick');
      yield* containers.pull('server');
      yield* containers.run(container('server'));
      for (let i = 0; i < 300; i++) {
        yield* containers.run(container('quick', { id: `quick-${i}` }));
        yield* clock.sleep(1);
      }
    });
    const list = machine.containers!.list();
    expect(list.length).toBeLessThanOrEqual(256);
    expect(list.some(({ id }) => id === 'quick-299')).toBe(true);
    expect(list.filter(({ state }) => state !== 'exited').map(({ id }) => id)).toEqual(['server']);
  });

  it('a machine that freezes freezes its containers, and one that is stopped stays so', () => {
    const ticks: number[] = [];
    const { simulation, machine } = started({
      ticker: function* ({ platform }) {
        for (;;) {
          yield* platform.clock.sleep(SECOND);
          ticks.push(simulation.nowUs);
        }
      },
    });
    const running = runOn(simulation, machine, (platform) => runImage(platform, 'ticker'));
    simulation.runFor(SECOND * 1.5);
    machine.freeze();
    running.signal('SIGSTOP');
    simulation.runFor(5 * SECOND);
    machine.thaw();
    simulation.runFor(5 * SECOND);
    expect(ticks.length).toBe(1);
    running.signal('SIGCONT');
    simulation.runFor(1);
    expect(ticks.length).toBe(2);
  });
});
