/** Volume documents (reference/network-config.md E.4, block; texts of v1.11.3). */

import { goQuote } from '../../platform/text/quote.ts';
import { diskEnv, volumeEnv } from '../cel/env.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { at, flagAt, isObject, listAt, numberAt, objectAt, textAt } from '../view.ts';
import { checkBoundedName, checkSelector, sizeBytes, VOLUME_NAME } from './kinds/common.ts';
import { checkUpkeep } from './kinds/pools.ts';
import type { DocumentCheck, Report } from './report.ts';

const SYSTEM_VOLUMES: readonly string[] = Object.freeze(['STATE', 'EPHEMERAL', 'IMAGECACHE']);
const LATER_VOLUMES: readonly string[] = Object.freeze(['ETCD', 'CRI', 'KUBELET', 'LOG']);

export const checkVolume: DocumentCheck = (value, report, minor) => {
  const name = textAt(value, 'name');
  const allowed = minor < 14 ? SYSTEM_VOLUMES : [...SYSTEM_VOLUMES, ...LATER_VOLUMES];
  if (!allowed.includes(name)) {
    report(['name'], `only ${quoteList(allowed)} volumes are supported`);
    return;
  }
  if (name === 'STATE' && isProvisioned(value)) {
    report(['provisioning'], `provisioning config is not allowed for the ${goQuote(name)} volume`);
  }
  for (const key of name === 'STATE' ? listAt(value, 'encryption', 'keys') : []) {
    if (flagAt(key, 'lockToState') === true) {
      report(['encryption', 'keys'], `state-locked key is not allowed for the ${goQuote(name)} volume`);
    }
  }
  checkMount(value, name, report);
  if (name === 'IMAGECACHE' && objectAt(value, 'filesystem', 'xfs') !== undefined) {
    report(['filesystem'], `filesystem config is not allowed for the ${goQuote(name)} volume`);
  }
  checkProvisioning(value, report, { required: false, sized: true });
  checkEncryption(value, report);
  checkUpkeep(value, report, minor);
};

/** True when the section holds something: an empty one counts as none. */
function holds(value: ConfigObject, section: string, ...fields: readonly string[]): boolean {
  return fields.some((field) => at(value, section, ...field.split('.')) !== undefined);
}

const isProvisioned = (value: ConfigObject): boolean =>
  holds(value, 'provisioning', 'diskSelector.match', 'grow', 'minSize', 'maxSize');

function checkMount(value: ConfigObject, name: string, report: Report): void {
  if (!holds(value, 'mount', 'secure', 'disableAccessTime')) {
    return;
  }
  if (name === 'STATE' || name === 'IMAGECACHE') {
    report(['mount'], `mount config is not allowed for the ${goQuote(name)} volume`);
  } else if (LATER_VOLUMES.includes(name) && !isProvisioned(value)) {
    const message = `mount config for the ${goQuote(name)} volume is only supported when it is provisioned onto a dedicated partition`;
    report(['mount'], message);
  }
}

function quoteList(words: readonly string[]): string {
  return `[${words.map(goQuote).join(' ')}]`;
}

export const checkUserVolume: DocumentCheck = (value, report, minor) => {
  checkBoundedName(value, report, VOLUME_NAME);
  const type = textAt(value, 'volumeType') || 'partition';
  if (type === 'directory') {
    checkDirectory(value, report);
  } else if (type !== 'partition' && type !== 'disk') {
    report(['volumeType'], `unsupported volume type ${goQuote(type)}`);
  } else {
    checkProvisioning(value, report, { required: true, sized: type === 'partition' });
    checkFilesystem(value, report);
    checkEncryption(value, report);
  }
  checkUpkeep(value, report, minor);
};

/** A directory has none of what a partition has. */
function checkDirectory(value: ConfigObject, report: Report): void {
  for (const [section, isGiven] of [
    ['provisioning', isProvisioned(value)],
    ['encryption', holds(value, 'encryption', 'provider', 'keys', 'cipher', 'keySize', 'blockSize', 'options')],
    ['filesystem', holds(value, 'filesystem', 'type', 'projectQuotaSupport', 'xfs')],
  ] as const) {
    if (isGiven) {
      report([section], `${section} spec is invalid for volumeType directory`);
    }
  }
  if (flagAt(value, 'mount', 'disableAccessTime') !== undefined) {
    report(['mount'], 'mount.disableAccessTime is invalid for volumeType directory');
  }
}

