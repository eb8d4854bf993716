import type { Member } from '../../../api/etcd/cluster.ts';
import type { EmptyMessage } from '../../../api/etcd/kv.ts';
import { NetError } from '../../../platform/errors.ts';
import { type Method, RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { type PeerAccess, peerChannel } from '../peers/endpoint.ts';
import { PeerService } from '../peers/service.ts';

/** A cluster as one of its members describes it. */
export interface RemoteCluster {
  readonly clusterId: string;
  readonly members: readonly Member[];
}

/** Asks peer URLs one after the other, each at most `timeoutUs`, until one describes its cluster; null when none does. */
export function* fetchCluster(
  access: PeerAccess,
  urls: readonly string[],
  timeoutUs: number,
): Task<RemoteCluster | null> {
  for (const url of urls) {
    const answer = yield* call(access, url, PeerService.Members, timeoutUs);
    if (answer !== null) return answer;
  }
  return null;
}

/** Versions of the members that answer, as `server` and `cluster`. */
export function* fetchVersions(
  access: PeerAccess,
  members: readonly Member[],
  timeoutUs: number,
): Task<readonly { readonly server: string; readonly cluster: string }[]> {
  const versions: { readonly server: string; readonly cluster: string }[] = [];
  for (const member of members) {
    for (const url of member.peerUrls) {
      const version = yield* call(access, url, PeerService.Version, timeoutUs);
      if (version === null) continue;
      versions.push(version);
      break;
    }
  }
  return versions;
}

/** One question to one URL; null when nobody answers it. */
function* call<Res>(
  access: PeerAccess,
  url: string,
  method: Method<EmptyMessage, Res>,
  timeoutUs: number,
): Task<Res | null> {
  const channel = peerChannel(access, [url], { connectTimeoutUs: timeoutUs });
  if (channel === null) return null;
  try {
    return yield* channel.unary(method, {}, { timeoutUs });
  } catch (error) {
    if (error instanceof RpcError || error instanceof NetError) return null;
    throw error;
  } finally {
    channel.close();
  }
}
