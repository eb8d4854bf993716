/** Links: physical, bonded, bridged, virtual (reference/network-config.md E.4 "Network"). */

import { utf8SizeBytes } from '../../../platform/bytes.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { linkEnv } from '../../cel/env.ts';
import type { Path } from '../../errors.ts';
import type { ConfigObject, ConfigValue } from '../../schema/types.ts';
import { base64Problem, base64SizeBytes } from '../../text/base64.ts';
import { parseAddress } from '../../text/ip.ts';
import { listAt, numberAt, objectAt, stringsAt, textAt } from '../../view.ts';
import type { DocumentCheck, Report } from '../report.ts';
import { all, checkSelector, durationNs, isSet, MAX_PORT, named } from './common.ts';

/** True for `0.0.0.0` and `::`, with or without a prefix length. */
function isUnspecified(text: string): boolean {
  return parseAddress(text.split('/')[0]!)?.bytes.every((byte) => byte === 0) === true;
}

/** Addresses and routes of a link, or of the other end of a pair. */
function checkCommon(value: ConfigValue | undefined, report: Report, base: Path = []): void {
  for (const [index, item] of listAt(value, 'addresses').entries()) {
    const address = textAt(item, 'address');
    const problem =
      address === '' ? 'must be specified' : isUnspecified(address) ? 'must be a valid IP address' : undefined;
    if (problem !== undefined) {
      report([...base, 'addresses', index, 'address'], `address ${index} ${problem}`);
    }
  }
  for (const [index, route] of listAt(value, 'routes').entries()) {
    for (const [key, what] of [
      ['destination', 'prefix'],
      ['gateway', 'address'],
      ['source', 'address'],
    ] as const) {
      if (isUnspecified(textAt(route, key))) {
        report([...base, 'routes', index, key], `route ${index} ${key} must be a valid IP ${what}`);
      }
    }
  }
}

const common: DocumentCheck = (value, report) => checkCommon(value, report);

export const checkLink: DocumentCheck = all(named(), common);

const PRIMARY_MODES: readonly string[] = Object.freeze(['active-backup', 'balance-tlb', 'balance-alb']);

/** The words about `primary` are ours: the source that is at hand does not have the field yet. */
function checkPrimary(value: ConfigObject, report: Report): void {
  const mode = textAt(value, 'bondMode');
  if (isSet(value, 'primary')) {
    const primary = textAt(value, 'primary');
    if (primary === '' || !stringsAt(value, 'links').includes(primary)) {
      report(['primary'], 'primary must be one of the links');
    }
    if (!PRIMARY_MODES.includes(mode)) {
      report(['primary'], `primary is not used in bond mode ${mode}`);
    }
  } else if (isSet(value, 'primaryReselect') && PRIMARY_MODES.includes(mode)) {
    report(['primaryReselect'], 'primaryReselect is set without primary', 'warning');
  }
}

export const checkBond: DocumentCheck = all(
  named(),
  (value, report) => {
    if (stringsAt(value, 'links').length === 0) {
      report(['links'], 'at least one link must be specified');
    }
    const mode = textAt(value, 'bondMode');
    if (mode === '') {
      report(['bondMode'], 'bond mode must be specified');
    }
    for (const key of mode === '802.3ad' ? ['miimon', 'updelay', 'downdelay'] : []) {
      if (!isSet(value, key)) {
        report([key], `${key} was not specified for 802.3ad bond`, 'warning');
      }
    }
    checkPrimary(value, report);
  },
  common,
);

const MAX_VLAN = 4094;

export const checkVlan: DocumentCheck = all(
  named(),
  (value, report) => {
    const id = numberAt(value, 'vlanID');
    if (id === 0 || id > MAX_VLAN) {
      report(['vlanID'], `vlanID must be specified and between 1 and ${MAX_VLAN}`);
    }
    if (textAt(value, 'parent') === '') {
      report(['parent'], 'parent must be specified');
    }
  },
  common,
);

