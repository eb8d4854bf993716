import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { type Disk, readWhole, writeDurably } from '../../platform/disk.ts';
import type { BlockDevices } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { findSystemDisk } from './layout.ts';

/** Tags of META values (reference/lifecycle-api-cli.md C.1). */
export const META_UPGRADE = 0x6;
export const META_STAGED_IMAGE = 0x7;
export const META_STAGED_OPTIONS = 0x8;
export const META_STATE_ENCRYPTION = 0x9;

const FILE = '/meta.json';

/** Small values that survive reinstallation of everything else, on the META partition. */
export class Meta {
  #devices: BlockDevices;
  #values = new Map<number, string>();

  constructor(devices: BlockDevices) {
    this.#devices = devices;
  }

  /** By tag, ascending. */
  entries(): readonly (readonly [number, string])[] {
    return [...this.#values].sort((a, b) => a[0] - b[0]);
  }

  get(tag: number): string | undefined {
    return this.#values.get(tag);
  }

  set(tag: number, value: string): void {
    this.#values.set(tag, value);
  }

  /** False when there was none. */
  delete(tag: number): boolean {
    return this.#values.delete(tag);
  }

  /** Reads the partition; nothing on it, or no system disk, is nothing known. Values set before stay unless it has them. */
  *load(): Task<void> {
    const disk = yield* this.#open();
    const bytes = disk === undefined ? undefined : yield* readWhole(disk, FILE);
    if (bytes === undefined) return;
    const stored = JSON.parse(utf8Decode(bytes)) as readonly (readonly [number, string])[];
    for (const [tag, value] of stored) this.#values.set(tag, value);
  }

  /** Makes the values durable; false while there is no system disk. */
  *flush(): Task<boolean> {
    const disk = yield* this.#open();
    if (disk === undefined) return false;
    yield* writeDurably(disk, FILE, utf8Encode(JSON.stringify(this.entries())));
    return true;
  }

  *#open(): Task<Disk | undefined> {
    const device = findSystemDisk(this.#devices);
    return device === undefined ? undefined : yield* this.#devices.mount(device.path, 'META');
  }
}
