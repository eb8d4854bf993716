import { AuthService } from '../../../src/api/etcd/auth.ts';
import { NO_LEASE, PutRequest, RangeRequest, RequestOp, TxnRequest } from '../../../src/api/etcd/kv.ts';
import { KvService, LeaseService, MaintenanceService, WatchService } from '../../../src/api/etcd/services.ts';
import { WatchCreateRequest, type WatchRequest, type WatchResponse } from '../../../src/api/etcd/watch.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import { race } from '../../../src/platform/combinators.ts';
import type { CallOptions, Method, RpcChannel } from '../../../src/platform/rpc.ts';
import type { Task } from '../../../src/platform/task.ts';
import { rawMethod } from '../../../src/rpc/raw.ts';
import type { RunningServer } from './servers.ts';

/** What lies at the limits of the protocol: a call, by what it is about. */
export type Edges = Readonly<Record<string, (server: RunningServer) => Task<unknown>>>;

const KEY = utf8Encode('edge');
const READY: CallOptions = { waitForReady: true, timeoutUs: 10_000_000 };
const MAX_REQUEST_BYTES = 1_572_864;
/** A watch stream that says nothing for so long has said what it had to say. */
const QUIET_US = 300_000;
const NO_REQUEST: WatchRequest = { createRequest: null, cancelRequest: null, progressRequest: null };

function call<Req, Res>(method: Method<Req, Res>, request: Req, options: CallOptions = READY) {
  return ({ client }: RunningServer): Task<unknown> => client.channel.unary(method, request, options);
}

function puts(count: number): RequestOp[] {
  return Array.from({ length: count }, (_, i) =>
    RequestOp.of({ requestPut: PutRequest.of({ key: utf8Encode(`edge${i}`) }) }),
  );
}

const txn = (request: Partial<TxnRequest>) => call(KvService.Txn, TxnRequest.of(request));
const nested = (inner: Partial<TxnRequest>): RequestOp => RequestOp.of({ requestTxn: TxnRequest.of(inner) });
const put = (sizeBytes: number) =>
  call(KvService.Put, PutRequest.of({ key: KEY, value: new Uint8Array(sizeBytes) }), READY);

/** Unary calls. */
export const CALLS: Edges = {
  'as many operations as may be': txn({ success: puts(128) }),
  'one operation too many': txn({ success: puts(129) }),
  'too many in the other branch': txn({ failure: puts(129) }),
  'operations inside count for what is left': txn({ success: [...puts(100), nested({ success: puts(28) })] }),
  'too many inside': txn({ success: [...puts(100), nested({ success: puts(29) })] }),
  'no operation and no condition': txn({}),
  'an operation that is none': txn({ success: [RequestOp.of({})] }),
  'a request that just fits': put(MAX_REQUEST_BYTES - 100),
  'a request that does not': put(MAX_REQUEST_BYTES),
  'a value of half a MiB more': put(MAX_REQUEST_BYTES + 500_000),
  'a negative limit': call(KvService.Range, RangeRequest.of({ key: KEY, limit: -1 })),
  'a negative revision': call(KvService.Range, RangeRequest.of({ key: KEY, revision: -5 })),
  'an end below the key': call(KvService.Range, RangeRequest.of({ key: KEY, rangeEnd: utf8Encode('a') })),
  'compaction of a negative revision': call(KvService.Compact, { revision: -1, physical: false }),
  'compaction of the future': call(KvService.Compact, { revision: 1_000_000_000, physical: true }),
  'a lease without time': call(LeaseService.LeaseGrant, { ttl: 0, id: '00000000000000e1' }),
  'a lease of negative time': call(LeaseService.LeaseGrant, { ttl: -7, id: '00000000000000e2' }),
  'a lease of one second': call(LeaseService.LeaseGrant, { ttl: 1, id: '00000000000000e3' }),
  'a lease that exists': call(LeaseService.LeaseGrant, { ttl: 100, id: '00000000000000e3' }),
  'a lease of too much time': call(LeaseService.LeaseGrant, { ttl: 9_000_000_001, id: '00000000000000e4' }),
  'no lease to revoke': call(LeaseService.LeaseRevoke, { id: '00000000000000ee' }),
  'no lease at all': call(LeaseService.LeaseTimeToLive, { id: NO_LEASE, keys: true }),
  'moving to nobody': call(MaintenanceService.MoveLeader, { targetId: '00000000000000ee' }),
  'a hash of the future': call(MaintenanceService.HashKV, { revision: 1_000_000_000 }),
  'a password where there are none': call(AuthService.Authenticate, { name: 'a', password: 'b' }),
  'a method that there is not': ({ client }) => first(client.channel, '/etcdserverpb.KV/Nonsense'),
  'a service that there is not': ({ client }) => first(client.channel, '/nonsense.KV/Range'),
  'a leader is wanted, and there': call(KvService.Range, RangeRequest.of({ key: KEY, countOnly: true }), {
    ...READY,
    metadata: { hasleader: 'true' },
  }),
  'a renewal of no lease': (server) => talk(server, LeaseService.LeaseKeepAlive, [{ id: '00000000000000ee' }], true),
};

