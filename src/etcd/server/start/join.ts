import type { Member } from '../../../api/etcd/cluster.ts';
import { shortId } from '../../../api/etcd/ids.ts';
import type { Task } from '../../../platform/task.ts';
import type { Behaviour } from '../../behaviour.ts';
import type { ServerConfig } from '../config/config.ts';
import { urlTexts } from '../config/urls.ts';
import type { PeerAccess } from '../peers/endpoint.ts';
import { compareVersions } from '../versions.ts';
import { StartError } from './errors.ts';
import { checkFounding, foundingMembers, urlsDifference } from './founding.ts';
import { fetchCluster, fetchVersions, type RemoteCluster } from './remote.ts';

/** How long one peer URL may take to describe the cluster. */
const FETCH_US = 10_000_000;

/** Who this member is in the cluster that it joins. */
export interface Joined {
  readonly clusterId: string;
  readonly memberId: string;
  readonly members: readonly Member[];
}

/** Finds out which cluster this member joins, and checks that it was added there before (reference/etcd.md B6.1). */
export function* joinExisting(config: ServerConfig, behaviour: Behaviour, access: PeerAccess): Task<Joined> {
  checkFounding(config, false);
  const local = foundingMembers(config);
  const urls = otherPeerUrls(config);
  const remote = yield* fetchCluster(access, urls, FETCH_US);
  if (remote === null) {
    throw new StartError(
      'cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs',
    );
  }
  const assigned = assignIds(local, remote);
  yield* checkVersions(behaviour, access, remote);
  if (remote.members.filter((member) => member.isLearner).length > config.maxLearners) {
    throw new StartError('membership: too many learner members in cluster');
  }
  const self = assigned.get(config.name)!;
  return { clusterId: remote.clusterId, memberId: self, members: remote.members };
}

/** Peer URLs of everybody else on the list, in order. */
export function otherPeerUrls(config: ServerConfig): readonly string[] {
  const urls: string[] = [];
  for (const [name, own] of config.initialCluster) if (name !== config.name) urls.push(...urlTexts(own));
  return urls.sort();
}

/** Matches the list of the command line with the cluster's members by their peer URLs; ids by name. */
function assignIds(local: readonly Member[], remote: RemoteCluster): ReadonlyMap<string, string> {
  const fail = (why: string): never => {
    const members = remote.members.map((member) => describe(member)).join(' ');
    throw new StartError(
      `error validating peerURLs {ClusterID:${shortId(remote.clusterId)} Members:[${members}] RemovedMemberIDs:[]}: ${why}`,
    );
  };
  if (local.length !== remote.members.length) fail('member count is unequal');
  const ids = new Map<string, string>();
  for (const member of remote.members) {
    const wanted = [...member.peerUrls].sort();
    let difference: string | null = null;
    const own = local.find((other) => {
      difference = urlsDifference(wanted, other.peerUrls);
      return difference === null;
    });
    if (own !== undefined) ids.set(own.name, member.id);
    else {
      const known = `${shortId(member.id)}, [${member.peerUrls.join(' ')}]`;
      fail(`PeerURLs: no match found for existing member (${known}), last resolver error (${difference ?? '<nil>'})`);
    }
  }
  return ids;
}

/** A member as Go prints it. */
function describe({ id, name, peerUrls, clientUrls, isLearner }: Member): string {
  const raft = `RaftAttributes:{PeerURLs:[${peerUrls.join(' ')}] IsLearner:${isLearner}}`;
  return `&{ID:${shortId(id)} ${raft} Attributes:{Name:${name} ClientURLs:[${clientUrls.join(' ')}]}}`;
}

/** At least one member must answer, and no cluster version may be beyond what this release serves. */
function* checkVersions(behaviour: Behaviour, access: PeerAccess, remote: RemoteCluster): Task<void> {
  const versions = yield* fetchVersions(access, remote.members, FETCH_US);
  const fits = versions.every(
    ({ cluster }) => cluster === 'not_decided' || compareVersions(cluster, behaviour.clusterVersion) <= 0,
  );
  if (versions.length === 0 || !fits) throw new StartError('incompatible with current running cluster');
}
