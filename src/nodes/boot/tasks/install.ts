import { DiskError } from '../../../platform/errors.ts';
import type { BlockDeviceInfo, BootImage } from '../../../platform/platform.ts';
import type { Task } from '../../../platform/task.ts';
import { activeSettings } from '../../config/active.ts';
import { matchingDisks } from '../../config/machine-facts.ts';
import { NodeError } from '../../errors.ts';
import { installed } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import { pullImage } from '../../services/images.ts';
import { MINIMUM_DISK_BYTES, systemPartitions } from '../../storage/layout.ts';
import { mountSystemVolume } from '../../storage/volumes.ts';

/** Puts Talos on the configured disk: partitions, boot slot A, then STATE in use (reference/lifecycle-api-cli.md A.3). */
export function* installTalos(machine: Machine): Task<void> {
  const { blockDevices, firmware, log } = machine.platform;
  const install = activeSettings(machine.state)?.machine.install ?? null;
  if (install === null) throw new NodeError('install section is missing');
  const disk = installDisk(machine, install.disk, install.diskMatch);
  yield* pullInstaller(machine, install.image);
  machine.kmsg.talos(`installing Talos to disk ${disk.path}`);
  if (disk.sizeBytes < MINIMUM_DISK_BYTES) throw new NodeError(`disk ${disk.path} is too small for Talos`);
  try {
    if (install.wipe) yield* blockDevices.wipe(disk.path);
    yield* blockDevices.partition(disk.path, systemPartitions(disk.sizeBytes));
    for (const { label } of systemPartitions(disk.sizeBytes)) yield* blockDevices.format(disk.path, label);
    yield* machine.platform.clock.sleep(machine.draw('install', machine.profile.timings.install));
    yield* firmware.setSlot('A', imageOf(install.image), disk.path);
    yield* firmware.setDefault('A');
  } catch (error) {
    if (error instanceof DiskError) throw new NodeError(`failed to install: ${error.message}`);
    throw error;
  }
  machine.kmsg.talos('install successful');
  log.event(installed, { disk: disk.path, image: install.image, slot: 'A' });
  yield* mountSystemVolume(machine, 'STATE');
}

function installDisk(machine: Machine, path: string, expression: string | undefined): BlockDeviceInfo {
  if (expression !== undefined) {
    const first = matchingDisks(machine, expression)[0];
    if (first === undefined) throw new NodeError(`no disks matched the expression: ${expression}`);
    return first;
  }
  const found = machine.platform.blockDevices.list().find((device) => device.path === path);
  if (found === undefined) throw new NodeError(`failed to install: stat ${path}: no such file or directory`);
  return found;
}

/** Fetches the installer, with the patience of any pull. Before the installation it lies in memory: there is no disk yet. */
export function* pullInstaller(machine: Machine, image: string, notFoundLimit?: number): Task<void> {
  machine.kmsg.talos(`pulling "${image}"`);
  yield* pullImage(machine, image, notFoundLimit);
}

/** What an installer image puts into a boot slot: its tag, and the schematic of an Image Factory reference. */
export function imageOf(image: string): BootImage {
  const slash = image.lastIndexOf('/');
  const colon = image.indexOf(':', slash);
  const version = colon < 0 ? 'latest' : image.slice(colon + 1);
  const name = image.slice(slash + 1, colon < 0 ? undefined : colon);
  const schematic = /^[0-9a-f]{64}$/.test(name) ? name : '';
  return { version, schematic, bootable: true };
}
