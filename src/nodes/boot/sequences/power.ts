import type { Machine } from '../../machine.ts';
import { type Phase, phase, task } from '../sequence.ts';
import { cordonAndDrain } from '../tasks/drain.ts';
import { stopAllPods } from '../tasks/pods.ts';
import { rebootMachine, shutDownMachine } from '../tasks/power.ts';
import { idle } from './initialize.ts';
import { finalizeVolumes } from './install.ts';

/** What every way down shares, from stopping services to nothing running (reference/v1.11.3.md 6.1). */
export function stopAllPhases(machine: Machine, kexec: boolean): readonly Phase[] {
  const { services } = machine;
  return [
    phase(
      'stopServices',
      task('stopServicesForUpgrade', () => services.stopWithDependants('cri', 'trustd')),
    ),
    phase('umount', idle(machine, 'unmountPodMounts')),
    phase('unmountBind', idle(machine, 'unmountSystemDiskBindMounts')),
    phase('unmountSystem', idle(machine, 'unmountEphemeralPartition')),
    phase(
      'volumeFinalize',
      task('teardownLifecycle', () => finalizeVolumes(machine)),
    ),
    ...(kexec ? [phase('kexec', idle(machine, 'kexecPrepare'))] : []),
    phase(
      'stopEverything',
      task('stopAllServices', () => services.shutdown()),
    ),
  ];
}

export function rebootPhases(machine: Machine, mode: 'default' | 'powercycle'): readonly Phase[] {
  return [
    phase(
      'cleanup',
      task('stopAllPods', () => stopAllPods(machine)),
    ),
    phase('dbus', idle(machine, 'stopDBus')),
    ...stopAllPhases(machine, true),
    phase(
      'reboot',
      task('reboot', () => rebootMachine(machine, mode)),
    ),
  ];
}

export function shutdownPhases(machine: Machine, force: boolean): readonly Phase[] {
  return [
    phase(
      'storeShutdown',
      task('storeShutdownEmergency', function* () {
        machine.shuttingDown = true;
      }),
    ),
    ...(force
      ? []
      : [
          phase(
            'drain',
            task('cordonAndDrainNode', () => cordonAndDrain(machine)),
          ),
        ]),
    phase(
      'cleanup',
      task('stopAllPods', () => stopAllPods(machine)),
    ),
    phase('dbus', idle(machine, 'stopDBus')),
    ...stopAllPhases(machine, false),
    phase(
      'shutdown',
      task('shutdown', () => shutDownMachine(machine)),
    ),
  ];
}
