import { timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import { MachineConfigs, PERSISTENT_CONFIG } from '../../resources/config.ts';
import { findSystemDisk } from '../../storage/layout.ts';
import { META_STAGED_IMAGE } from '../../storage/meta.ts';
import { unmountSystemVolume } from '../../storage/volumes.ts';
import { type Phase, phase, task } from '../sequence.ts';
import { installTalos } from '../tasks/install.ts';
import { rebootMachine } from '../tasks/power.ts';
import { upgradeStaged } from '../tasks/upgrade.ts';
import { idle, reloadMeta } from './initialize.ts';

/** Installs a machine that is not, or finishes a staged upgrade; otherwise nothing (reference/v1.11.3.md 6.1). */
export function installPhases(machine: Machine): readonly Phase[] {
  const staged = machine.meta.get(META_STAGED_IMAGE) !== undefined;
  if (findSystemDisk(machine.platform.blockDevices) !== undefined && !staged) return [];
  return [
    phase('env', idle(machine, 'setUserEnvVars')),
    phase(
      'install',
      task('install', () => (staged ? upgradeStaged(machine) : installTalos(machine))),
    ),
    phase(
      'meta',
      task('reloadMeta', () => reloadMeta(machine)),
    ),
    phase(
      'saveMeta',
      task('flushMeta', () => flushMeta(machine)),
    ),
    phase(
      'volumeFinalize',
      task('teardownLifecycle', () => finalizeVolumes(machine)),
    ),
    phase(
      'stopEverything',
      task('stopAllServices', () => machine.services.shutdown()),
    ),
    phase('kexec', idle(machine, 'kexecPrepare')),
    phase(
      'reboot',
      task('reboot', () => rebootMachine(machine, 'default')),
    ),
  ];
}

function* flushMeta(machine: Machine): Task<void> {
  yield* machine.meta.flush();
}

/** Waits until nobody holds a volume any more: the config has to be on STATE before it is let go. */
export function* finalizeVolumes(machine: Machine): Task<void> {
  const { platform, profile } = machine;
  try {
    yield* timeout(platform.clock, profile.limits.volumesUs, configPersisted(machine));
  } catch (error) {
    if (error instanceof TimeoutError)
      throw new NodeError('failed to wait for volume finalizers: context deadline exceeded');
    throw error;
  }
  yield* unmountSystemVolume(machine, 'EPHEMERAL');
  yield* unmountSystemVolume(machine, 'STATE');
}

function configPersisted(machine: Machine): Task<void> {
  return machine.changed.until(() => {
    const wanted = machine.state.get(MachineConfigs, PERSISTENT_CONFIG)?.spec.yaml;
    return wanted === undefined || machine.persistedConfig === wanted;
  });
}