const RESERVED_TABLES: readonly string[] = Object.freeze(['unspec', 'local', 'main', 'default']);

export const checkVrf: DocumentCheck = all(
  named(),
  (value, report) => {
    const table = textAt(value, 'table') || 'unspec';
    if (RESERVED_TABLES.includes(table)) {
      report(['table'], `cannot create vrf with reserved table ${table}`);
    }
  },
  common,
);

const MAX_LINK_NAME_BYTES = 15;

function linkNameProblem(name: string): string | undefined {
  if (name === '') return 'must be specified';
  if (utf8SizeBytes(name) > MAX_LINK_NAME_BYTES) return `must not exceed ${MAX_LINK_NAME_BYTES} bytes`;
  if (name === '.' || name === '..') return `must not be ${goQuote(name)}`;
  if (/[/:]/.test(name)) return "must not contain '/' or ':'";
  return /[\s\p{C}\p{Z}]/u.test(name) ? 'must not contain whitespace or non-printable characters' : undefined;
}

export const checkVeth: DocumentCheck = (value, report) => {
  const name = textAt(value, 'name');
  const peer = textAt(value, 'peer', 'name');
  for (const [path, shown, text] of [
    [['name'], 'name', name],
    [['peer', 'name'], 'peer name', peer],
  ] as const) {
    const problem = linkNameProblem(text);
    if (problem !== undefined) {
      report(path, `${shown} ${problem}`);
    }
  }
  if (name !== '' && name === peer) {
    report(['peer', 'name'], 'name and peer name must be different');
  }
  checkCommon(value, report);
  checkCommon(objectAt(value, 'peer'), report, ['peer']);
};

function keyProblem(key: string): string | undefined {
  return base64Problem(key) ?? (base64SizeBytes(key) === 32 ? undefined : 'invalid wireguard key length');
}

export const checkWireguard: DocumentCheck = all(
  named(),
  (value, report) => {
    const key = textAt(value, 'privateKey');
    const problem = key === '' ? 'must be specified' : keyProblem(key);
    if (problem !== undefined) {
      report(['privateKey'], `wireguard private key ${key === '' ? problem : `is invalid: ${problem}`}`);
    }
    const port = numberAt(value, 'listenPort');
    if (port < 0 || port > MAX_PORT) {
      report(['listenPort'], `wireguard listen port must be between 0 and ${MAX_PORT}`);
    }
    for (const [index, peer] of listAt(value, 'peers').entries()) {
      checkPeer(peer, report, index);
    }
  },
  common,
);

function checkPeer(peer: ConfigValue, report: Report, index: number): void {
  const where = `(peer index ${index})`;
  for (const [field, shown] of [
    ['publicKey', 'public key'],
    ['presharedKey', 'preshared key'],
  ] as const) {
    const key = textAt(peer, field);
    const problem = key === '' ? undefined : keyProblem(key);
    if (key === '' && field === 'publicKey') {
      report(['peers', index, field], `wireguard peer public key must be specified ${where}`);
    } else if (problem !== undefined) {
      report(['peers', index, field], `wireguard peer ${shown} is invalid ${where}: ${problem}`);
    }
  }
  if (durationNs(textAt(peer, 'persistentKeepaliveInterval')) < 0n) {
    const message = `wireguard peer persistent keepalive interval cannot be negative ${where}`;
    report(['peers', index, 'persistentKeepaliveInterval'], message);
  }
}

export const checkLinkAlias: DocumentCheck = (value, report) => {
  const name = textAt(value, 'name');
  const percent = name.indexOf('%');
  if (name === '') {
    report(['name'], 'name must be specified');
  } else if (percent === 0 || (percent > 0 && name.slice(percent + 1) !== 'd')) {
    report(['name'], `name ${goQuote(name)} contains an invalid format verb, use %d suffix`);
  }
  const rule = { env: linkEnv, missing: 'link selector is required', invalid: 'link selector is invalid' };
  checkSelector(value, report, ['selector', 'match'], rule);
};
