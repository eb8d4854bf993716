import { DiskError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { NodeError } from '../../errors.ts';
import { installed } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import { findSystemDisk } from '../../storage/layout.ts';
import { META_STAGED_IMAGE, META_STAGED_OPTIONS, META_UPGRADE } from '../../storage/meta.ts';
import { imageOf, pullInstaller } from './install.ts';
import { checkHostVersion } from './preflight.ts';

const SLOTS = Object.freeze(['A', 'B'] as const);

/** Writes the other boot slot and makes it the default; the slot that was is remembered to fall back to. */
export function* upgradeTalos(machine: Machine, image: string): Task<void> {
  const { firmware, blockDevices, clock, log } = machine.platform;
  const disk = findSystemDisk(blockDevices);
  if (disk === undefined) throw new NodeError('system disk not found');
  yield* pullInstaller(machine, image);
  const target = imageOf(image);
  checkHostVersion(machine.profile.version, target.version);
  const current = firmware.defaultSlot() ?? firmware.bootedSlot() ?? 'A';
  const next = SLOTS.find((slot) => slot !== current)!;
  machine.kmsg.talos(`performing upgrade via "${image}"`);
  try {
    yield* clock.sleep(machine.draw('install', machine.profile.timings.install));
    yield* firmware.setSlot(next, target, disk.path);
    machine.meta.set(META_UPGRADE, current);
    yield* machine.meta.flush();
    yield* firmware.setDefault(next);
  } catch (error) {
    if (error instanceof DiskError) throw new NodeError(`error upgrading: ${error.message}`);
    throw error;
  }
  log.event(installed, { disk: disk.path, image, slot: next });
}

/** Finishes an upgrade that was staged before the reboot. */
export function* upgradeStaged(machine: Machine): Task<void> {
  const image = machine.meta.get(META_STAGED_IMAGE);
  if (image === undefined) throw new NodeError('no staged upgrade');
  machine.meta.delete(META_STAGED_IMAGE);
  machine.meta.delete(META_STAGED_OPTIONS);
  yield* machine.meta.flush();
  yield* upgradeTalos(machine, image);
}

/** Makes the other slot the default. NodeError when there is none. */
export function* revertBootloader(machine: Machine): Task<void> {
  const { firmware } = machine.platform;
  const current = firmware.defaultSlot() ?? firmware.bootedSlot();
  const other = Object.keys(firmware.slots()).find((slot) => slot !== current);
  if (other === undefined) throw new NodeError('previous boot entry not found');
  yield* firmware.setDefault(other);
}
