/** RAID, LVM, volumes of the hypervisor, trim and scrub (reference/network-config.md E.4). */
import { memberEnv } from '../../cel/env.ts';
import { numberAt, objectAt, textAt } from '../../view.ts';
import type { DocumentCheck } from '../report.ts';
import {
  all,
  atLeastTenSeconds,
  checkBoundedName,
  checkSelector,
  durationNotNegative,
  isSet,
  sizeBytes,
  VOLUME_NAME,
} from './common.ts';

const poolNamed = (max: number): DocumentCheck => {
  const rule = { max, characters: /^[A-Za-z0-9_-]*$/, allowed: 'ASCII letters, digits, hyphens and underscores' };
  return (value, report) => checkBoundedName(value, report, rule);
};

const members: DocumentCheck = (value, report) => {
  const path = ['provisioning', 'volumeSelector', 'match'];
  const shown = path.join('.');
  checkSelector(value, report, path, { env: memberEnv, missing: `${shown} is required`, invalid: shown });
};

export const checkRaid: DocumentCheck = all(poolNamed(32), members);
export const checkVolumeGroup: DocumentCheck = all(poolNamed(63), members);

/** Copies or stripes: which layouts have them, and how many there must be. */
const COUNTS = [
  { key: 'mirrors', layouts: ['raid1', 'raid10'], least: 1 },
  { key: 'stripes', layouts: ['raid0', 'raid10'], least: 2 },
] as const;

export const checkLogicalVolume: DocumentCheck = all(poolNamed(63), (value, report) => {
  const layout = textAt(value, 'type') || 'linear';
  for (const { key, layouts, least } of COUNTS) {
    if (!isSet(value, key)) continue;
    if (!(layouts as readonly string[]).includes(layout)) {
      report([key], `${key} is only valid for ${layouts.join('/')}, not ${layout}`);
    } else if (numberAt(value, key) < least) {
      report([key], `${key} must be at least ${least}`);
    }
  }
  const provisioning = objectAt(value, 'provisioning');
  if (textAt(provisioning, 'volumeGroup') === '') {
    report(['provisioning', 'volumeGroup'], 'provisioning.volumeGroup is required');
  }
  const smallest = textAt(provisioning, 'minSize');
  const largest = textAt(provisioning, 'maxSize');
  if (largest === '') {
    report(['provisioning', 'maxSize'], 'provisioning.maxSize is required');
  }
  if (largest.startsWith('-')) {
    report(['provisioning', 'maxSize'], 'provisioning.maxSize must not be negative');
  }
  if (smallest !== '' && !largest.endsWith('%') && sizeBytes(smallest) > sizeBytes(largest)) {
    report(['provisioning', 'minSize'], 'provisioning.minSize must not exceed provisioning.maxSize');
  }
});

export const checkExternalVolume: DocumentCheck = (value, report) => {
  checkBoundedName(value, report, VOLUME_NAME);
  const type = textAt(value, 'filesystemType') || 'none';
  const virtiofs = objectAt(value, 'mount', 'virtiofs');
  if (type !== 'virtiofs') {
    report(['filesystemType'], `invalid filesystem type: ${type}`);
  } else if (virtiofs === undefined) {
    report(['mount', 'virtiofs'], 'virtiofs mount spec is required');
  } else if (textAt(virtiofs, 'tag') === '') {
    report(['mount', 'virtiofs', 'tag'], 'virtiofs tag is required');
  }
};

export const checkTrim: DocumentCheck = (value, report) =>
  durationNotNegative(value, report, ['interval'], () => 'interval cannot be negative');

/** The words are those of the volume's own section: of this kind no source is at hand. */
export const checkScrub: DocumentCheck = (value, report) =>
  atLeastTenSeconds(value, report, ['interval'], 'scrub interval');

/** Trim and scrub of one volume. */
export const checkUpkeep: DocumentCheck = (value, report) => {
  durationNotNegative(value, report, ['trim', 'interval'], () => 'trim interval cannot be negative');
  atLeastTenSeconds(value, report, ['scrub', 'interval'], 'scrub interval');
};
