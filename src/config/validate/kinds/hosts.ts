/** Host name, resolvers, clock, DHCP, shared addresses, probes and rules of routing (reference/network-config.md E.4). */
import { utf8SizeBytes } from '../../../platform/bytes.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { urlHostname } from '../../../platform/text/url.ts';
import { addressProblem, isIp, parseAddress, prefixProblem } from '../../text/ip.ts';
import { flagAt, listAt, numberAt, objectAt, stringsAt, textAt, urlAt } from '../../view.ts';
import { checkSubnets } from '../cluster.ts';
import type { DocumentCheck } from '../report.ts';
import { kubeSpanMtuProblem } from '../sections.ts';
import { all, durationNotNegative, isSet, named, needs } from './common.ts';

export const checkDhcp: DocumentCheck = all(named(), (value, report) => {
  const isDuid = textAt(value, 'clientIdentifier') === 'duid';
  const given = textAt(value, 'duidRaw') !== '';
  if (given && !isDuid) {
    report(['duidRaw'], "duidRaw can only be set if clientIdentifier is 'duid'");
  }
  if (isDuid && !given) {
    report(['duidRaw'], "duidRaw must be set if clientIdentifier is 'duid'");
  }
});

const MAX_FQDN_BYTES = 253;
const MAX_LABEL_BYTES = 63;

/** Without a word, `auto` counts as off. */
export const checkHostname: DocumentCheck = (value, report) => {
  const auto = textAt(value, 'auto') || 'off';
  const hostname = textAt(value, 'hostname');
  if (!isSet(value, 'auto') && hostname === '') {
    report([], "either 'auto' or 'hostname' must be set");
  }
  if (auto !== 'off' && hostname !== '') {
    report(['hostname'], "'auto' and 'hostname' cannot be set at the same time");
  }
  if (auto !== 'off' && auto !== 'stable') {
    report(['auto'], `invalid value for 'auto': ${auto}`);
  }
  if (hostname === '') {
    return;
  }
  const size = utf8SizeBytes(hostname);
  if (size > MAX_FQDN_BYTES) {
    report(['hostname'], `fqdn is too long: ${size}`);
  }
  const label = hostname.split('.')[0]!;
  if (label === '' || utf8SizeBytes(label) > MAX_LABEL_BYTES) {
    report(['hostname'], `invalid hostname ${goQuote(label)}`);
  }
};

const ALL_ENCRYPTED =
  'all configured nameservers use encrypted DNS (DoT or DoH): validating certificates requires a correct system clock, so boot may stall when NTP servers are configured by hostname; consider keeping at least one plain-DNS fallback or configuring NTP servers by IP address';

export const checkResolver: DocumentCheck = (value, report) => {
  for (const key of flagAt(value, 'hostDNS', 'enabled') === true
    ? []
    : ['forwardKubeDNSToHost', 'resolveMemberNames']) {
    if (flagAt(value, 'hostDNS', key) === true) {
      report(['hostDNS', key], `hostDNS.${key} cannot be enabled when hostDNS.enabled is false`);
    }
  }
  const servers = listAt(value, 'nameservers');
  let encrypted = 0;
  for (const [index, server] of servers.entries()) {
    const protocol = textAt(server, 'protocol') || 'Do53';
    const named = textAt(server, 'tlsServerName') !== '';
    const isPlain = protocol === 'Do53';
    encrypted += isPlain ? 0 : 1;
    if (isPlain === named) {
      const message = `tlsServerName must be ${isPlain ? 'empty' : 'set'} when protocol is ${protocol}: entry ${index}`;
      report(['nameservers', index, 'tlsServerName'], message);
    }
    if (textAt(server, 'address') === '') {
      report(['nameservers', index, 'address'], `nameserver address must be a valid IP: entry ${index}`);
    }
  }
  if (encrypted > 0 && encrypted === servers.length) {
    report(['nameservers'], ALL_ENCRYPTED, 'warning');
  }
};

export const checkStaticHost: DocumentCheck = all(named('name is required'), (value, report) => {
  if (parseAddress(textAt(value, 'name')) === undefined) {
    report(['name'], 'name must be a valid IP address');
  }
  if (stringsAt(value, 'hostnames').length === 0) {
    report(['hostnames'], 'at least one hostname is required');
  }
});

