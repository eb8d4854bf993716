import type { ContainerSpec, Process, Program } from '../../src/platform/containers.ts';
import { Bug } from '../../src/platform/errors.ts';
import type { MachinePlatform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import { fixed } from '../../src/sim/distribution.ts';
import type { Machine } from '../../src/sim/machine/machine.ts';
import { Simulation, type SimulationOptions } from '../../src/sim/simulation.ts';
import { ASSUMED_TIMING, type SimTiming } from '../../src/sim/timing.ts';

export const SECOND = 1_000_000;

/** Everything takes a known time. */
export const EXACT_TIMING: SimTiming = {
  ...ASSUMED_TIMING,
  firmware: fixed(3 * SECOND),
  kernelStart: fixed(2 * SECOND),
  kexec: fixed(1 * SECOND),
  panicRestart: fixed(10 * SECOND),
  diskLayout: fixed(100_000),
  imagePull: fixed(4 * SECOND),
  containerStart: fixed(200_000),
  disk: { sync: fixed(1_000), bytesPerSec: 1_000_000_000, writebackUs: 30 * SECOND },
};

export function newSimulation(
  options: Partial<SimulationOptions> & { programs?: Record<string, Program> } = {},
): Simulation {
  const programs = options.programs ?? {};
  return new Simulation({
    seed: '1',
    createRpc: () => {
      throw new Bug('these tests have no rpc');
    },
    images: (image) => programs[image],
    timing: EXACT_TIMING,
    digest: 'full',
    ...options,
  });
}

export const MEDIUM = { version: 'v1.11.3', schematic: 'metal', bootable: true };

/** A machine with one disk whose supervisor runs `body` in every boot and then waits for ever. */
export function addMachine(
  simulation: Simulation,
  name: string,
  body: (platform: MachinePlatform) => Task<void>,
  disks = [{ name: '/dev/sda', sizeBytes: 10_000_000_000 }],
): Machine {
  return simulation.addMachine({
    name,
    nics: [],
    disks,
    medium: MEDIUM,
    supervisor: function* (platform) {
      yield* body(platform);
      for (;;) yield* platform.clock.sleep(1_000 * SECOND);
    },
  });
}

/** Prepares a disk with the partitions EFI and EPHEMERAL, the latter at /var. */
export function* layOut(platform: MachinePlatform): Task<void> {
  const partitions = [
    { label: 'EFI', sizeBytes: 1_000_000, fileSystem: 'vfat' as const },
    { label: 'EPHEMERAL', sizeBytes: 5_000_000_000, fileSystem: 'xfs' as const },
  ];
  if (platform.blockDevices.list()[0]!.partitions.length === 0) {
    yield* platform.blockDevices.partition('/dev/sda', partitions);
  }
  yield* platform.blockDevices.mount('/dev/sda', 'EPHEMERAL', '/var');
}

export function container(image: string, extra: Partial<ContainerSpec> = {}): ContainerSpec {
  return { id: image, namespace: 'system', image, args: [`/${image}`], network: 'host', ...extra };
}

/** Runs a task in the supervisor of a running machine until it ends; throws what it throws. */
export function runOn<T>(simulation: Simulation, machine: Machine, body: (platform: MachinePlatform) => Task<T>): T {
  const platform = machine.platform;
  if (platform === undefined) throw new Error(`${machine.name} is not running`);
  let outcome: { value: T } | { error: unknown } | undefined;
  platform.scope.spawn('test', function* () {
    try {
      outcome = { value: yield* body(platform) };
    } catch (error) {
      outcome = { error };
    }
  });
  simulation.runUntil(() => outcome !== undefined, { untilUs: simulation.nowUs + 1_000 * SECOND });
  if (outcome === undefined) throw new Error('the task did not end');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** A program that runs until SIGTERM. */
export function* serveUntilTerm(process: Process): Task<number> {
  for (;;) if ((yield* process.signals.receive()) === 'SIGTERM') return 0;
}
