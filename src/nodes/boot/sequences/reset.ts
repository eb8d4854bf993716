import type { Task } from '../../../platform/task.ts';
import { controlPlaneSettings } from '../../config/active.ts';
import { leaveCluster } from '../../etcd/leave.ts';
import type { Machine } from '../../machine.ts';
import { ETCD } from '../../resources/etcd.ts';
import { MachineResetSignals } from '../../resources/runtime.ts';
import { findSystemDisk } from '../../storage/layout.ts';
import { META_STATE_ENCRYPTION } from '../../storage/meta.ts';
import { type Phase, phase, task } from '../sequence.ts';
import { cordonAndDrain } from '../tasks/drain.ts';
import { stopAllPods } from '../tasks/pods.ts';
import { rebootMachine, shutDownMachine } from '../tasks/power.ts';
import { idle } from './initialize.ts';
import { stopAllPhases } from './power.ts';

/** What a reset wipes, after the request was checked. */
export interface ResetPlan {
  readonly graceful: boolean;
  readonly reboot: boolean;
  /** Partitions of the system disk; none means the whole disk. */
  readonly labels: readonly string[];
  readonly userDisks: readonly string[];
  readonly wipeSystem: boolean;
  readonly wipeUser: boolean;
}

/** reference/v1.11.3.md 6.1 */
export function resetPhases(machine: Machine, plan: ResetPlan): readonly Phase[] {
  const { blockDevices } = machine.platform;
  const leaves = plan.graceful && controlPlaneSettings(machine.state) !== undefined;
  const kexec = plan.labels.length > 0 && !plan.labels.includes('BOOT');
  return [
    ...(plan.graceful
      ? [
          {
            ...phase(
              'drain',
              task('cordonAndDrainNode', () => cordonAndDrain(machine)),
            ),
            tolerant: true,
          },
        ]
      : []),
    {
      ...phase(
        'cleanup',
        task(plan.graceful ? 'removeAllPods' : 'stopAllPods', () => stopAllPods(machine)),
      ),
      tolerant: true,
    },
    phase('dbus', idle(machine, 'stopDBus')),
    ...(leaves
      ? [
          phase(
            'leave',
            task('leaveEtcd', () => leaveEtcd(machine)),
          ),
        ]
      : []),
    phase(
      'preReset',
      task('sendResetSignal', () => sendResetSignal(machine)),
    ),
    ...stopAllPhases(machine, kexec).map((each) => ({ ...each, tolerant: true })),
    phase('forceCleanup', idle(machine, 'forceCleanup')),
    ...(plan.wipeSystem && plan.labels.length === 0
      ? [
          phase(
            'reset',
            task('resetSystemDisk', () => wipeSystemDisk(machine)),
          ),
        ]
      : []),
    ...(plan.wipeSystem && plan.labels.length > 0
      ? [
          phase(
            'resetSpec',
            task('resetSystemDiskSpec', () => wipePartitions(machine, plan.labels)),
          ),
        ]
      : []),
    ...(plan.wipeUser && plan.userDisks.length > 0
      ? [
          phase(
            'resetUserDisks',
            task('resetUserDisks', function* () {
              for (const path of plan.userDisks) yield* blockDevices.wipe(path);
            }),
          ),
        ]
      : []),
    plan.reboot
      ? phase(
          'reboot',
          task('reboot', () => rebootMachine(machine, kexec ? 'default' : 'powercycle')),
        )
      : phase(
          'shutdown',
          task('shutdown', () => shutDownMachine(machine)),
        ),
  ];
}

/** Leaves the etcd cluster when this machine is in it (reference/controllers.md C.8). */
function* leaveEtcd(machine: Machine): Task<void> {
  if (!(yield* machine.files.exists('/var/lib/etcd/member'))) return;
  const state = machine.services.find(ETCD)?.state;
  if (state !== 'Running' && state !== 'Stopping' && state !== 'Failed') return;
  yield* leaveCluster(machine);
}

function* sendResetSignal(machine: Machine): Task<void> {
  machine.state.modify(MachineResetSignals, 'machine', () => ({ requested: true }));
}

function* wipeSystemDisk(machine: Machine): Task<void> {
  const { blockDevices } = machine.platform;
  const disk = findSystemDisk(blockDevices);
  if (disk !== undefined) yield* blockDevices.wipe(disk.path);
}

function* wipePartitions(machine: Machine, labels: readonly string[]): Task<void> {
  const { blockDevices } = machine.platform;
  const disk = findSystemDisk(blockDevices);
  if (disk === undefined) return;
  for (const label of labels) yield* blockDevices.format(disk.path, label);
  if (labels.includes('STATE') && !labels.includes('META') && machine.meta.delete(META_STATE_ENCRYPTION)) {
    yield* machine.meta.flush();
  }
}