/** The answer to a call of any method without a message. */
function* first(channel: RpcChannel, path: string): Task<unknown> {
  const stream = channel.stream(rawMethod(path), READY);
  stream.send(new Uint8Array(0));
  stream.closeSend();
  return yield* stream.receive();
}

/** What comes back on a stream until the server has no more to say, or says nothing for a while. */
function* talk<Req, Res>(
  server: RunningServer,
  method: Method<Req, Res>,
  requests: readonly Req[],
  isEnd: boolean,
): Task<Res[]> {
  const stream = server.client.channel.stream(method, READY);
  const answers: Res[] = [];
  for (const request of requests) stream.send(request);
  if (isEnd) stream.closeSend();
  try {
    for (;;) {
      const quiet = server.client.ports.clock.sleep(isEnd ? 5_000_000 : QUIET_US) as Task<undefined>;
      const next = yield* race<Res | undefined>({ next: stream.receive(), quiet });
      if (next === undefined) return answers;
      answers.push(next);
    }
  } finally {
    stream.cancel();
  }
}

/** A watch stream with these requests; its answers by watch, for watches are served in no order. */
function watching(...requests: readonly Partial<WatchRequest>[]) {
  return function* (server: RunningServer): Task<unknown> {
    const whole = requests.map((request) => ({ ...NO_REQUEST, ...request }));
    const answers = yield* talk<WatchRequest, WatchResponse>(server, WatchService.Watch, whole, false);
    return answers.sort((a, b) => a.watchId - b.watchId);
  };
}

const create = (request: Partial<WatchCreateRequest> = {}): Partial<WatchRequest> => ({
  createRequest: WatchCreateRequest.of({ key: KEY, ...request }),
});
const cancel = (watchId: number): Partial<WatchRequest> => ({ cancelRequest: { watchId } });
const PROGRESS: Partial<WatchRequest> = { progressRequest: {} };

/** Watch streams. */
export const WATCHES: Edges = {
  'ids in a row': watching(create(), create(), create()),
  'an id of its own, and those around it': watching(create({ watchId: 1 }), create(), create()),
  'an id that is taken': watching(create({ watchId: 5 }), create({ watchId: 5 }), create()),
  'an id below nothing': watching(create({ watchId: -3 }), create()),
  'a beginning below nothing': watching(create({ startRevision: -1 })),
  'a beginning that was compacted': watching(create({ startRevision: 1, key: utf8Encode('a') })),
  'a beginning in the future': watching(create({ startRevision: 1_000_000 })),
  'no key': watching(create({ key: new Uint8Array(0) })),
  'an empty range': watching(create({ rangeEnd: utf8Encode('a') }), create()),
  'a range from a key to itself': watching(create({ rangeEnd: KEY })),
  'nothing to cancel': watching(cancel(77), create()),
  'a watch that is cancelled, twice': watching(create(), cancel(0), cancel(0), create()),
  'progress of all': watching(create(), create(), PROGRESS),
  'every filter': watching(create({ filters: [0, 1], startRevision: 1_000_000 })),
  'a request that is none': watching({}, create()),
};
