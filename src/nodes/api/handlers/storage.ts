import { DiskType } from '../../../api/machine/storage.ts';
import type { BlockDeviceInfo } from '../../../platform/platform.ts';
import type { Machine } from '../../machine.ts';
import { diskId, findSystemDisk } from '../../storage/layout.ts';

/** All disks of the machine. */
export function disksAnswer(machine: Machine) {
  const { blockDevices } = machine.platform;
  const system = findSystemDisk(blockDevices)?.path;
  const disks = blockDevices.list().map((device) => ({
    size: device.sizeBytes,
    model: device.model,
    deviceName: device.path,
    name: diskId(device.path),
    serial: device.serial,
    modalias: '',
    uuid: '',
    wwid: device.wwid,
    type: diskType(device),
    busPath: '',
    systemDisk: device.path === system,
    subsystem: '/sys/class/block',
    readonly: device.readOnly,
  }));
  return { messages: [{ metadata: null, disks }] };
}

function diskType(device: BlockDeviceInfo): number {
  if (device.transport === 'nvme') return DiskType.Nvme;
  if (device.transport === 'mmc') return DiskType.Sd;
  if (device.rotational) return DiskType.Hdd;
  return device.transport === '' ? DiskType.Unknown : DiskType.Ssd;
}
