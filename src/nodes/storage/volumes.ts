import type { Task } from '../../platform/task.ts';
import { formatBytes } from '../../platform/text/humanize.ts';
import type { Machine } from '../machine.ts';
import { MountStatuses, VolumeStatuses } from '../resources/runtime.ts';
import { findSystemDisk, partitionPath } from './layout.ts';

export const STATE_PATH = '/system/state';
export const EPHEMERAL_PATH = '/var';

const TARGETS = Object.freeze({ STATE: STATE_PATH, EPHEMERAL: EPHEMERAL_PATH });

export type SystemVolume = keyof typeof TARGETS;

/** Mounts a partition of the system disk into the machine's tree; false when there is none. Mounting twice is fine. */
export function* mountSystemVolume(machine: Machine, id: SystemVolume): Task<boolean> {
  if (machine.state.get(MountStatuses, id) !== undefined) return true;
  const { blockDevices, clock } = machine.platform;
  const disk = findSystemDisk(blockDevices);
  const partition = disk?.partitions.find((candidate) => candidate.label === id);
  if (disk === undefined || partition === undefined) {
    machine.state.modify(VolumeStatuses, id, () => volumeStatus('missing', '', 0));
    return false;
  }
  yield* clock.sleep(machine.draw('mount', machine.profile.timings.mount));
  yield* blockDevices.mount(disk.path, id, TARGETS[id]);
  const index = disk.partitions.indexOf(partition) + 1;
  const location = partitionPath(disk.path, index);
  machine.state.modify(VolumeStatuses, id, () => volumeStatus('ready', location, partition.sizeBytes));
  machine.state.modify(MountStatuses, id, () => ({ source: location, target: TARGETS[id], filesystemType: 'xfs' }));
  return true;
}

/** Takes a volume out of the tree, written back; what is not mounted is fine. */
export function* unmountSystemVolume(machine: Machine, id: SystemVolume): Task<void> {
  const mounted = machine.state.get(MountStatuses, id);
  if (mounted === undefined) return;
  yield* machine.platform.blockDevices.unmount(TARGETS[id]);
  machine.state.destroy(mounted.metadata);
}

function volumeStatus(phase: 'ready' | 'missing', location: string, size: number) {
  return { phase, type: 'partition' as const, location, size, prettySize: formatBytes(size) };
}
