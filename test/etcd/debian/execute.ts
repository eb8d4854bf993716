import type { Event } from '../../../src/api/etcd/kv.ts';
import { AlarmAction } from '../../../src/api/etcd/maintenance.ts';
import { LeaseService, MaintenanceService } from '../../../src/api/etcd/services.ts';
import { WatchFilter } from '../../../src/api/etcd/watch.ts';
import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import { toHex } from '../../../src/platform/bytes.ts';
import { END } from '../../../src/platform/channel.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import type { Operation, WatchedRange } from './operations.ts';

/** What an operation gave, in a form that two servers can be compared by: ids of cluster and member are left out. */
export function execute(client: EtcdClient, endpoint: string, operation: Operation, revision: number): Task<unknown> {
  return outcome(() => call(client, endpoint, operation, revision));
}

/** What a task gave, or the error that it ended with, in that form. */
export function* outcome(body: () => Task<unknown>): Task<unknown> {
  try {
    return plain(yield* body());
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { status: error.status, message: error.message };
  }
}

function call(client: EtcdClient, endpoint: string, operation: Operation, revision: number): Task<unknown> {
  switch (operation.kind) {
    case 'put':
      return client.put(operation.request);
    case 'range':
      return client.range(operation.request);
    case 'delete':
      return client.deleteRange(operation.request);
    case 'txn':
      return client.txn(operation.request);
    case 'compact':
      return client.compact({ revision: revision - operation.back, physical: operation.physical });
    case 'grant':
      return client.call(LeaseService.LeaseGrant, { id: operation.id, ttl: operation.ttl }, 'once');
    case 'revoke':
      return client.leases.revoke(operation.id);
    case 'ttl':
      return client.leases.timeToLive(operation.id, true);
    case 'leases':
      return client.leases.leases();
    case 'alarm':
      return client.call(
        MaintenanceService.Alarm,
        {
          action: operation.active ? AlarmAction.Activate : AlarmAction.Deactivate,
          memberId: '0000000000000007',
          alarm: operation.alarm,
        },
        'once',
      );
    case 'watch':
      return look(client, operation.request, Math.max(1, revision - operation.back));
    case 'hash':
      return client.maintenance.hashKv(endpoint, Math.max(0, revision - operation.back));
  }
}

/** Events from a revision on up to one that is made now, and the error of a watch that is refused. */
function* look(client: EtcdClient, request: WatchedRange, startRevision: number): Task<unknown> {
  let { header } = yield* client.put({ key: request.key });
  if (request.filters.includes(WatchFilter.NoPut)) ({ header } = yield* client.deleteRange({ key: request.key }));
  const watch = client.watches.watch({ ...request, startRevision });
  const events: Event[] = [];
  try {
    while ((events.at(-1)?.kv.modRevision ?? 0) < header!.revision) {
      const update = yield* watch.receive();
      if (update === END) break;
      const { error, compactRevision } = update;
      if (error !== null) return { events, compactRevision, status: error.status, message: error.message };
      events.push(...update.events);
    }
  } finally {
    watch.cancel();
  }
  return events;
}

/** Bytes as text, headers without ids, what is in no stated order sorted, what depends on time left out. */
function plain(value: unknown, name = ''): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item));
    return name === 'keys' || name === 'leases' ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (value === null || typeof value !== 'object') return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'clusterId' || key === 'memberId' || key === 'raftTerm') continue;
    result[key] = plain(item, key);
  }
  // A lease that is alive has about as much left in both; that it is alive must agree.
  if ('grantedTtl' in result) result.ttl = (result.ttl as number) < 0 ? -1 : 'alive';
  return result;
}
