import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  type Event,
  EventType,
  NO_BYTES,
  PutRequest,
  RangeRequest,
  RequestOp,
  TxnRequest,
  type TxnResponse,
} from '../../api/etcd/kv.ts';
import { REQUIRE_LEADER } from '../../api/etcd/metadata.ts';
import { prefixEnd } from '../../api/etcd/ranges.ts';
import { KvService, WatchService } from '../../api/etcd/services.ts';
import { WatchCreateRequest, WatchRequest, type WatchResponse } from '../../api/etcd/watch.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { type RpcChannel, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { KubeError } from '../objects/errors.ts';
import type { StoredValue } from '../objects/stored.ts';
import type { Backend, StoredChange, WriteOutcome } from './backend.ts';

/** Longest etcd call of one request (the API server's request timeout). */
const CALL_TIMEOUT_US = 34_000_000;

/** Objects in etcd through its gRPC API: quorum reads, compare-and-swap writes, one watch per prefix. */
export class EtcdBackend implements Backend {
  readonly #channel: RpcChannel;

  constructor(channel: RpcChannel) {
    this.#channel = channel;
  }

  *get(key: string): Task<{ readonly found: StoredValue | undefined; readonly revision: number }> {
    const response = yield* this.#guarded(
      this.#channel.unary(KvService.Range, RangeRequest.of({ key: utf8Encode(key) }), { timeoutUs: CALL_TIMEOUT_US }),
    );
    const kv = response.kvs[0];
    return {
      found: kv === undefined ? undefined : { key, value: kv.value, modRevision: kv.modRevision },
      revision: response.header?.revision ?? 0,
    };
  }

  *list(prefix: string): Task<{ readonly items: readonly StoredValue[]; readonly revision: number }> {
    const key = utf8Encode(prefix);
    const response = yield* this.#guarded(
      this.#channel.unary(KvService.Range, RangeRequest.of({ key, rangeEnd: prefixEnd(key) }), {
        timeoutUs: CALL_TIMEOUT_US,
      }),
    );
    const items = response.kvs.map((kv) => ({ key: utf8Decode(kv.key), value: kv.value, modRevision: kv.modRevision }));
    return { items, revision: response.header?.revision ?? 0 };
  }

  *create(key: string, value: Uint8Array): Task<number | undefined> {
    const bytes = utf8Encode(key);
    const put = RequestOp.of({ requestPut: PutRequest.of({ key: bytes, value }) });
    const response = yield* this.#ifUnchanged(bytes, 0, put, []);
    return response.succeeded ? (response.header?.revision ?? 0) : undefined;
  }

  *put(key: string, value: Uint8Array, expected: number): Task<WriteOutcome> {
    const bytes = utf8Encode(key);
    const put = RequestOp.of({ requestPut: PutRequest.of({ key: bytes, value }) });
    return yield* this.#orCurrent(key, bytes, expected, put);
  }

  *remove(key: string, expected: number): Task<WriteOutcome> {
    const bytes = utf8Encode(key);
    const remove = RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of({ key: bytes }) });
    return yield* this.#orCurrent(key, bytes, expected, remove);
  }

  /** A transaction that fails answers what stands there, so that a second attempt needs no read of its own. */
  *#orCurrent(key: string, bytes: Uint8Array, expected: number, operation: RequestOp): Task<WriteOutcome> {
    const get = RequestOp.of({ requestRange: RangeRequest.of({ key: bytes }) });
    const response = yield* this.#ifUnchanged(bytes, expected, operation, [get]);
    if (response.succeeded) return { revision: response.header?.revision ?? 0 };
    const kv = response.responses[0]?.responseRange?.kvs[0];
    return { current: kv === undefined ? undefined : { key, value: kv.value, modRevision: kv.modRevision } };
  }

  *#ifUnchanged(
    key: Uint8Array,
    modRevision: number,
    operation: RequestOp,
    failure: readonly RequestOp[],
  ): Task<TxnResponse> {
    const compare = Compare.of({ key, target: CompareTarget.Mod, result: CompareResult.Equal, modRevision });
    const request = TxnRequest.of({ compare: [compare], success: [operation], failure });
    return yield* this.#guarded(this.#channel.unary(KvService.Txn, request, { timeoutUs: CALL_TIMEOUT_US }));
  }

  *watch(prefix: string, afterRevision: number, onChange: (change: StoredChange) => void): Task<void> {
    const key = utf8Encode(prefix);
    const stream = this.#channel.stream(WatchService.Watch, { metadata: REQUIRE_LEADER });
    const create = WatchCreateRequest.of({
      key,
      rangeEnd: prefixEnd(key),
      startRevision: afterRevision + 1,
      prevKv: true,
    });
    let lost = false;
    const take = (response: WatchResponse): void => {
      for (const event of response.events) onChange(changeOf(event));
      if (!response.canceled) return;
      lost = true;
      stream.cancel();
    };
    try {
      stream.send(WatchRequest.of({ createRequest: create }));
      yield* this.#guarded(stream.each(take));
    } catch (error) {
      if (!lost) throw error;
    } finally {
      stream.cancel();
    }
  }

  /** etcd's errors as the API server hands them on. */
  *#guarded<T>(task: Task<T>): Task<T> {
    try {
      return yield* task;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.status === 'DeadlineExceeded')
        throw new KubeError('Timeout', 'Timeout: request did not complete within the allotted timeout');
      throw new KubeError(
        'InternalError',
        error.status === 'Unknown' || error.status === 'Unavailable' ? error.message : error.describe(),
      );
    }
  }
}

function changeOf(event: Event): StoredChange {
  const deleted = event.type === EventType.Delete;
  return {
    key: utf8Decode(event.kv.key),
    value: deleted ? undefined : event.kv.value,
    previous: event.prevKv?.value ?? (deleted ? NO_BYTES : undefined),
    revision: event.kv.modRevision,
  };
}
