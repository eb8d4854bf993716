import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import type { BlockDeviceInfo, PartitionInfo } from '../../../platform/platform.ts';
import { formatBytes } from '../../../platform/text/humanize.ts';
import type { Machine } from '../../machine.ts';
import { DiscoveredVolumes, MountStatuses } from '../../resources/runtime.ts';
import { diskId, partitionPath } from '../../storage/layout.ts';

/** Shows what lies on the disks: partition tables, partitions and their file systems (reference/lifecycle-api-cli.md E.6). */
export function discoveryController(machine: Machine): Controller {
  return passController({
    name: 'block.DiscoveryController',
    inputs: [weak(MountStatuses)],
    outputs: [exclusive(DiscoveredVolumes)],
    pass: (context) => {
      context.startTrackingOutputs();
      for (const device of machine.platform.blockDevices.list()) {
        const disk = diskId(device.path);
        context.set(DiscoveredVolumes, disk, diskVolume(device));
        device.partitions.forEach((partition, at) => {
          const path = partitionPath(device.path, at + 1);
          context.set(DiscoveredVolumes, diskId(path), partitionVolume(partition, at + 1, path, disk));
        });
      }
      context.cleanupOutputs(DiscoveredVolumes);
      return undefined;
    },
  });
}

function diskVolume({ path, sizeBytes, partitions }: BlockDeviceInfo) {
  return {
    size: sizeBytes,
    name: partitions.length > 0 ? 'gpt' : '',
    label: '',
    partition_label: '',
    partition_index: 0,
    type: 'disk' as const,
    dev_path: path,
    parent: '',
    pretty_size: formatBytes(sizeBytes),
  };
}

function partitionVolume({ label, sizeBytes, fileSystem }: PartitionInfo, index: number, path: string, parent: string) {
  const found = label === 'META' ? 'talosmeta' : fileSystem === 'none' ? '' : fileSystem;
  return {
    size: sizeBytes,
    name: found,
    label: fileSystem === 'none' ? '' : label,
    partition_label: label,
    partition_index: index,
    type: 'partition' as const,
    dev_path: path,
    parent,
    pretty_size: formatBytes(sizeBytes),
  };
}
