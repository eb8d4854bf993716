import type { Member } from '../../../api/etcd/cluster.ts';
import { NetError } from '../../../platform/errors.ts';
import { type Rpc, RpcError, type TlsClient } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { endpointOf } from '../peers/endpoint.ts';
import { PeerService } from '../peers/service.ts';

/** How to reach the peers of a cluster before one belongs to it. */
export interface RemoteAccess {
  readonly rpc: Rpc;
  readonly tls: TlsClient | undefined;
}

/** A cluster as one of its members describes it. */
export interface RemoteCluster {
  readonly clusterId: string;
  readonly members: readonly Member[];
}

/** Asks peer URLs one after the other, each at most `timeoutUs`, until one describes its cluster; null when none does. */
export function* fetchCluster(
  access: RemoteAccess,
  urls: readonly string[],
  timeoutUs: number,
): Task<RemoteCluster | null> {
  for (const url of urls) {
    const answer = yield* ask(access, url, timeoutUs);
    if (answer !== null) return answer;
  }
  return null;
}

function* ask(access: RemoteAccess, url: string, timeoutUs: number): Task<RemoteCluster | null> {
  const endpoint = endpointOf(url);
  if (endpoint === null) return null;
  const tls = url.startsWith('https:') && access.tls !== undefined ? { tls: access.tls } : {};
  const channel = access.rpc.channel([endpoint], { connectTimeoutUs: timeoutUs, ...tls });
  try {
    return yield* channel.unary(PeerService.Members, {}, { timeoutUs });
  } catch (error) {
    if (error instanceof RpcError || error instanceof NetError) return null;
    throw error;
  } finally {
    channel.close();
  }
}

/** Versions of the members that answer, as `server` and `cluster`. */
export function* fetchVersions(
  access: RemoteAccess,
  members: readonly Member[],
  timeoutUs: number,
): Task<readonly { readonly server: string; readonly cluster: string }[]> {
  const versions: { readonly server: string; readonly cluster: string }[] = [];
  for (const member of members) {
    for (const url of member.peerUrls) {
      const endpoint = endpointOf(url);
      if (endpoint === null) continue;
      const tls = url.startsWith('https:') && access.tls !== undefined ? { tls: access.tls } : {};
      const channel = access.rpc.channel([endpoint], { connectTimeoutUs: timeoutUs, ...tls });
      try {
        versions.push(yield* channel.unary(PeerService.Version, {}, { timeoutUs }));
        break;
      } catch (error) {
        if (!(error instanceof RpcError || error instanceof NetError)) throw error;
      } finally {
        channel.close();
      }
    }
  }
  return versions;
}
