import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  type Event,
  EventType,
  type KeyValue,
  PutRequest,
  RangeRequest,
  RequestOp,
  SortOrder,
  SortTarget,
} from '../../api/etcd/kv.ts';
import { prefixEnd } from '../../api/etcd/ranges.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import { END } from '../../platform/channel.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient } from './client.ts';
import type { Watch } from './watch.ts';

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
  return { key, rangeEnd: prefixEnd(key) };
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
    yield* untilDeleted(client, last.key, header!.revision);
  }
}

/** A watch ended before what it waited for happened, because its client was closed. */
export class WatchLost extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'WatchLost';
  }
}

/** The next events of a watch; the error that ended it, or WatchLost with this text, when there are none to come. */
export function* nextEvents(watch: Watch, lost: string): Task<readonly Event[]> {
  const update = yield* watch.receive();
  if (update === END) throw new WatchLost(lost);
  if (update.error !== null) throw update.error;
  return update.events;
}

/** Waits until a key is deleted, looking at what happened from `fromRevision` on; hands out what is put until then. */
export function* untilDeleted(
  client: EtcdClient,
  key: Uint8Array,
  fromRevision: number,
  onPut?: (kv: KeyValue) => void,
): Task<void> {
  const watch = client.watches.watch({ key, startRevision: fromRevision });
  try {
    for (;;) {
      for (const event of yield* nextEvents(watch, 'lost watcher waiting for delete')) {
        if (event.type === EventType.Delete) return;
        onPut?.(event.kv);
      }
    }
  } finally {
    watch.cancel();
  }
}
