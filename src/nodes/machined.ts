import { isDefect } from '../cosi/index.ts';
import type { MachinePlatform } from '../platform/platform.ts';
import type { Task } from '../platform/task.ts';
import { requestShutdown } from './api/handlers/power.ts';
import { fatal } from './boot/fatal.ts';
import { SequenceFailed } from './boot/sequencer.ts';
import { bootPhases } from './boot/sequences/boot.ts';
import { initializePhases } from './boot/sequences/initialize.ts';
import { installPhases } from './boot/sequences/install.ts';
import { allControllers } from './controllers/register.ts';
import { booted } from './events.ts';
import { Machine } from './machine.ts';
import type { Profile } from './profile/profile.ts';
import { bootedRelease } from './profile/release.ts';
import { apidService } from './services/builtin/apid.ts';
import { forever } from './services/builtin/plain.ts';
import { findSystemDisk } from './storage/layout.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * PID 1 of a Talos machine: runs from power on until the machine is switched off, rebooted or cut; it never returns.
 * Everything that happens is visible as the events declared in `events.ts` and through the machine API on port 50000.
 * Give it the platform of one boot, the release of the installation medium, and what the network around answers.
 */
export function* machined(platform: MachinePlatform, medium: Profile, surroundings: Surroundings): Task<void> {
  const profile = bootedRelease(platform.firmware, medium);
  const machine = new Machine(platform, profile, surroundings, platform.scope.child('machine'));
  platform.log.event(booted, {
    version: profile.version,
    slot: platform.firmware.bootedSlot() ?? '',
    disk: findSystemDisk(platform.blockDevices) === undefined ? 'blank' : 'installed',
  });
  platform.power.onButton(() => requestShutdown(machine, true, 'ACPI'));
  for (const controller of allControllers(machine)) machine.controllers.register(controller);
  yield* bringUp(machine);
  yield* forever();
}

/** initialize, install, boot; a failure that nothing took over from ends in a reboot. */
function* bringUp(machine: Machine): Task<void> {
  const { sequencer, services } = machine;
  try {
    yield* sequencer.run('initialize', () => initializePhases(machine));
    yield* sequencer.run('install', () => installPhases(machine));
    services.loadAndStart(apidService(machine));
    yield* sequencer.run('boot', () => bootPhases(machine));
  } catch (error) {
    if (isDefect(error)) throw error;
    // Whoever took over goes on by itself.
    if (error instanceof SequenceFailed && error.code !== 'FATAL') return;
    yield* fatal(machine, error);
  }
}
