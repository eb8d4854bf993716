import { LeaseService } from '../../../src/api/etcd/services.ts';
import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import { toHex } from '../../../src/platform/bytes.ts';
import { RpcError } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import type { Operation } from './operations.ts';

/** What an operation gave, in a form that two servers can be compared by: ids of cluster and member are left out. */
export function* execute(client: EtcdClient, endpoint: string, operation: Operation, revision: number): Task<unknown> {
  try {
    return plain(yield* call(client, endpoint, operation, revision));
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
    case 'hash':
      return client.maintenance.hashKv(endpoint, Math.max(0, revision - operation.back));
  }
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
