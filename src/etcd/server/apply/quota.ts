import type { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { PutRequest, RequestOp, TxnRequest } from '../../../api/etcd/kv.ts';

/** What a lease takes in the database. */
const LEASE_BYTES = 64;
/** What a key takes beside its key and value. */
const KEY_BYTES = 256;

/** How much space a request may take, for the quota check (reference/etcd.md C7). Requests that cost nothing always pass. */
export function costBytes(request: Partial<InternalRaftRequest>, countsNested: boolean): number {
  const { put, txn, leaseGrant } = request;
  if (put) return putCostBytes(put);
  if (txn) return txnCostBytes(txn, countsNested);
  return leaseGrant ? LEASE_BYTES : 0;
}

export function putCostBytes(put: PutRequest): number {
  return KEY_BYTES + put.key.length + put.value.length;
}

/** The dearer branch. Whether transactions inside count depends on the version: older servers forget them. */
export function txnCostBytes(txn: TxnRequest, countsNested: boolean): number {
  return Math.max(opsCostBytes(txn.success, countsNested), opsCostBytes(txn.failure, countsNested));
}

function opsCostBytes(ops: readonly RequestOp[], countsNested: boolean): number {
  let cost = 0;
  for (const op of ops) {
    if (op.requestPut !== null) cost += putCostBytes(op.requestPut);
    else if (op.requestTxn !== null && countsNested) cost += txnCostBytes(op.requestTxn, countsNested);
  }
  return cost;
}
