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

/** As go-humanize prints bytes: `54 GB`. */
export function prettySize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  let scale = 1;
  while (unit < units.length - 1 && bytes >= scale * 1000) {
    scale *= 1000;
    unit++;
  }
  if (unit === 0) return `${bytes} B`;
  const value = bytes / scale;
  return `${value < 10 ? (Math.floor(value * 10 + 0.5) / 10).toFixed(1) : Math.floor(value + 0.5)} ${units[unit]}`;
}
