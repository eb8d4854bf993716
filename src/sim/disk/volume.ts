import type { Timer } from '../../platform/clock.ts';
import { DiskError } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import { type Distribution, draw } from '../distribution.ts';
import { type DiskFaults, type DiskOperation, noDiskFaults } from './faults.ts';
import { FileSystem } from './file-system.ts';
import type { FileNode } from './tree.ts';

/** How long a disk takes. */
export interface DiskTiming {
  /** A flush of the device's cache. */
  readonly sync: Distribution;
  /** Sequential bytes per second: what a sync adds for the dirty bytes of the file. */
  readonly bytesPerSec: number;
  /** Age at which the kernel writes dirty data back on its own, in microseconds. */
  readonly writebackUs: number;
}

/** What a disk did since it was made. */
export interface DiskCounters {
  reads: number;
  writes: number;
  syncs: number;
  bytesRead: number;
  bytesWritten: number;
}

export function noDiskCounters(): DiskCounters {
  return { reads: 0, writes: 0, syncs: 0, bytesRead: 0, bytesWritten: 0 };
}

/** What the file systems of one device share. */
export interface VolumeDevice {
  readonly timing: DiskTiming;
  readonly faults: DiskFaults;
  readonly counters: DiskCounters;
  readonly random: Random;
}

const SECOND_US = 1_000_000;

/** A file system on a device, or in memory: then it is gone with the kernel, and syncs take no time. */
export class Volume {
  readonly fileSystem: FileSystem;
  readonly inMemory: boolean;
  readonly #device: VolumeDevice;
  readonly #syncRandom: Random;
  readonly #faultRandom: Random;
  readonly #crashRandom: Random;
  #crashes = 0;
  #readOnlyMount = false;

  constructor(device: VolumeDevice, name: string, sizeBytes: number, now: () => number, inMemory = false) {
    this.fileSystem = new FileSystem(sizeBytes, device.timing.writebackUs, now);
    this.inMemory = inMemory;
    this.#device = device;
    this.#syncRandom = device.random.stream(`${name}/sync`);
    this.#faultRandom = device.random.stream(`${name}/fault`);
    this.#crashRandom = device.random.stream(`${name}/crash`);
  }

  set readOnlyMount(value: boolean) {
    this.#readOnlyMount = value;
  }

  /** Throws what the operation is to fail with, and counts it. */
  enter(operation: DiskOperation, path: string, sizeBytes: number): void {
    const { faults, counters } = this.#device;
    if (operation === 'read') {
      counters.reads++;
      counters.bytesRead += sizeBytes;
    } else if (operation === 'write') {
      if (faults.readOnly || this.#readOnlyMount)
        throw new DiskError('read-only', path, `${path}: read-only file system`);
      if (faults.full && sizeBytes > 0) throw new DiskError('no-space', path, `${path}: no space left on device`);
      counters.writes++;
      counters.bytesWritten += sizeBytes;
    } else counters.syncs++;
    const ppm = faults.errorPpm[operation];
    if (ppm > 0 && path.startsWith(faults.errorPathPrefix) && this.#faultRandom.chance(ppm)) {
      throw new DiskError('io', path, `${path}: input/output error`);
    }
  }

  /** Where a write of `length` bytes really lands. */
  landing(file: FileNode, offset: number, length: number): number {
    const faults = this.#device.faults;
    if (faults.misdirectedWrites === 0) return offset;
    const room = Math.max(offset, file.content.size) - length;
    if (room <= 0) return offset;
    faults.misdirectedWrites--;
    return this.#faultRandom.int(0, room);
  }

  /** Latency of a sync that has this much to write. */
  syncLatencyUs(dirtyBytes: number): number {
    if (this.inMemory) return 0;
    const { timing, faults } = this.#device;
    const transferUs = Math.ceil((dirtyBytes * SECOND_US) / timing.bytesPerSec);
    const slowUs = faults.slowSync === undefined ? 0 : draw(faults.slowSync, this.#faultRandom);
    return draw(timing.sync, this.#syncRandom) + transferUs + slowUs;
  }

  get syncLies(): boolean {
    return this.#device.faults.lyingSync;
  }

  /** The power went. */
  crash(): void {
    this.fileSystem.crash(this.#device.faults.crashMode, this.#crashRandom.stream(String(++this.#crashes)));
  }
}

/** Memory that looks like a disk: the root of a running machine, the writable layer of a container. */
export function memoryVolume(sizeBytes: number, now: () => number, random: Random): Volume {
  const timing: DiskTiming = { sync: { points: [[0, 0]] }, bytesPerSec: SECOND_US, writebackUs: 0 };
  const device = { timing, faults: noDiskFaults(), counters: noDiskCounters(), random };
  return new Volume(device, 'memory', sizeBytes, now, true);
}

/** Runs `done` when the kernel gets the answer of the device; it does not when the kernel is gone by then. */
export type CompleteIo = (delayUs: number, done: () => void) => Timer;