export const checkTime: DocumentCheck = (value, report) => {
  durationNotNegative(value, report, ['bootTimeout'], () => 'bootTimeout cannot be negative');
  if (objectAt(value, 'ntp') !== undefined && objectAt(value, 'ptp') !== undefined) {
    report([], 'only one of ntp or ptp configuration can be specified');
  }
  // The words about NTS are ours.
  const servers = flagAt(value, 'ntp', 'useNTS') === true ? stringsAt(value, 'ntp', 'servers') : [];
  for (const [index, server] of servers.entries()) {
    if (isIp(server)) {
      report(['ntp', 'servers', index], `NTS server must be a host name, not an IP address: ${goQuote(server)}`);
    }
  }
};

export const checkKubeSpan: DocumentCheck = (value, report) => {
  const mtu = isSet(value, 'mtu') ? kubeSpanMtuProblem(numberAt(value, 'mtu')) : undefined;
  if (mtu !== undefined) {
    report(['mtu'], mtu);
  }
  const filters = ['filters', 'endpoints'];
  checkSubnets({ error: report }, filters, stringsAt(value, ...filters), 'KubeSpan endpoint filter is not valid');
};

export const checkSharedAddress: DocumentCheck = all(named(), (value, report) => {
  const name = textAt(value, 'name');
  const problem = name === '' ? undefined : addressProblem(name);
  if (problem !== undefined) {
    report(['name'], `name must be a valid IP address: ${problem}`);
  }
  if (textAt(value, 'link') === '') {
    report(['link'], 'link must be specified');
  }
});

export const checkCloudAddress = all(checkSharedAddress, needs(['apiToken'], 'apiToken must be specified'));

/** What all probes have; `shown` is the kind in messages. */
function probe(shown: 'TCP' | 'HTTP', target: DocumentCheck): DocumentCheck {
  return all(named('probe name is required'), target, (value, report) => {
    durationNotNegative(value, report, ['timeout'], (text) => `${shown} probe timeout cannot be negative: ${text}`);
    durationNotNegative(value, report, ['interval'], (text) => `probe interval cannot be negative: ${text}`);
    const threshold = numberAt(value, 'failureThreshold');
    if (threshold < 0) {
      report(['failureThreshold'], `probe failure threshold cannot be negative: ${threshold}`);
    }
  });
}

export const checkTcpProbe = probe('TCP', needs(['endpoint'], 'TCP probe endpoint is required'));

export const checkHttpProbe = probe('HTTP', (value, report) => {
  const url = urlAt(value, 'url');
  if (url === undefined) {
    report(['url'], 'HTTP probe URL is required');
  } else if (url.scheme !== 'http' && url.scheme !== 'https') {
    report(['url'], `HTTP probe URL scheme must be http or https, got ${goQuote(url.scheme)}`);
  } else if (url.opaque !== '' || urlHostname(url) === '') {
    report(['url'], 'HTTP probe URL must be an absolute http or https URL with a non-empty host');
  }
});

export const checkBlackhole: DocumentCheck = all(named(), (value, report) => {
  const problem = prefixProblem(textAt(value, 'name'));
  if (problem !== undefined) {
    report(['name'], `name must be a valid address prefix: ${problem}`);
  }
});

/** The kernel's own rules and that of KubeSpan. */
const RESERVED_PRIORITIES: readonly number[] = Object.freeze([0, 32500, 32766, 32767]);
const MAX_UINT32 = 0xffff_ffff;

export const checkRoutingRule: DocumentCheck = all(named(), (value, report) => {
  const name = textAt(value, 'name');
  const isNumber = /^[0-9]+$/.test(name);
  const priority = isNumber ? Math.min(Number(name), MAX_UINT32) : 0;
  if (!isNumber || Number(name) > MAX_UINT32) {
    const why = `strconv.ParseUint: parsing ${goQuote(name)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
    report(['name'], `invalid name: must be priority parsable unsigned integer: ${why}`);
  }
  if (RESERVED_PRIORITIES.includes(priority)) {
    const reserved = RESERVED_PRIORITIES.join(' ');
    report(['name'], `priority must be between 1 and 32765 (excluding reserved priorities [${reserved}])`);
  }
  const action = textAt(value, 'action') || 'unicast';
  if (textAt(value, 'table') === '' && action === 'unicast') {
    report(['table'], 'either table or a non-unicast action must be specified');
  }
  if (numberAt(value, 'fwMask') !== 0 && numberAt(value, 'fwMark') === 0) {
    report(['fwMask'], 'fwMask requires fwMark to be set');
  }
});
