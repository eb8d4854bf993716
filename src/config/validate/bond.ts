/** Bond rules (reference/network-config.md E.5 row 17). */
import type { Path } from '../errors.ts';
import type { ConfigObject } from '../schema/types.ts';
import { listAt, numberAt, textAt } from '../view.ts';
import type { Findings } from './findings.ts';

/** Enumerated options: field, accepted words, and the words of the refusal. */
const OPTIONS: readonly (readonly [field: string, words: readonly string[], refusal: string])[] = Object.freeze([
  [
    'mode',
    ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
    'invalid bond type',
  ],
  ['xmitHashPolicy', ['layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4'], 'invalid xmit hash policy'],
  ['lacpRate', ['slow', 'fast'], 'invalid lacp rate'],
  ['arpValidate', ['none', 'active', 'backup', 'all'], 'invalid arp_validate mode'],
  ['arpAllTargets', ['any', 'all'], 'invalid arp_all_targets mode'],
  ['primaryReselect', ['always', 'better', 'failure'], 'invalid primary_reselect mode'],
  ['failOverMac', ['none', 'active', 'follow'], 'invalid fail_over_mac value'],
  ['adSelect', ['stable', 'bandwidth', 'count'], 'invalid ad_select mode'],
]);

export function checkBond(findings: Findings, path: Path, bond: ConfigObject): void {
  for (const [field, words, refusal] of OPTIONS) {
    const word = textAt(bond, field);
    if (word !== '' && !words.includes(word)) {
      findings.error([...path, field], `${refusal} ${word}`);
    }
  }
  checkDelays(findings, path, bond);
  checkModes(findings, path, bond);
}

function checkDelays(findings: Findings, path: Path, bond: ConfigObject): void {
  const miimon = numberAt(bond, 'miimon');
  for (const [field, name] of [
    ['updelay', 'upDelay'],
    ['downdelay', 'downDelay'],
  ] as const) {
    const delay = numberAt(bond, field);
    if (miimon === 0 && delay !== 0) {
      findings.error([...path, field], `bond.${name} can't be set if miiMon is zero`);
    } else if (miimon !== 0 && delay % miimon !== 0) {
      findings.error([...path, field], `bond.${name} should be a multiple of miiMon`);
    }
  }
}

/** Options that only some modes have. An unknown mode counts as round robin, as in the real tool. */
function checkModes(findings: Findings, path: Path, bond: ConfigObject): void {
  const given = textAt(bond, 'mode');
  const mode = OPTIONS[0]![1].includes(given) ? given : 'balance-rr';
  const lacp = mode === '802.3ad';
  const adaptive = mode === 'balance-alb' || mode === 'balance-tlb';
  const refuse = (field: string, message: string): void => findings.error([...path, field], message);
  if (listAt(bond, 'arpIPTarget').length > 0) {
    refuse('arpIPTarget', 'bond.arpIPTarget is not supported');
  }
  if (textAt(bond, 'lacpRate') !== '' && !lacp) {
    refuse('lacpRate', 'bond.lacpRate is only available in 802.3ad mode');
  }
  if (textAt(bond, 'adActorSystem') !== '') {
    refuse('adActorSystem', 'bond.adActorSystem is not supported');
  }
  if ((lacp || adaptive) && textAt(bond, 'arpValidate') !== '') {
    refuse('arpValidate', `bond.arpValidate is not available in ${mode} mode`);
  }
  if (mode !== 'active-backup' && !adaptive && textAt(bond, 'primary') !== '') {
    refuse('primary', `bond.primary is not available in ${mode} mode`);
  }
  if ((lacp || adaptive) && numberAt(bond, 'arpInterval') > 0) {
    refuse('arpInterval', `bond.arpInterval is not available in ${mode} mode`);
  }
  if (mode !== 'balance-rr' && numberAt(bond, 'packetsPerSlave') > 1) {
    refuse('packetsPerSlave', `bond.packetsPerSlave is not available in ${mode} mode`);
  }
  if (!adaptive && numberAt(bond, 'tlbDynamicLb') > 0) {
    refuse('tlbDynamicLb', `bond.tlbDynamicTLB is not available in ${mode} mode`);
  }
  if (!lacp && numberAt(bond, 'adActorSysPrio') > 0) {
    refuse('adActorSysPrio', 'bond.adActorSysPrio is only available in 802.3ad mode');
  }
  if (!lacp && numberAt(bond, 'adUserPortKey') > 0) {
    refuse('adUserPortKey', 'bond.adUserPortKey is only available in 802.3ad mode');
  }
}
