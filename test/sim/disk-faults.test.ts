import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWhole, writeDurably } from '../../src/platform/disk.ts';
import type { MachinePlatform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import type { CrashMode } from '../../src/sim/disk/content.ts';
import { fixed } from '../../src/sim/distribution.ts';
import { byTier } from '../support/tier.ts';
import { addMachine, container, layOut, newSimulation, runOn, SECOND } from './helpers.ts';

const RUNS = byTier(40, 1_000, 1_000);

function started(seed = '1') {
  const simulation = newSimulation({ seed });
  const machine = addMachine(simulation, 'm', layOut);
  machine.powerOn();
  simulation.runFor(10 * SECOND);
  return { simulation, machine, disk: machine.disk('/dev/sda')! };
}

function codeOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return 'fine';
}

function* writeOne(platform: MachinePlatform, path = '/var/f', bytes = Uint8Array.of(1, 2, 3)): Task<void> {
  const file = yield* platform.disk.open(path, { create: true });
  yield* file.write(0, bytes);
  yield* file.sync();
  yield* platform.disk.syncDirectory('/var');
}

describe('what was acknowledged is there after a power cut', () => {
  const modes = fc.constantFrom<CrashMode>('drop', 'prefix', 'subset', 'torn');

  it('a file that is replaced durably is the old one or the new one', () => {
    fc.assert(
      fc.property(modes, fc.nat(1_000), fc.integer({ min: 0, max: 60_000 }), (mode, seed, cutUs) => {
        const { simulation, machine, disk } = started(`s${seed}`);
        disk.faults.crashMode = mode;
        let acknowledged = 0;
        machine.platform!.scope.spawn('writer', function* () {
          for (let i = 1; ; i++) {
            yield* writeDurably(machine.platform!.disk, '/var/counter', Uint8Array.of(i, i, i));
            acknowledged = i;
          }
        });
        simulation.runFor(cutUs);
        machine.reset();
        simulation.runFor(10 * SECOND);
        const found = runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/counter'));
        const value = found?.[0] ?? 0;
        expect([acknowledged, acknowledged + 1]).toContain(value);
        expect([...(found ?? [])]).toEqual(value === 0 ? [] : [value, value, value]);
      }),
      { numRuns: RUNS },
    );
  });

  it('a log keeps every record whose sync returned', () => {
    fc.assert(
      fc.property(modes, fc.nat(1_000), fc.integer({ min: 1, max: 30_000 }), (mode, seed, cutUs) => {
        const { simulation, machine, disk } = started(`s${seed}`);
        disk.faults.crashMode = mode;
        let acknowledged = 0;
        machine.platform!.scope.spawn('log', function* () {
          const file = yield* machine.platform!.disk.open('/var/wal', { create: true });
          yield* machine.platform!.disk.syncDirectory('/var');
          for (let i = 1; ; i++) {
            yield* file.append(new Uint8Array(700).fill(i));
            yield* file.sync();
            acknowledged = i;
          }
        });
        simulation.runFor(cutUs);
        machine.reset();
        simulation.runFor(10 * SECOND);
        const found =
          runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/wal')) ?? new Uint8Array(0);
        expect(found.length).toBeGreaterThanOrEqual(acknowledged * 700);
        const wrong = found.findIndex((byte, i) => byte !== Math.floor(i / 700) + 1);
        expect(wrong === -1 || wrong >= acknowledged * 700).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('faults of disks', () => {
  it('a sync that lies loses what it acknowledged', () => {
    const { simulation, machine, disk } = started();
    disk.faults.lyingSync = true;
    runOn(simulation, machine, (platform) => writeOne(platform));
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).toBe(undefined);
  });

  it('input/output errors hit the operation and the paths they are meant for', () => {
    const { simulation, machine, disk } = started();
    disk.faults.errorPpm.sync = 1_000_000;
    disk.faults.errorPathPrefix = '/var/bad';
    const write = (path: string) => codeOf(() => runOn(simulation, machine, (platform) => writeOne(platform, path)));
    expect([write('/var/good'), write('/var/bad')]).toEqual(['fine', 'io']);
    disk.faults.errorPpm.sync = 0;
    disk.faults.errorPpm.read = 1_000_000;
    const read = (path: string) =>
      codeOf(() => runOn(simulation, machine, (platform) => readWhole(platform.disk, path)));
    expect([read('/var/good'), read('/var/bad')]).toEqual(['fine', 'io']);
  });

  it('a slow sync takes so much longer, and dirty bytes take their time', () => {
    const { simulation, machine, disk } = started();
    const took = (bytes: number) => {
      const before = simulation.nowUs;
      runOn(simulation, machine, (platform) => writeOne(platform, `/var/f${bytes}`, new Uint8Array(bytes)));
      return simulation.nowUs - before;
    };
    expect(took(1_000)).toBe(2_001);
    expect(took(1_000_000)).toBe(3_000);
    disk.faults.slowSync = fixed(500_000);
    expect(took(2_000)).toBe(1_002_002);
  });

  it('a full disk, a read-only disk, a missing one', () => {
    const { simulation, machine, disk } = started();
    const write = () => codeOf(() => runOn(simulation, machine, (platform) => writeOne(platform)));
    disk.occupy('EPHEMERAL', 5_000_000_000);
    expect(write()).toBe('no-space');
    disk.occupy('EPHEMERAL', 0);
    disk.faults.readOnly = true;
    expect(write()).toBe('read-only');
    expect(codeOf(() => runOn(simulation, machine, ({ blockDevices }) => blockDevices.wipe('/dev/sda')))).toBe('busy');
    expect(codeOf(() => runOn(simulation, machine, ({ blockDevices }) => blockDevices.wipe('/dev/sdz')))).toBe(
      'not-found',
    );
  });

  it('bit rot changes one stored bit, for good', () => {
    const { simulation, machine, disk } = started();
    runOn(simulation, machine, (platform) => writeOne(platform));
    expect(disk.flipBit('EPHEMERAL', '/f', 9)).toBe(true);
    expect(disk.flipBit('EPHEMERAL', '/f', 24)).toBe(false);
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).toEqual(
      Uint8Array.of(1, 0, 3),
    );
    expect(disk.flipRandomBit('EPHEMERAL')).toBe(true);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).not.toEqual(
      Uint8Array.of(1, 0, 3),
    );
    expect(disk.flipRandomBit('EFI')).toBe(false);
  });

  it('a misdirected write lands elsewhere and reports success', () => {
    const { simulation, machine, disk } = started();
    runOn(simulation, machine, (platform) => writeOne(platform, '/var/f', new Uint8Array(100)));
    disk.faults.misdirectedWrites = 1;
    runOn(simulation, machine, function* (platform) {
      const file = yield* platform.disk.open('/var/f');
      yield* file.append(Uint8Array.of(7));
    });
    const bytes = runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))!;
    expect([bytes.length, bytes.indexOf(7) >= 0, disk.faults.misdirectedWrites]).toEqual([100, true, 0]);
  });

  it('a process that dies during a sync leaves it to the kernel; a power cut does not', () => {
    const { simulation, machine, disk } = started();
    disk.faults.slowSync = fixed(SECOND);
    const begin = () => machine.platform!.scope.spawn('w', () => writeOne(machine.platform!));
    const task = begin();
    simulation.runFor(SECOND / 2);
    task.kill();
    simulation.runFor(SECOND);
    runOn(simulation, machine, (platform) => platform.disk.syncDirectory('/var'));
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))?.length).toBe(3);
    runOn(simulation, machine, (platform) => platform.disk.remove('/var/f'));
    begin();
    simulation.runFor(SECOND / 2);
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))?.length).toBe(3);
  });

  it('a sync under way covers only what was written before it', () => {
    const { simulation, machine, disk } = started();
    disk.faults.slowSync = fixed(SECOND);
    machine.platform!.scope.spawn('w', function* () {
      const { disk: store, scope } = machine.platform!;
      const file = yield* store.open('/var/f', { create: true });
      yield* store.syncDirectory('/var');
      yield* file.append(Uint8Array.of(1));
      scope.spawn('sync', () => file.sync());
      yield* machine.platform!.clock.sleep(SECOND / 2);
      yield* file.append(Uint8Array.of(2));
    });
    simulation.runFor(4 * SECOND);
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).toEqual(Uint8Array.of(1));
  });

  it('an orderly reboot writes everything back: a power cut afterwards loses nothing', () => {
    const { simulation, machine } = started();
    runOn(simulation, machine, function* (platform) {
      const file = yield* platform.disk.open('/var/f', { create: true });
      yield* file.append(Uint8Array.of(1));
      platform.power.reboot();
    });
    simulation.runFor(2 * SECOND);
    machine.reset();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).toEqual(Uint8Array.of(1));
  });

  it('a disk moves to another machine with what is on it', () => {
    const { simulation, machine } = started();
    runOn(simulation, machine, (platform) => writeOne(platform));
    machine.powerOff();
    const disk = machine.disks.pop()!;
    const other = addMachine(simulation, 'other', layOut, []);
    other.disks.push(disk);
    other.powerOn();
    machine.disks.push(machine.newDisk({ name: '/dev/sda', sizeBytes: 10_000_000_000 }, 'spare'));
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    expect(runOn(simulation, other, (platform) => readWhole(platform.disk, '/var/f'))?.length).toBe(3);
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))).toBe(undefined);
  });
});

