import { DiskError } from '../../platform/errors.ts';
import type { BlockDeviceInfo, BootImage, PartitionInfo } from '../../platform/platform.ts';
import type { Random } from '../../platform/random.ts';
import type { DiskFaults } from './faults.ts';
import { noDiskFaults } from './faults.ts';
import { type DiskCounters, type DiskTiming, noDiskCounters, Volume, type VolumeDevice } from './volume.ts';

/** A disk as it is bought. */
export interface DiskSpec {
  /** Kernel name: `/dev/sda`. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly serial?: string;
  readonly model?: string;
  readonly wwid?: string;
  /** `sata`, `nvme`, `virtio`, `usb` … */
  readonly transport?: string;
  readonly rotational?: boolean;
  readonly readOnly?: boolean;
}

interface Partition {
  readonly info: PartitionInfo;
  readonly volume: Volume;
}

/** What the boot loader finds on a disk: `A` and `B` with their images, which is the default, which is tried once. */
export interface BootRecord {
  readonly slots: Map<string, BootImage>;
  defaultSlot: string | undefined;
  oneShot: string | undefined;
}

/** Partitions that hold the boot loader: without one of them a disk cannot boot. */
export const BOOT_PARTITIONS: readonly string[] = Object.freeze(['EFI', 'BOOT']);

/** One disk: hardware, so it outlives kernels and can be moved to another machine. */
export class BlockDevice implements VolumeDevice {
  readonly spec: DiskSpec;
  readonly timing: DiskTiming;
  readonly random: Random;
  readonly faults: DiskFaults = noDiskFaults();
  readonly counters: DiskCounters = noDiskCounters();
  /** Kernel name in this boot. */
  path: string;
  #partitions: Partition[] = [];
  #generation = 0;
  #rot: Random | undefined;
  #boot: BootRecord | undefined;
  readonly #now: () => number;

  /** `random` is keyed by the disk, not by where it is plugged in; `now` gives true time. */
  constructor(spec: DiskSpec, timing: DiskTiming, random: Random, now: () => number) {
    this.spec = spec;
    this.path = spec.name;
    this.timing = timing;
    this.random = random;
    this.#now = now;
  }

  get info(): BlockDeviceInfo {
    const { sizeBytes, serial = '', model = '', wwid = '', transport = 'virtio' } = this.spec;
    return {
      path: this.path,
      sizeBytes,
      model,
      serial,
      wwid,
      transport,
      rotational: this.spec.rotational ?? false,
      readOnly: (this.spec.readOnly ?? false) || this.faults.readOnly,
      partitions: this.#partitions.map((partition) => partition.info),
    };
  }

  /** The boot record; undefined while the disk has no boot partition. */
  get boot(): BootRecord | undefined {
    return this.#boot;
  }

  /** What is stored on the partitions. */
  get volumes(): readonly Volume[] {
    return this.#partitions.map((partition) => partition.volume);
  }

  volume(label: string): Volume {
    const found = this.#partitions.find((partition) => partition.info.label === label);
    if (found === undefined) throw new DiskError('not-found', this.path, `${this.path}: no partition ${label}`);
    return found.volume;
  }

  /** Replaces the partition table; a partition that keeps label and size keeps its content. */
  setPartitions(wanted: readonly PartitionInfo[]): void {
    this.checkWritable();
    const total = wanted.reduce((sum, partition) => sum + partition.sizeBytes, 0);
    if (total > this.spec.sizeBytes) {
      throw new DiskError(
        'no-space',
        this.path,
        `${this.path}: partitions need ${total} of ${this.spec.sizeBytes} bytes`,
      );
    }
    const labels = new Set(wanted.map((partition) => partition.label));
    if (labels.size < wanted.length)
      throw new DiskError('exists', this.path, `${this.path}: duplicate partition label`);
    const before = this.#partitions;
    this.#partitions = wanted.map((info) => {
      const same = before.find(({ info: old }) => old.label === info.label && old.sizeBytes === info.sizeBytes);
      return { info, volume: same?.volume ?? this.#newVolume(info) };
    });
    const bootKept = before.some(({ volume, info }) => isBootPartition(info) && this.volumes.includes(volume));
    if (!wanted.some(isBootPartition)) this.#boot = undefined;
    else if (!bootKept || this.#boot === undefined) this.#boot = emptyBoot();
  }

  format(label: string): void {
    this.checkWritable();
    this.volume(label);
    this.#partitions = this.#partitions.map((partition) => {
      if (partition.info.label !== label) return partition;
      if (isBootPartition(partition.info)) this.#boot = emptyBoot();
      return { info: partition.info, volume: this.#newVolume(partition.info) };
    });
  }

  /** Nothing is left. */
  wipe(): void {
    this.checkWritable();
    this.#partitions = [];
    this.#boot = undefined;
  }

  /** Bit rot: one stored bit changes behind everybody's back. False when the file is not that long. */
  flipBit(label: string, path: string, bit: number): boolean {
    const node = this.volume(label).fileSystem.lookup(path);
    const offset = Math.floor(bit / 8);
    if (node?.kind !== 'file' || offset >= node.content.size) return false;
    const byte = node.content.read(offset, 1)[0]!;
    node.content.corrupt(offset, Uint8Array.of(byte ^ (1 << (bit % 8))));
    return true;
  }

  /** Bit rot at a random place of a partition, as likely in each stored byte; false when nothing is stored. */
  flipRandomBit(label: string): boolean {
    const files: { path: string; size: number }[] = [];
    this.volume(label).fileSystem.eachFile((file, path) => files.push({ path, size: file.content.size }));
    const total = files.reduce((sum, file) => sum + file.size, 0);
    if (total === 0) return false;
    this.#rot ??= this.random.stream('rot');
    let at = this.#rot.int(0, total * 8 - 1);
    for (const { path, size } of files) {
      if (at < size * 8) return this.flipBit(label, path, at);
      at -= size * 8;
    }
    return false;
  }

  /** Keeps that much of a partition occupied: a full disk. */
  occupy(label: string, bytes: number): void {
    this.volume(label).fileSystem.reservedBytes = bytes;
  }

  /** The power went while the disk was plugged in. */
  crash(): void {
    for (const volume of this.volumes) volume.crash();
  }

  commitAll(): void {
    for (const volume of this.volumes) volume.fileSystem.commitAll();
  }

  checkWritable(): void {
    if (this.info.readOnly) throw new DiskError('read-only', this.path, `${this.path}: read-only device`);
  }

  #newVolume(info: PartitionInfo): Volume {
    return new Volume(this, `${info.label}#${++this.#generation}`, info.sizeBytes, this.#now);
  }
}

function isBootPartition(info: PartitionInfo): boolean {
  return BOOT_PARTITIONS.includes(info.label);
}

function emptyBoot(): BootRecord {
  return { slots: new Map(), defaultSlot: undefined, oneShot: undefined };
}
