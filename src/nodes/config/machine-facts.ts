import { celObject, evaluateBoolean, type MachineFacts } from '../../config/index.ts';
import type { BlockDeviceInfo } from '../../platform/platform.ts';
import type { Machine } from '../machine.ts';
import { findSystemDisk } from '../storage/layout.ts';

/** What checks of a config ask of this machine. */
export function machineFacts(machine: Machine): MachineFacts {
  return {
    mode: 'metal',
    matchingDisks: (expression) => matchingDisks(machine, expression).length,
    bootedBySdBoot: false,
    hasIommu: false,
  };
}

/** Disks that an expression over `disk` selects, in the kernel's order. */
export function matchingDisks(machine: Machine, expression: string): readonly BlockDeviceInfo[] {
  const { blockDevices } = machine.platform;
  const system = findSystemDisk(blockDevices)?.path;
  return blockDevices.list().filter((device) =>
    evaluateBoolean(expression, {
      disk: celObject(celDisk(device)),
      system_disk: { type: 'bool', value: device.path === system },
    }),
  );
}

function celDisk(device: BlockDeviceInfo): Readonly<Record<string, string | bigint | boolean>> {
  return {
    size: BigInt(device.sizeBytes),
    io_size: 512n,
    sector_size: 512n,
    readonly: device.readOnly,
    model: device.model,
    serial: device.serial,
    modalias: '',
    wwid: device.wwid,
    uuid: '',
    bus_path: '',
    sub_system: '/sys/class/block',
    transport: device.transport,
    rotational: device.rotational,
    cdrom: false,
    dev_path: device.path,
    pretty_size: '',
  };
}