describe('partitions and mounts', () => {
  it('a partition that keeps label and size keeps its content; a new one is empty; too much does not fit', () => {
    const { simulation, machine } = started();
    runOn(simulation, machine, (platform) => writeOne(platform));
    const part = (label: string, sizeBytes: number) => ({ label, sizeBytes, fileSystem: 'xfs' as const });
    const change = (partitions: ReturnType<typeof part>[]) =>
      codeOf(() => runOn(simulation, machine, ({ blockDevices }) => blockDevices.partition('/dev/sda', partitions)));
    expect(change([part('EPHEMERAL', 5_000_000_000), part('STATE', 100)])).toBe('fine');
    expect(runOn(simulation, machine, (platform) => readWhole(platform.disk, '/var/f'))?.length).toBe(3);
    expect(change([part('EPHEMERAL', 5_000_000_001)])).toBe('busy');
    expect(change([part('EPHEMERAL', 5_000_000_000), part('X', 5_000_000_001)])).toBe('no-space');
    expect(change([part('EPHEMERAL', 5_000_000_000), part('X', 1), part('X', 1)])).toBe('exists');
    expect(runOn(simulation, machine, ({ blockDevices }) => blockDevices.unmount('/var'))).toBe(undefined);
    expect(change([part('EPHEMERAL', 5_000_000_001)])).toBe('fine');
    expect(machine.disks[0]!.info.partitions.map(({ label }) => label)).toEqual(['EPHEMERAL']);
    const mounted = runOn(simulation, machine, ({ blockDevices }) =>
      blockDevices.mount('/dev/sda', 'EPHEMERAL', '/var'),
    );
    expect(runOn(simulation, machine, () => mounted.list('/'))).toEqual([]);
  });

  it('a mount held by a container is busy; containers see what is mounted below their mounts', () => {
    const simulation = newSimulation({
      programs: {
        sleeper: function* ({ platform, print }) {
          for (const entry of yield* platform.disk.list('/host')) print(entry.name);
          for (const entry of yield* platform.disk.list('/host/var')) print(entry.name);
          print(yield* outcome(platform.disk.makeDirectory('/host/var/x')));
          for (;;) yield* platform.clock.sleep(SECOND);
        },
      },
    });
    function* outcome(task: Task<void>): Task<string> {
      try {
        yield* task;
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'fine';
    }
    const machine = addMachine(simulation, 'm', layOut);
    machine.powerOn();
    simulation.runFor(10 * SECOND);
    const running = runOn(simulation, machine, function* ({ containers }) {
      yield* containers.pull('sleeper');
      const mounts = [{ source: '/', destination: '/host', readOnly: true }];
      return yield* containers.run(container('sleeper', { mounts }));
    });
    simulation.runFor(SECOND);
    expect(running.logTail(10)).toEqual(['var', 'lib', 'read-only']);
    const unmount = () => codeOf(() => runOn(simulation, machine, ({ blockDevices }) => blockDevices.unmount('/var')));
    expect(unmount()).toBe('busy');
    running.signal('SIGKILL');
    expect(unmount()).toBe('fine');
    const missing = container('sleeper', { id: 'x', mounts: [{ source: '/nowhere', destination: '/x' }] });
    const rerun = () =>
      runOn(simulation, machine, function* ({ containers }) {
        yield* containers.pull('sleeper');
        yield* containers.run(missing);
      });
    expect(codeOf(rerun)).toBe('not-found');
  });
});
