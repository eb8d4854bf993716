import type { Clock } from './clock.ts';
import type { Containers } from './containers.ts';
import type { CryptoPort } from './crypto.ts';
import type { Disk } from './disk.ts';
import type { Log } from './log.ts';
import type { MachineNet, Net } from './net.ts';
import type { Random } from './random.ts';
import type { Rpc } from './rpc.ts';
import type { Task, TaskScope } from './task.ts';

/** Everything a task may ask of the world. No field tells which world it is. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly net: Net;
  readonly rpc: Rpc;
  readonly disk: Disk;
  readonly crypto: CryptoPort;
  readonly log: Log;
  /** Tasks of this process. */
  readonly scope: TaskScope;
  /** containerd, for processes that see its socket: their mounts hold `/run` or `/run/containerd`. */
  readonly containers?: Containers;
}

/** What a machine's own supervisor is given. */
export interface MachinePlatform extends Platform {
  readonly net: MachineNet;
  readonly containers: Containers;
  readonly blockDevices: BlockDevices;
  readonly firmware: Firmware;
  readonly power: Power;
  readonly hardware: Hardware;
  readonly timekeeping: Timekeeping;
}

/** A whole disk. Partitions are addressed by label. */
export interface BlockDeviceInfo {
  /** Kernel name for this boot: `/dev/sda`. May change between boots; serial and WWID do not. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly model: string;
  readonly serial: string;
  readonly wwid: string;
  readonly transport: string;
  readonly rotational: boolean;
  readonly readOnly: boolean;
  readonly partitions: readonly PartitionInfo[];
}

export interface PartitionInfo {
  readonly label: string;
  readonly sizeBytes: number;
  readonly fileSystem: 'xfs' | 'ext4' | 'vfat' | 'none';
}

export interface BlockDevices {
  list(): readonly BlockDeviceInfo[];
  /** Replaces the partition table; content of partitions that keep label and size stays. */
  partition(device: string, partitions: readonly PartitionInfo[]): Task<void>;
  /** Destroys the partition table and signatures. */
  wipe(device: string): Task<void>;
  /** Empties one partition (a new file system). */
  format(device: string, label: string): Task<void>;
  /**
   * Mounts a partition and gives it as a file system of its own. With `at` it also appears at that path of the machine's
   * own tree (`platform.disk`, mounts of containers), e.g. `/var`. DiskError `not-found`.
   */
  mount(device: string, label: string, at?: string): Task<Disk>;
  /** Writes everything back and takes away what was mounted at that path. DiskError `not-found`, `busy`. */
  unmount(at: string): Task<void>;
}

/** Boot entries and small persistent variables. */
export interface Firmware {
  /** Boot slots with what they boot; empty on blank hardware, then the installation medium boots. */
  slots(): Readonly<Record<string, BootImage>>;
  defaultSlot(): string | undefined;
  /** The slot this boot came from; undefined when the installation medium booted. */
  bootedSlot(): string | undefined;
  /**
   * Writes a slot to the disk `device`; default: the one this boot came from, else the first with a partition `EFI` or
   * `BOOT`. Slots go with that partition. DiskError `not-found` when there is none.
   */
  setSlot(name: string, image: BootImage, device?: string): Task<void>;
  removeSlot(name: string): Task<void>;
  setDefault(name: string): Task<void>;
  /** Boots the slot once; it falls back to the default unless that is set meanwhile. */
  setOneShot(name: string): Task<void>;
}

/** What a boot slot holds. */
export interface BootImage {
  readonly version: string;
  readonly schematic: string;
  /** False for an image whose kernel never comes up. */
  readonly bootable: boolean;
}

export interface Power {
  reboot(mode?: 'default' | 'powercycle'): void;
  shutdown(): void;
  /** Calls `listener` when somebody presses the power button (ACPI), until the returned function is called. */
  onButton(listener: () => void): () => void;
}

/** What a time synchronisation may do to the wall clock. */
export interface Timekeeping {
  /** Steps the wall clock; the monotonic clock goes on undisturbed. */
  step(byUs: number): void;
}

export interface Hardware {
  readonly uuid: string;
  readonly manufacturer: string;
  readonly productName: string;
  readonly serialNumber: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  /** The machine's name in the scenario; for logs only, never for decisions. */
  readonly label: string;
}
