import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  EventType,
  type KeyValue,
  PutRequest,
  RangeRequest,
  RequestOp,
  SortOrder,
  SortTarget,
} from '../../api/etcd/kv.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import { END } from '../../platform/channel.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient } from './client.ts';

/** Building blocks of the recipes (reference/etcd.md A10). */

/** The condition that a key has this create revision; 0: that it does not exist. */
export function createdAt(key: string, revision: number): Compare {
  return Compare.of({
    key: utf8Encode(key),
    target: CompareTarget.Create,
    result: CompareResult.Equal,
    createRevision: revision,
  });
}

export function putOp(request: Partial<PutRequest>): RequestOp {
  return RequestOp.of({ requestPut: PutRequest.of(request) });
}

export function rangeOp(request: Partial<RangeRequest>): RequestOp {
  return RequestOp.of({ requestRange: RangeRequest.of(request) });
}

export function deleteOp(request: Partial<DeleteRangeRequest>): RequestOp {
  return RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of(request) });
}

/** First under a prefix by creation. */
export function firstCreated(prefix: string): Partial<RangeRequest> {
  return {
    ...keysUnder(prefix),
    sortOrder: SortOrder.Ascend,
    sortTarget: SortTarget.Create,
    limit: 1,
  };
}

export function keysUnder(prefix: string): { readonly key: Uint8Array; readonly rangeEnd: Uint8Array } {
  const key = utf8Encode(prefix);
  const rangeEnd = key.slice();
  rangeEnd[rangeEnd.length - 1] = rangeEnd[rangeEnd.length - 1]! + 1;
  return { key, rangeEnd };
}

/** Waits until no key under the prefix was created at or before `maxCreateRevision`. */
export function* waitDeletes(client: EtcdClient, prefix: string, maxCreateRevision: number): Task<void> {
  for (;;) {
    const { kvs, header } = yield* client.range({
      ...keysUnder(prefix),
      sortOrder: SortOrder.Descend,
      sortTarget: SortTarget.Create,
      limit: 1,
      maxCreateRevision,
    });
    const last = kvs[0];
    if (last === undefined) return;
    yield* waitDelete(client, last, header!.revision);
  }
}

/** Waits until a key is deleted, looking at what happened from `revision` on. */
function* waitDelete(client: EtcdClient, kv: KeyValue, revision: number): Task<void> {
  const watch = client.watches.watch({ key: kv.key, startRevision: revision });
  try {
    for (;;) {
      const update = yield* watch.receive();
      if (update === END) throw new Error('lost watcher waiting for delete');
      if (update.error !== null) throw update.error;
      if (update.events.some((event) => event.type === EventType.Delete)) return;
    }
  } finally {
    watch.cancel();
  }
}
