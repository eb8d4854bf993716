import type { Machine } from '../../machine.ts';
import { type Phase, phase, task } from '../sequence.ts';
import { cordonAndDrain } from '../tasks/drain.ts';
import { stopAllPods } from '../tasks/pods.ts';
import { rebootMachine } from '../tasks/power.ts';
import { upgradeTalos } from '../tasks/upgrade.ts';
import { idle, reloadMeta } from './initialize.ts';
import { finalizeVolumes } from './install.ts';
import { stopAllPhases } from './power.ts';

/** Replaces Talos while nothing runs on it; etcd's member and data stay (reference/v1.11.3.md 7.2). */
export function upgradePhases(machine: Machine, image: string, powercycle: boolean): readonly Phase[] {
  const { services } = machine;
  return [
    phase(
      'drain',
      task('cordonAndDrainNode', () => cordonAndDrain(machine)),
    ),
    phase(
      'cleanup',
      task('stopAllPods', () => stopAllPods(machine)),
    ),
    phase('dbus', idle(machine, 'stopDBus')),
    phase(
      'stopServices',
      task('stopServicesForUpgrade', () => services.stopWithDependants('cri', 'trustd')),
    ),
    phase('unmount', idle(machine, 'unmountPodMounts')),
    phase('unmountBind', idle(machine, 'unmountSystemDiskBindMounts')),
    phase('unmountSystem', idle(machine, 'unmountEphemeralPartition')),
    phase(
      'volumeFinalize',
      task('teardownLifecycle', () => finalizeVolumes(machine)),
    ),
    phase(
      'upgrade',
      task('upgrade', () => upgradeTalos(machine, image)),
    ),
    phase(
      'meta',
      task('reloadMeta', () => reloadMeta(machine)),
    ),
    ...(powercycle ? [] : [phase('kexec', idle(machine, 'kexecPrepare'))]),
    phase(
      'stopEverything',
      task('stopAllServices', () => services.shutdown()),
    ),
    phase(
      'reboot',
      task('reboot', () => rebootMachine(machine, powercycle ? 'powercycle' : 'default')),
    ),
  ];
}

/** The installer runs in the next boot's install sequence. */
export function stageUpgradePhases(machine: Machine, powercycle: boolean): readonly Phase[] {
  return [
    phase(
      'cleanup',
      task('stopAllPods', () => stopAllPods(machine)),
    ),
    phase('dbus', idle(machine, 'stopDBus')),
    ...stopAllPhases(machine, !powercycle),
    phase(
      'reboot',
      task('reboot', () => rebootMachine(machine, powercycle ? 'powercycle' : 'default')),
    ),
  ];
}
