import type { Member } from '../../src/api/etcd/cluster.ts';
import {
  type KeyValue,
  NO_LEASE,
  PutRequest,
  type PutResponse,
  RangeRequest,
  type RangeResponse,
} from '../../src/api/etcd/kv.ts';
import type { StatusResponse } from '../../src/api/etcd/maintenance.ts';
import { ClusterService, KvService, MaintenanceService } from '../../src/api/etcd/services.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { type CallOptions, type RpcChannel, RpcError } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import type { Node, SimCluster } from './sim-cluster.ts';

export const READY: CallOptions = { waitForReady: true, timeoutUs: 10_000_000 };

export function put(
  channel: RpcChannel,
  key: string,
  value: string,
  more: Partial<PutRequest> = {},
  timeoutUs = 10_000_000,
): Task<PutResponse> {
  const request = PutRequest.of({ key: utf8Encode(key), value: utf8Encode(value), lease: NO_LEASE, ...more });
  return channel.unary(KvService.Put, request, { waitForReady: true, timeoutUs });
}

export function range(channel: RpcChannel, key: string, more: Partial<RangeRequest> = {}): Task<RangeResponse> {
  return channel.unary(KvService.Range, RangeRequest.of({ key: utf8Encode(key), ...more }), READY);
}

/** The value of a key, or undefined. */
export function* get(channel: RpcChannel, key: string, more: Partial<RangeRequest> = {}): Task<string | undefined> {
  const { kvs } = yield* range(channel, key, more);
  return kvs[0] === undefined ? undefined : text(kvs[0]);
}

export function text(kv: KeyValue): string {
  return utf8Decode(kv.value);
}

export function status(channel: RpcChannel): Task<StatusResponse> {
  return channel.unary(MaintenanceService.Status, {}, READY);
}

export function* members(channel: RpcChannel): Task<readonly Member[]> {
  return (yield* channel.unary(ClusterService.MemberList, { linearizable: true }, READY)).members;
}

/** The node that leads, found by asking each. */
export function leaderOf(cluster: SimCluster): Node {
  for (const node of cluster.nodes) {
    if (node.process === undefined || node.process.exit.isSet) continue;
    const channel = cluster.channel(node);
    const answer = cluster.run(() => status(channel));
    channel.close();
    if (answer.leader === answer.header!.memberId) return node;
  }
  throw new Error('nobody leads');
}

export function others(cluster: SimCluster, node: Node): Node[] {
  return cluster.nodes.filter((other) => other !== node && other.process !== undefined);
}

/** The text of the RpcError that a task ends with. */
export function* refusal(task: Task<unknown>): Task<string> {
  try {
    yield* task;
  } catch (error) {
    if (error instanceof RpcError) return `${error.status}: ${error.message}`;
    throw error;
  }
  return 'OK';
}

/** Tries again at once until it succeeds. */
export function* untilOk<T>(attempt: () => Task<T>): Task<T> {
  for (;;) {
    try {
      return yield* attempt();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
}
