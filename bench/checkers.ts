import { NO_LEASE, PutRequest, RangeRequest, type ResponseHeader } from '../src/api/etcd/kv.ts';
import { executeRange } from '../src/etcd/server/apply/range.ts';
import { ClientOperations } from '../src/lab/checkers/etcd/client-operations.ts';
import { CommitOrder } from '../src/lab/checkers/etcd/commit-order.ts';
import { utf8Encode } from '../src/platform/bytes.ts';
import { Replica, requestOf } from '../test/etcd/storm/replica.ts';
import type { Figure } from './figure.ts';
import { processorMs } from './processor-time.ts';

const OPERATIONS = 1_000_000;
const CONCURRENT = 64;
const KEYS = 20_000;
const VALUE = new Uint8Array(64).fill(120);

/** What a checker costs alone: a million operations, half writes, of many clients at once, applied by three members. */
export function benchCheckers(): Figure[] {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  let found = 0;
  const order = new CommitOrder(
    () => found++,
    () => 0,
  );
  const operations = new ClientOperations(order, () => found++);
  const replica = new Replica('000000000000000a', () => {});
  let checkMs = 0;
  let peakBytes = 0;
  for (let at = 0; at < OPERATIONS; at += CONCURRENT) {
    const batch = Array.from({ length: CONCURRENT }, (_, i) => prepare(at + i));
    const results = batch.map(({ entry, put, range }, i) =>
      put === undefined ? executeRange(replica.state.store, range!) : replica.apply(at + i + 1, entry!),
    );
    replica.state.pending.clear();
    checkMs += processorMs(() => {
      const begun = batch.map(() => operations.begin());
      for (const member of ['a', 'b', 'c']) {
        batch.forEach(({ entry }, i) => {
          if (entry !== undefined) order.applied(member, at + i + 1, 1, entry, results[i]!);
        });
      }
      // The store answered reads at once: they are older than what began with them, as serializable ones may be.
      batch.forEach(({ put, range }, i) => {
        const request = put === undefined ? { range: range! } : { put };
        operations.returned(begun[i]!, request, results[i] as { readonly header: ResponseHeader | null });
      });
    });
    if (at % 64_000 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage().heapUsed);
  }
  if (found > 0) throw new Error(`the checkers complain ${found} times about a store that is right`);
  return [
    { name: 'time to check 1,000,000 operations', value: Math.round(checkMs), unit: 'ms' },
    {
      name: 'heap with store and checkers, 1,000,000 operations',
      value: Math.round(peakBytes / 1_048_576),
      unit: 'MiB',
    },
  ];
}

function prepare(i: number): {
  readonly entry?: ReturnType<typeof requestOf>;
  readonly put?: PutRequest;
  readonly range?: RangeRequest;
} {
  const key = utf8Encode(`key-${i % KEYS}`);
  if (i % 2 === 1) return { range: RangeRequest.of({ key, serializable: true }) };
  const put = PutRequest.of({ key, value: VALUE, lease: NO_LEASE });
  return { put, entry: requestOf(i + 1, { put }) };
}
