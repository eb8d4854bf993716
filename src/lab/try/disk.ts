import type { ConfigObject } from '../../config/schema/types.ts';
import { objectAt, textAt } from '../../config/view.ts';
import { parseBytes } from '../../platform/text/humanize.ts';
import type { DiskEntry } from '../scenario/schema.ts';

const GIB = 1_073_741_824;
const DEFAULT_SIZE_GIB = 64;

/** A disk like the one that `machine.install` asks for, so that what stops the config is not the missing hardware. */
export function diskFor(install: ConfigObject | undefined): DiskEntry {
  const path = textAt(install, 'disk');
  const selector = objectAt(install, 'diskSelector');
  if (selector === undefined) return namedDisk(path === '' ? '/dev/sda' : path, DEFAULT_SIZE_GIB);
  const type = textAt(selector, 'type');
  const name = type === 'nvme' ? '/dev/nvme0n1' : type === 'sd' ? '/dev/mmcblk0' : '/dev/sda';
  const given = {
    model: textAt(selector, 'model'),
    serial: textAt(selector, 'serial'),
    wwid: textAt(selector, 'wwid'),
  };
  return {
    ...namedDisk(name, sizeGiB(textAt(selector, 'size'))),
    rotational: type === 'hdd',
    ...Object.fromEntries(
      Object.entries(given)
        .filter(([, pattern]) => pattern !== '')
        .map(([key, pattern]) => [key, matching(pattern)]),
    ),
  };
}

/** A disk whose bus is told by its name. */
export function namedDisk(name: string, sizeGiB: number): DiskEntry {
  return { name, sizeGiB, transport: transportOf(name), rotational: false };
}

function transportOf(name: string): NonNullable<DiskEntry['transport']> {
  if (name.includes('nvme')) return 'nvme';
  if (name.includes('mmcblk')) return 'mmc';
  return name.startsWith('/dev/vd') ? 'virtio' : 'sata';
}

/** A size that fulfils `>= 100GB`, `< 1TB`, `== 500GB`. */
function sizeGiB(condition: string): number {
  const match = /^(>=|<=|>|<|==)?(.*)$/.exec(condition.trim())!;
  const bytes = condition === '' ? '' : parseBytes(match[2]!.trim());
  if (typeof bytes !== 'bigint') return DEFAULT_SIZE_GIB;
  const size = Number(bytes) / GIB;
  if (match[1] === '>') return size + 1;
  // Half of an upper bound is below it, and big enough for Talos wherever the bound allows that at all.
  return match[1] === '<' || match[1] === '<=' ? Math.min(DEFAULT_SIZE_GIB, size / 2) : size;
}

/** A text that a glob matches. */
function matching(pattern: string): string {
  return pattern.replaceAll('*', '').replaceAll('?', 'x');
}
