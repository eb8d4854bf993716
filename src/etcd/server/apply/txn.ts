import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import {
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  type KeyValue,
  NO_LEASE,
  type PutRequest,
  type PutResponse,
  type RequestOp,
  type ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from '../../../api/etcd/kv.ts';
import { Fatal, invariant } from '../../../platform/errors.ts';
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

/** Checks a put against the state before it: the lease first (reference/etcd.md A4). */
export function checkPut(context: WriteContext, put: PutRequest): EtcdErrorKind | null {
  return checkLease(context, put) ?? checkKept(context, put);
}

function checkLease(context: WriteContext, put: PutRequest): EtcdErrorKind | null {
  const missing = put.lease !== NO_LEASE && context.lessor.get(put.lease) === undefined;
  return missing ? EtcdError.LeaseNotFound : null;
}

/** A put that keeps value or lease needs a key that has them. */
function checkKept(context: WriteContext, put: PutRequest): EtcdErrorKind | null {
  const missing = (put.ignoreValue || put.ignoreLease) && context.store.latest(keyOf(put.key)) === null;
  return missing ? EtcdError.KeyNotFound : null;
}

/**
 * A put within the running write transaction; it was checked before. A transaction that deletes a key and then wants to
 * keep parts of it passes those checks: etcd has begun to write and panics, on every member, and again at each restart,
 * when the entry is applied anew. Returns the key as it was before.
 */
export function executePut(context: WriteContext, put: PutRequest, key: string): KeyValue | null {
  const { store } = context;
  let value = put.value;
  let lease = put.lease;
  if (put.ignoreValue || put.ignoreLease) {
    const current = store.latest(key);
    if (current === null) throw new Fatal(`unexpected error during txn with writes: ${EtcdError.KeyNotFound.message}`);
    if (put.ignoreValue) value = current.value;
    if (put.ignoreLease) lease = current.lease;
  }
  return store.put(key, put.key, value, lease);
}

/** The answer to a put that was just executed. */
export function putResponse(context: WriteContext, put: PutRequest, previous: KeyValue | null): PutResponse {
  return { header: revisionHeader(context.store.readRevision), prevKv: put.prevKv ? previous : null };
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

/** Refuses a chosen path that could fail half-way: all puts, then all ranges, against the state at the beginning. */
function checkPath(context: WriteContext, path: Path): EtcdErrorKind | null {
  const put = (op: RequestOp): EtcdErrorKind | null =>
    // Inside a transaction the real server looks in the other order.
    op.requestPut === null ? null : (checkKept(context, op.requestPut) ?? checkLease(context, op.requestPut));
  const range = (op: RequestOp): EtcdErrorKind | null => {
    if (op.requestRange === null || op.requestRange.revision <= 0) return null;
    const error = context.store.checkRevision(op.requestRange.revision);
    return error === null ? null : revisionError(error);
  };
  return checkEach(path, put) ?? checkEach(path, range);
}

function checkEach(path: Path, check: (op: RequestOp) => EtcdErrorKind | null): EtcdErrorKind | null {
  for (const [i, op] of path.ops.entries()) {
    const inner = path.inner[i]!;
    const refused = inner === null ? check(op) : checkEach(inner, check);
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
  const refused = checkPath(context, path);
  if (refused !== null) return refused;
  const response = runPath(context, path);
  return { ...response, header: revisionHeader(context.store.readRevision) };
}

/** Runs a path in order. The header of a transaction inside another one has no revision. */
function runPath(context: WriteContext, path: Path): TxnResponse {
  const responses = path.ops.map((op, i) => runOp(context, op, path.inner[i]!));
  return { header: revisionHeader(0), succeeded: path.succeeded, responses };
}

function runOp(context: WriteContext, op: RequestOp, inner: Path | null): ResponseOp {
  if (op.requestRange !== null) {
    const answer = executeRange(context.store, op.requestRange);
    invariant(!isError(answer), 'a range inside a transaction was not checked');
    return { ...NO_OP, responseRange: answer };
  }
  if (op.requestPut !== null) {
    const previous = executePut(context, op.requestPut, keyOf(op.requestPut.key));
    return { ...NO_OP, responsePut: putResponse(context, op.requestPut, previous) };
  }
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
