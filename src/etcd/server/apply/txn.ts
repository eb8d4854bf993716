import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import {
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  NO_LEASE,
  type PutRequest,
  type PutResponse,
  type RequestOp,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../../../api/etcd/kv.ts';
import { invariant } from '../../../platform/errors.ts';
import type { Lessor } from '../lease/lessor.ts';
import { keyOf, keyRange } from '../mvcc/keys.ts';
import type { MvccStore } from '../mvcc/store.ts';
import { holds } from './compare.ts';
import { executeRange, revisionError, revisionHeader } from './range.ts';

/** What write operations work on. */
export interface WriteContext {
  readonly store: MvccStore;
  readonly lessor: Lessor;
}

export function isError(result: object): result is EtcdErrorKind {
  return 'status' in result && 'message' in result;
}

const NO_OP: ResponseOp = Object.freeze({
  responseRange: null,
  responsePut: null,
  responseDeleteRange: null,
  responseTxn: null,
});

/** Checks a put against the state before its transaction (reference/etcd.md A4). */
export function checkPut(context: WriteContext, put: PutRequest): EtcdErrorKind | null {
  if (put.lease !== NO_LEASE && context.lessor.get(put.lease) === undefined) return EtcdError.LeaseNotFound;
  if ((put.ignoreValue || put.ignoreLease) && context.store.latest(keyOf(put.key)) === null) {
    return EtcdError.KeyNotFound;
  }
  return null;
}

/** A put within the running write transaction; it was checked before. */
export function executePut(context: WriteContext, put: PutRequest): PutResponse {
  const { store } = context;
  const key = keyOf(put.key);
  let value = put.value;
  let lease = put.lease;
  if (put.ignoreValue || put.ignoreLease) {
    const current = store.latest(key);
    invariant(current !== null, 'a put that keeps parts of its key was not checked');
    if (put.ignoreValue) value = current.value;
    if (put.ignoreLease) lease = current.lease;
  }
  const previous = store.put(key, put.key, value, lease);
  return { header: revisionHeader(store.readRevision), prevKv: put.prevKv ? previous : null };
}

/** A delete within the running write transaction. */
export function executeDelete(context: WriteContext, request: DeleteRangeRequest): DeleteRangeResponse {
  const removed = context.store.deleteRange(keyRange(request.key, request.rangeEnd));
  return {
    header: revisionHeader(context.store.readRevision),
    deleted: removed.length,
    prevKvs: request.prevKv ? removed : [],
  };
}

/** The branch that a transaction takes, with those of the transactions inside it. */
interface Path {
  readonly succeeded: boolean;
  readonly ops: readonly RequestOp[];
  /** For each op that is a transaction, its path; else null. */
  readonly inner: readonly (Path | null)[];
}

/** Evaluates all conditions along the way before anything runs (A6). */
function choosePath(store: MvccStore, txn: TxnRequest): Path {
  const succeeded = txn.compare.every((compare) => holds(store, compare));
  const ops = succeeded ? txn.success : txn.failure;
  return { succeeded, ops, inner: ops.map((op) => (op.requestTxn === null ? null : choosePath(store, op.requestTxn))) };
}

/** Refuses a chosen path that could fail half-way: all checks run against the state at the beginning. */
function checkPath(context: WriteContext, path: Path): EtcdErrorKind | null {
  for (const [i, op] of path.ops.entries()) {
    let refused: EtcdErrorKind | null = null;
    if (op.requestRange !== null && op.requestRange.revision > 0) {
      const error = context.store.checkRevision(op.requestRange.revision);
      refused = error === null ? null : revisionError(error);
    } else if (op.requestPut !== null) refused = checkPut(context, op.requestPut);
    else if (path.inner[i] !== null) refused = checkPath(context, path.inner[i]!);
    if (refused !== null) return refused;
  }
  return null;
}

/**
 * Runs a transaction. With `writes` it happens inside the store's running write transaction and its changes share one
 * main revision; without, it must hold reads only.
 */
export function executeTxn(context: WriteContext, txn: TxnRequest): TxnResponse | EtcdErrorKind {
  const path = choosePath(context.store, txn);
  return checkPath(context, path) ?? runPath(context, path);
}

function runPath(context: WriteContext, path: Path): TxnResponse {
  const responses = path.ops.map((op, i) => runOp(context, op, path.inner[i]!));
  return { header: revisionHeader(context.store.readRevision), succeeded: path.succeeded, responses };
}

function runOp(context: WriteContext, op: RequestOp, inner: Path | null): ResponseOp {
  if (op.requestRange !== null) {
    const answer = executeRange(context.store, op.requestRange);
    invariant(!isError(answer), 'a range inside a transaction was not checked');
    return { ...NO_OP, responseRange: answer };
  }
  if (op.requestPut !== null) return { ...NO_OP, responsePut: executePut(context, op.requestPut) };
  if (op.requestDeleteRange !== null) {
    return { ...NO_OP, responseDeleteRange: executeDelete(context, op.requestDeleteRange) };
  }
  return inner === null ? NO_OP : { ...NO_OP, responseTxn: runPath(context, inner) };
}

/** True when both branches hold nothing but plain ranges: such a transaction never goes through Raft. */
export function isReadOnlyTxn(txn: TxnRequest): boolean {
  return [...txn.success, ...txn.failure].every((op) => op.requestRange !== null);
}

/** True when no range of either branch asks for a linearizable answer; also when there is none at all. */
export function isSerializableTxn(txn: TxnRequest): boolean {
  return [...txn.success, ...txn.failure].every((op) => op.requestRange === null || op.requestRange.serializable);
}
