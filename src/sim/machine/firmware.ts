import { DiskError } from '../../platform/errors.ts';
import type { BootImage, Firmware } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { type BlockDevice, BOOT_PARTITIONS, type BootRecord } from '../disk/block-device.ts';

/** What the boot loader decided to start. */
export interface BootChoice {
  /** The disk it came from; undefined for the installation medium. */
  readonly device: BlockDevice | undefined;
  readonly slot: string | undefined;
  readonly image: BootImage | undefined;
  /** The slot was tried once: what does not come up leads back to the default. */
  readonly oneShot: boolean;
}

/** Looks at the disks in order; the first that has slots boots. A one-shot entry is used up by being chosen. */
export function chooseBoot(disks: readonly BlockDevice[], medium: BootImage): BootChoice {
  for (const device of disks) {
    const boot = device.boot;
    if (boot === undefined || boot.slots.size === 0) continue;
    const once = boot.oneShot;
    boot.oneShot = undefined;
    if (once !== undefined && boot.slots.has(once)) {
      return { device, slot: once, image: boot.slots.get(once), oneShot: true };
    }
    const slot = boot.defaultSlot ?? [...boot.slots.keys()][0]!;
    return { device, slot, image: boot.slots.get(slot), oneShot: false };
  }
  return { device: undefined, slot: undefined, image: medium, oneShot: false };
}

/** Boot entries as the running system reads and writes them. They live on the disk and go with it. */
export class SimFirmware implements Firmware {
  readonly #disks: () => readonly BlockDevice[];
  readonly #choice: BootChoice;
  readonly #writeOut: (device: BlockDevice) => Task<void>;

  /** `writeOut` takes as long as the disk takes to make a boot entry durable. */
  constructor(disks: () => readonly BlockDevice[], choice: BootChoice, writeOut: (device: BlockDevice) => Task<void>) {
    this.#disks = disks;
    this.#choice = choice;
    this.#writeOut = writeOut;
  }

  slots(): Readonly<Record<string, BootImage>> {
    return Object.fromEntries(this.#device()?.boot?.slots ?? []);
  }

  defaultSlot(): string | undefined {
    return this.#device()?.boot?.defaultSlot;
  }

  bootedSlot(): string | undefined {
    return this.#choice.slot;
  }

  setSlot(name: string, image: BootImage, device?: string): Task<void> {
    return this.#change(device, (boot) => {
      boot.slots.set(name, image);
      boot.defaultSlot ??= name;
    });
  }

  removeSlot(name: string): Task<void> {
    return this.#change(undefined, (boot) => {
      boot.slots.delete(name);
      if (boot.defaultSlot === name) boot.defaultSlot = [...boot.slots.keys()][0];
      if (boot.oneShot === name) boot.oneShot = undefined;
    });
  }

  setDefault(name: string): Task<void> {
    return this.#change(undefined, (boot, device) => {
      checkSlot(boot, name, device);
      boot.defaultSlot = name;
    });
  }

  setOneShot(name: string): Task<void> {
    return this.#change(undefined, (boot, device) => {
      checkSlot(boot, name, device);
      boot.oneShot = name;
    });
  }

  *#change(path: string | undefined, apply: (boot: BootRecord, device: BlockDevice) => void): Task<void> {
    const device = path === undefined ? this.#device() : this.#disks().find((disk) => disk.path === path);
    if (device?.boot === undefined) {
      throw new DiskError('not-found', path ?? '', `no partition ${BOOT_PARTITIONS.join(' or ')} to boot from`);
    }
    device.checkWritable();
    yield* this.#writeOut(device);
    // The disk may have been wiped while the write was under way.
    if (device.boot !== undefined) apply(device.boot, device);
  }

  /** The disk that this boot came from, else the first that could boot. */
  #device(): BlockDevice | undefined {
    const booted = this.#choice.device;
    if (booted?.boot !== undefined) return booted;
    return this.#disks().find((disk) => disk.boot !== undefined);
  }
}

function checkSlot(boot: BootRecord, name: string, device: BlockDevice): void {
  if (!boot.slots.has(name)) throw new DiskError('not-found', device.path, `${device.path}: no boot slot ${name}`);
}
