import type { Disk } from '../../platform/disk.ts';
import { DiskError } from '../../platform/errors.ts';
import type { BlockDeviceInfo, BlockDevices, PartitionInfo } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { BlockDevice } from '../disk/block-device.ts';
import { SimDisk } from '../disk/disk.ts';
import { Namespace } from '../disk/namespace.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** Disks as the machine's supervisor handles them. */
export class SimBlockDevices implements BlockDevices {
  readonly #kernel: Kernel;
  readonly #disks: () => readonly BlockDevice[];
  readonly #writeOut: (device: BlockDevice) => Task<void>;

  constructor(kernel: Kernel, disks: () => readonly BlockDevice[], writeOut: (device: BlockDevice) => Task<void>) {
    this.#kernel = kernel;
    this.#disks = disks;
    this.#writeOut = writeOut;
  }

  list(): readonly BlockDeviceInfo[] {
    return this.#disks().map((disk) => disk.info);
  }

  *partition(device: string, partitions: readonly PartitionInfo[]): Task<void> {
    const disk = this.#find(device);
    yield* this.#writeOut(disk);
    const kept = disk.info.partitions.filter((old) =>
      partitions.some((now) => now.label === old.label && now.sizeBytes === old.sizeBytes),
    );
    this.#checkFree(
      disk,
      disk.info.partitions.filter((old) => !kept.includes(old)).map((old) => old.label),
    );
    disk.setPartitions(partitions);
  }

  *wipe(device: string): Task<void> {
    const disk = this.#find(device);
    yield* this.#writeOut(disk);
    this.#checkFree(
      disk,
      disk.info.partitions.map((partition) => partition.label),
    );
    disk.wipe();
  }

  *format(device: string, label: string): Task<void> {
    const disk = this.#find(device);
    disk.volume(label);
    yield* this.#writeOut(disk);
    this.#checkFree(disk, [label]);
    disk.format(label);
  }

  *mount(device: string, label: string, at?: string): Task<Disk> {
    const volume = this.#find(device).volume(label);
    if (at !== undefined) this.#kernel.namespace.mount(at, volume);
    return new SimDisk(new Namespace(volume), this.#kernel.completeIo);
  }

  *unmount(at: string): Task<void> {
    const { volume } = this.#kernel.namespace.locate(at);
    for (const process of this.#kernel.processes) {
      if (process.spec.namespace !== this.#kernel.namespace && process.spec.namespace.isMounted(volume)) {
        throw new DiskError('busy', at, `${at}: target is busy (${process.spec.name})`);
      }
    }
    this.#kernel.namespace.unmount(at).fileSystem.commitAll();
  }

  #find(device: string): BlockDevice {
    const disk = this.#disks().find((candidate) => candidate.path === device);
    if (disk === undefined) throw new DiskError('not-found', device, `${device}: no such device`);
    return disk;
  }

  #checkFree(disk: BlockDevice, labels: readonly string[]): void {
    for (const label of labels) {
      if (this.#kernel.namespace.isMounted(disk.volume(label))) {
        throw new DiskError('busy', disk.path, `${disk.path}: partition ${label} is mounted`);
      }
    }
  }
}
