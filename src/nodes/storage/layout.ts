import type { BlockDeviceInfo, BlockDevices, PartitionInfo } from '../../platform/platform.ts';

const MIB = 1_048_576;

/** Partitions of a system disk, in order; EPHEMERAL takes what is left (reference/lifecycle-api-cli.md C.1). */
export function systemPartitions(diskBytes: number): readonly PartitionInfo[] {
  const fixed: readonly PartitionInfo[] = [
    { label: 'EFI', sizeBytes: 100 * MIB, fileSystem: 'vfat' },
    { label: 'BIOS', sizeBytes: MIB, fileSystem: 'none' },
    { label: 'BOOT', sizeBytes: 1_000 * MIB, fileSystem: 'xfs' },
    { label: 'META', sizeBytes: MIB, fileSystem: 'none' },
    { label: 'STATE', sizeBytes: 100 * MIB, fileSystem: 'xfs' },
  ];
  const used = fixed.reduce((sum, partition) => sum + partition.sizeBytes, 0);
  const rest = diskBytes - used - 2 * MIB;
  return [...fixed, { label: 'EPHEMERAL', sizeBytes: rest - (rest % MIB), fileSystem: 'xfs' }];
}

/** Smallest disk that holds the fixed partitions and anything at all beside them. */
export const MINIMUM_DISK_BYTES = 1_300 * MIB;

/** The disk that Talos is installed on: the first with a META partition. */
export function findSystemDisk(devices: BlockDevices): BlockDeviceInfo | undefined {
  return devices.list().find((device) => hasPartition(device, 'META'));
}

export function hasPartition(device: BlockDeviceInfo, label: string): boolean {
  return device.partitions.some((partition) => partition.label === label);
}

/** `/dev/sda` → `sda`. */
export function diskId(path: string): string {
  return path.replace(/^\/dev\//, '');
}

/** `/dev/sda1`, `/dev/nvme0n1p1`. */
export function partitionPath(disk: string, index: number): string {
  return `${disk}${/[0-9]$/.test(disk) ? 'p' : ''}${index}`;
}
