/** Side documents, one check per kind; those of v1.11.3 stand here (reference/network-config.md E.4; v1.11.3.md 11.1). */
import { goQuote } from '../../platform/text/quote.ts';
import { urlPort } from '../../platform/text/url.ts';
import { listAt, textAt, urlAt } from '../view.ts';
import { all, atLeastTenSeconds, named } from './kinds/common.ts';
import { newerChecks } from './newer.ts';
import type { DocumentCheck } from './report.ts';
import { checkExistingVolume, checkPartitionVolume, checkUserVolume, checkVolume, checkZswap } from './volumes.ts';

/** True for checks that stop at their first problem, as most of the real ones do. */
interface KindCheck {
  readonly check: DocumentCheck;
  readonly firstOnly: boolean;
}

const checkNamed = named('name is required');

const checkRule: DocumentCheck = all(checkNamed, (value, report) => {
  const ports = listAt(value, 'portSelector', 'ports').map((port) => portRange(port as string | number));
  if (ports.length === 0) {
    report(['portSelector', 'ports'], 'portSelector.ports is required');
  }
  const overlap = portProblem(ports);
  if (overlap !== undefined) {
    report(['portSelector', 'ports'], overlap);
  }
  for (const [index, source] of listAt(value, 'ingress').entries()) {
    if (textAt(source, 'subnet') === '') {
      report(['ingress', index, 'subnet'], 'invalid subnet: invalid Prefix');
    }
  }
});

type Range = readonly [low: number, high: number];

function portRange(port: string | number): Range {
  const [low, high] = String(port).split('-').map(Number);
  return [low!, high ?? low!];
}

function portProblem(ports: readonly Range[]): string | undefined {
  const sorted = [...ports].sort((a, b) => a[0] - b[0]);
  for (const [index, [low, high]] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (low > high) {
      return `invalid port range: ${low}-${high}`;
    }
    if (previous !== undefined && low <= previous[1]) {
      return `invalid port range: ${low}-${high}, overlaps with ${previous[0]}-${previous[1]}`;
    }
  }
  return undefined;
}

const checkEventSink: DocumentCheck = (value, report) => {
  const endpoint = textAt(value, 'endpoint');
  const problem = hostPortProblem(endpoint);
  if (problem !== undefined) {
    report(['endpoint'], `event sink endpoint: ${problem}`);
  }
};

/** Go's `net.SplitHostPort`. */
function hostPortProblem(text: string): string | undefined {
  const colon = text.lastIndexOf(':');
  const wrong = (what: string): string => `address ${text}: ${what}`;
  if (colon === -1) {
    return text === '' ? 'missing port in address' : wrong('missing port in address');
  }
  if (text.startsWith('[')) {
    const end = text.indexOf(']');
    if (end === -1) {
      return wrong("missing ']' in address");
    }
    if (end + 1 === text.length) {
      return wrong('missing port in address');
    }
    return end + 1 === colon
      ? undefined
      : wrong(text.charAt(end + 1) === ':' ? 'too many colons in address' : 'missing port in address');
  }
  return text.indexOf(':') === colon ? undefined : wrong('too many colons in address');
}

const checkKmsgLog: DocumentCheck = all(checkNamed, (value, report) => {
  const url = urlAt(value, 'url');
  if (url === undefined) {
    report(['url'], 'url is required');
    return;
  }
  if (url.scheme !== 'tcp' && url.scheme !== 'udp') {
    report(['url'], 'url scheme must be tcp:// or udp://');
  }
  if (url.path !== '' && url.path !== '/') {
    report(['url'], 'url path must be empty');
  }
  if (urlPort(url) === '') {
    report(['url'], 'url port is required');
  }
});

const checkWatchdog: DocumentCheck = (value, report) => {
  if (textAt(value, 'device') === '') {
    report(['device'], 'watchdog device: empty value');
  }
  atLeastTenSeconds(value, report, ['timeout'], 'watchdog timeout');
};

const checkExtensionService: DocumentCheck = (value, report) => {
  const name = goQuote(textAt(value, 'name'));
  if (name === '""') {
    report(['name'], 'name is required');
  }
  const files = listAt(value, 'configFiles');
  if (files.length === 0 && listAt(value, 'environment').length === 0) {
    report([], `no config files found for extension ${name}`);
  }
  for (const [index, file] of files.entries()) {
    if (textAt(file, 'content') === '') {
      report(['configFiles', index, 'content'], `extension content is required for extension ${name}`);
    }
    if (textAt(file, 'mountPath') === '') {
      report(['configFiles', index, 'mountPath'], `extension mount path is required for extension ${name}`);
    }
  }
};

const checkSideroLink: DocumentCheck = (value, report) => {
  const url = urlAt(value, 'apiUrl');
  if (url === undefined) {
    report(['apiUrl'], 'apiUrl is required');
    return;
  }
  if (url.scheme !== 'https' && url.scheme !== 'grpc') {
    report(['apiUrl'], 'apiUrl scheme must be https:// or grpc://');
  }
  if (url.path !== '' && url.path !== '/') {
    report(['apiUrl'], 'apiUrl path must be empty');
  }
};

const CHECKS: Readonly<Record<string, KindCheck>> = Object.freeze({
  NetworkRuleConfig: { check: checkRule, firstOnly: true },
  EthernetConfig: { check: checkNamed, firstOnly: true },
  VolumeConfig: { check: checkVolume, firstOnly: false },
  UserVolumeConfig: { check: checkUserVolume, firstOnly: false },
  RawVolumeConfig: { check: checkPartitionVolume, firstOnly: false },
  SwapVolumeConfig: { check: checkPartitionVolume, firstOnly: false },
  ExistingVolumeConfig: { check: checkExistingVolume, firstOnly: false },
  ZswapConfig: { check: checkZswap, firstOnly: false },
  EventSinkConfig: { check: checkEventSink, firstOnly: true },
  KmsgLogConfig: { check: checkKmsgLog, firstOnly: true },
  WatchdogTimerConfig: { check: checkWatchdog, firstOnly: true },
  ExtensionServiceConfig: { check: checkExtensionService, firstOnly: true },
  SideroLinkConfig: { check: checkSideroLink, firstOnly: true },
});

/** The check of a kind; undefined for kinds without rules. */
export function documentCheck(kind: string): KindCheck | undefined {
  if (Object.hasOwn(CHECKS, kind)) {
    return CHECKS[kind];
  }
  const check = Object.hasOwn(newerChecks, kind) ? newerChecks[kind] : undefined;
  return check === undefined ? undefined : { check, firstOnly: false };
}
