/** BGP instances (reference/network-config.md E.4 "Network"). */
import { goQuote } from '../../../platform/text/quote.ts';
import type { ConfigValue } from '../../schema/types.ts';
import { isMasked, type Prefix, parseAddress, parsePrefix, prefixesOverlap } from '../../text/ip.ts';
import { listAt, numberAt, objectAt, stringsAt, textAt } from '../../view.ts';
import type { DocumentCheck, Report } from '../report.ts';
import { all, durationNs, named } from './common.ts';

export const checkBgp: DocumentCheck = all(named(), (value, report) => {
  if (numberAt(value, 'localASN') === 0) {
    report(['localASN'], 'localASN must be specified');
  }
  const router = parseAddress(textAt(value, 'routerID'));
  if (router !== undefined && router.bytes.length !== 4) {
    report(['routerID'], 'routerID must be an IPv4 address');
  }
  const neighbors = listAt(value, 'neighbors');
  if (neighbors.length === 0) {
    report(['neighbors'], 'BGPInstanceConfig has no neighbors configured', 'warning');
  }
  checkNeighbors(neighbors, report, textAt(value, 'vrf'));
  checkImports(listAt(value, 'importRoutes'), report, textAt(value, 'name'));
});

function checkNeighbors(neighbors: readonly ConfigValue[], report: Report, vrf: string): void {
  const seen = new Set<string>();
  for (const [index, neighbor] of neighbors.entries()) {
    const refuse = (message: string): void => report(['neighbors', index], `neighbor[${index}]: ${message}`);
    const address = textAt(neighbor, 'address');
    const link = textAt(neighbor, 'link');
    const isClear = (address === '') !== (link === '');
    if (!isClear) {
      refuse('exactly one of address or link must be set');
    }
    checkTimers(neighbor, refuse, vrf);
    const key = address || link;
    if (isClear && seen.has(key)) {
      refuse(`duplicate neighbor ${goQuote(key)}`);
    }
    if (isClear) {
      seen.add(key);
    }
  }
}

function checkTimers(neighbor: ConfigValue, refuse: (message: string) => void, vrf: string): void {
  if (durationNs(textAt(neighbor, 'holdTime')) < 0n) {
    refuse('holdTime must not be negative');
  }
  const bfd = objectAt(neighbor, 'bfd');
  if (bfd !== undefined && vrf !== '') {
    refuse('bfd is not supported for VRF-bound BGP instances');
  }
  for (const key of ['transmitInterval', 'receiveInterval']) {
    if (durationNs(textAt(bfd, key)) < 0n) {
      refuse(`bfd.${key} must not be negative`);
    }
  }
}

interface Selector {
  readonly text: string;
  readonly prefix: Prefix;
  readonly route: number;
}

function checkImports(routes: readonly ConfigValue[], report: Report, own: string): void {
  const sources = new Set<string>();
  const selectors: Selector[] = [];
  for (const [index, route] of routes.entries()) {
    const refuse = (message: string, below = ''): void =>
      report(['importRoutes', index], `importRoutes[${index}]${below}: ${message}`);
    const source = textAt(route, 'bgpInstance');
    if (source === '') {
      refuse('bgpInstance must be specified');
    } else if (source === own) {
      refuse(`cannot import from the same BGP instance ${goQuote(own)}`);
    }
    const texts = stringsAt(route, 'prefixes');
    checkPrefixes(texts, refuse);
    if (source !== '' && sources.has(source)) {
      refuse(`duplicate source BGP instance ${goQuote(source)}`);
    }
    sources.add(source);
    checkOverlaps(texts, selectors, index, refuse);
  }
}

/** Overlaps between routes; what is not masked has been refused already. */
function checkOverlaps(
  texts: readonly string[],
  selectors: Selector[],
  route: number,
  refuse: (message: string) => void,
): void {
  for (const text of texts) {
    const prefix = parsePrefix(text);
    if (prefix === undefined || !isMasked(prefix)) {
      continue;
    }
    for (const other of selectors) {
      if (other.route !== route && prefixesOverlap(other.prefix, prefix)) {
        refuse(`prefix ${text} overlaps importRoutes[${other.route}] prefix ${other.text}`);
      }
    }
    selectors.push({ text, prefix, route });
  }
}

function checkPrefixes(texts: readonly string[], refuse: (message: string, below?: string) => void): void {
  if (texts.length === 0) {
    refuse('at least one prefix must be specified');
  }
  for (const [index, text] of texts.entries()) {
    const below = `.prefixes[${index}]`;
    const prefix = parsePrefix(text);
    if (prefix === undefined) {
      refuse('invalid prefix', below);
      continue;
    }
    if (!isMasked(prefix)) {
      refuse(`prefix ${text} must be masked`, below);
    }
    for (const [other, otherText] of texts.slice(0, index).entries()) {
      const held = parsePrefix(otherText);
      if (held !== undefined && prefixesOverlap(held, prefix)) {
        refuse(`prefix ${text} overlaps prefixes[${other}] ${otherText}`, below);
      }
    }
  }
}
