import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { formatBytes } from '../../../platform/text/humanize.ts';
import type { Machine } from '../../machine.ts';
import { Disks, MountStatuses, SystemDisks } from '../../resources/runtime.ts';
import { diskId, findSystemDisk } from '../../storage/layout.ts';

/** Shows the disks, and which one Talos is installed on. */
export function disksController(machine: Machine): Controller {
  return passController({
    name: 'block.DisksController',
    inputs: [weak(MountStatuses)],
    outputs: [exclusive(Disks), exclusive(SystemDisks)],
    pass: (context) => {
      const { blockDevices } = machine.platform;
      context.startTrackingOutputs();
      for (const device of blockDevices.list()) {
        context.set(Disks, diskId(device.path), {
          dev_path: device.path,
          size: device.sizeBytes,
          pretty_size: formatBytes(device.sizeBytes),
          readonly: device.readOnly,
          transport: device.transport,
          rotational: device.rotational,
          wwid: device.wwid,
          model: device.model,
          serial: device.serial,
        });
      }
      const system = findSystemDisk(blockDevices);
      if (system !== undefined) {
        context.set(SystemDisks, 'system-disk', { diskID: diskId(system.path), devPath: system.path });
      }
      context.cleanupOutputs(Disks, SystemDisks);
      return undefined;
    },
  });
}
