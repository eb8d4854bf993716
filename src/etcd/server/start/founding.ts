import type { Member } from '../../../api/etcd/cluster.ts';
import { compareText } from '../../../platform/bytes.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { describeCluster, type EtcdUrl, type UrlsByName, urlTexts } from '../config/urls.ts';
import { memberId } from '../membership/ids.ts';
import { StartError } from './errors.ts';

/** The flags that say what the first members are. */
export interface FoundingFlags {
  readonly name: string;
  readonly initialCluster: UrlsByName;
  readonly initialClusterToken: string;
  readonly advertisePeerUrls: readonly EtcdUrl[];
}

/** The members that `--initial-cluster` lists, ascending by id, with the ids of a new cluster (reference/etcd.md B2). */
export function foundingMembers(flags: FoundingFlags): readonly Member[] {
  const members: Member[] = [];
  for (const [name, urls] of flags.initialCluster) {
    const peerUrls = urlTexts(urls);
    const id = memberId(peerUrls, flags.initialClusterToken, null);
    if (members.some((member) => member.id === id)) throw new StartError('member exists with identical ID');
    members.push({ id, name, peerUrls, clientUrls: [], isLearner: false });
  }
  return members.sort((a, b) => compareText(a.id, b.id));
}

/** What must hold for a new cluster and for joining one (B6.1 and B6.2, step 1). */
export function checkFounding(flags: FoundingFlags, newCluster: boolean): void {
  const own = flags.initialCluster.get(flags.name);
  if (own === undefined) {
    throw new StartError(`couldn't find local name "${flags.name}" in the initial cluster configuration`);
  }
  if (newCluster) checkAdvertised(flags, urlTexts(own));
  if (hasDuplicates(flags.initialCluster)) {
    throw new StartError(`initial cluster ${describeCluster(flags.initialCluster)} has duplicate url`);
  }
}

function hasDuplicates(cluster: UrlsByName): boolean {
  const seen = new Set<string>();
  for (const urls of cluster.values()) {
    for (const { text } of urls) {
      if (seen.has(text)) return true;
      seen.add(text);
    }
  }
  return false;
}

/**
 * `--initial-advertise-peer-urls` must be what the list says about oneself. Host names count as they are written. The
 * second message names what is advertised where one expects the list: so does etcd.
 */
function checkAdvertised(flags: FoundingFlags, listed: readonly string[]): void {
  const advertised = urlTexts(flags.advertisePeerUrls);
  const difference = urlsDifference(advertised, listed);
  if (difference === null) return;
  const onlyListed = listed.filter((url) => !advertised.includes(url));
  if (onlyListed.length > 0) {
    const named = onlyListed.map((url) => `${flags.name}=${url}`).join(',');
    throw new StartError(
      `--initial-cluster has ${named} but missing from --initial-advertise-peer-urls=${advertised.join(',')} (${difference})`,
    );
  }
  const own = advertised.map((url) => `${flags.name}=${url}`).join(',');
  const onlyAdvertised = advertised.filter((url) => !listed.includes(url));
  if (onlyAdvertised.length > 0) {
    throw new StartError(
      `--initial-advertise-peer-urls has ${onlyAdvertised.join(',')} but missing from --initial-cluster=${own}`,
    );
  }
  throw new StartError(`failed to resolve ${advertised.join(',')} to match --initial-cluster=${own} (${difference})`);
}

/** How two sorted lists differ, in Go's words; null when they do not. */
export function urlsDifference(a: readonly string[], b: readonly string[]): string | null {
  const list = (urls: readonly string[]): string => `[${urls.map(goQuote).join(' ')}]`;
  if (a.length !== b.length) return `len(${list(a)}) != len(${list(b)})`;
  const at = a.findIndex((url, i) => url !== b[i]);
  return at < 0 ? null : `resolved urls: ${goQuote(a[at]!)} != ${goQuote(b[at]!)}`;
}