/** Raw and swap volumes. */
export const checkPartitionVolume: DocumentCheck = (value, report) => {
  checkBoundedName(value, report, VOLUME_NAME);
  checkProvisioning(value, report, { required: true, sized: true });
  checkEncryption(value, report);
};

export const checkExistingVolume: DocumentCheck = (value, report, minor) => {
  checkBoundedName(value, report, { ...VOLUME_NAME, max: undefined });
  const rule = { env: volumeEnv, missing: 'volume selector is required', invalid: 'volume selector is invalid' };
  checkSelector(value, report, ['discovery', 'volumeSelector', 'match'], rule);
  checkUpkeep(value, report, minor);
};

function checkFilesystem(value: ConfigObject, report: Report): void {
  const type = textAt(value, 'filesystem', 'type');
  if (!['', 'xfs', 'ext4', 'btrfs'].includes(type)) {
    report(['filesystem', 'type'], `unsupported filesystem type: ${type}`);
    return;
  }
  const other = type !== '' && type !== 'xfs';
  if (other && flagAt(value, 'filesystem', 'projectQuotaSupport') === true) {
    report(['filesystem'], 'project quota support is only available for xfs filesystem');
  } else if (other && objectAt(value, 'filesystem', 'xfs') !== undefined) {
    report(['filesystem'], 'xfs options are only available for xfs filesystem');
  }
}

interface ProvisioningRules {
  readonly required: boolean;
  readonly sized: boolean;
}

function checkProvisioning(value: ConfigObject, report: Report, { required, sized }: ProvisioningRules): void {
  const missing = required ? 'disk selector is required' : undefined;
  const rule = { env: diskEnv, missing, invalid: 'disk selector is invalid' };
  checkSelector(value, report, ['provisioning', 'diskSelector', 'match'], rule);
  const smallest = textAt(value, 'provisioning', 'minSize');
  const largest = textAt(value, 'provisioning', 'maxSize');
  if (!sized) {
    if (smallest !== '' || largest !== '' || at(value, 'provisioning', 'grow') !== undefined) {
      report(['provisioning'], 'min size, max size and grow are not supported');
    }
    return;
  }
  if (smallest !== '' && largest !== '' && !largest.endsWith('%') && !largest.startsWith('-')) {
    if (sizeBytes(smallest) > sizeBytes(largest)) {
      report(['provisioning'], 'min size is greater than max size');
    }
  } else if (required && smallest === '' && largest === '') {
    report(['provisioning'], 'min size or max size is required');
  }
  if (smallest.startsWith('-')) {
    report(['provisioning', 'minSize'], 'min size cannot be negative');
  }
}

function checkEncryption(value: ConfigObject, report: Report): void {
  const provider = textAt(value, 'encryption', 'provider');
  const keys: readonly ConfigValue[] = listAt(value, 'encryption', 'keys');
  if (provider === '' && keys.length === 0) {
    return;
  }
  if (provider !== 'luks2') {
    report(['encryption', 'provider'], `unsupported encryption provider: ${provider === '' ? 'none' : provider}`);
  }
  if (keys.length === 0) {
    report(['encryption', 'keys'], 'encryption keys are required');
  }
  const slots = new Set<number>();
  for (const [index, key] of keys.entries()) {
    const slot = numberAt(key, 'slot');
    if (slots.has(slot)) {
      report(['encryption', 'keys', index], `duplicate key slot ${slot}`);
    }
    slots.add(slot);
    if (!isObject(key) || !['static', 'nodeID', 'kms', 'tpm'].some((method) => objectAt(key, method) !== undefined)) {
      const message = `at least one encryption key type must be specified for slot ${slot}`;
      report(['encryption', 'keys', index], message);
    }
  }
}

/** Zswap percentage. */
export const checkZswap: DocumentCheck = (value, report) => {
  const percent = at(value, 'maxPoolPercent');
  if (percent !== undefined && (numberAt(value, 'maxPoolPercent') < 0 || numberAt(value, 'maxPoolPercent') > 100)) {
    report(['maxPoolPercent'], 'maxPoolPercent must be between 0 and 100');
  }
};
