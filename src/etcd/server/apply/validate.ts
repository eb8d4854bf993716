import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import {
  type DeleteRangeRequest,
  NO_LEASE,
  type PutRequest,
  type RangeRequest,
  type RequestOp,
  type TxnRequest,
} from '../../../api/etcd/kv.ts';
import { keyOf } from '../mvcc/keys.ts';

/** What the API refuses before anything is proposed (reference/etcd.md A3 to A6). */

export function validateRange(request: RangeRequest): EtcdErrorKind | null {
  if (request.key.length === 0) return EtcdError.EmptyKey;
  const validSort =
    request.sortOrder >= 0 && request.sortOrder <= 2 && request.sortTarget >= 0 && request.sortTarget <= 4;
  return validSort ? null : EtcdError.InvalidSortOption;
}

export function validatePut(request: PutRequest): EtcdErrorKind | null {
  if (request.key.length === 0) return EtcdError.EmptyKey;
  if (request.ignoreValue && request.value.length > 0) return EtcdError.ValueProvided;
  return request.ignoreLease && request.lease !== NO_LEASE ? EtcdError.LeaseProvided : null;
}

export function validateDelete(request: DeleteRangeRequest): EtcdErrorKind | null {
  return request.key.length === 0 ? EtcdError.EmptyKey : null;
}

/** `maxOps`: how many operations each list may hold; what an outer list uses is not left for inner ones. */
export function validateTxn(txn: TxnRequest, maxOps: number): EtcdErrorKind | null {
  return validateOps(txn, maxOps) ?? findDuplicates(txn);
}

function validateOps(txn: TxnRequest, maxOps: number): EtcdErrorKind | null {
  const used = Math.max(txn.compare.length, txn.success.length, txn.failure.length);
  if (used > maxOps) return EtcdError.TooManyOps;
  for (const compare of txn.compare) if (compare.key.length === 0) return EtcdError.EmptyKey;
  for (const op of [...txn.success, ...txn.failure]) {
    const refused = validateOp(op, maxOps - used);
    if (refused !== null) return refused;
  }
  return null;
}

function validateOp(op: RequestOp, opsLeft: number): EtcdErrorKind | null {
  if (op.requestRange !== null) return validateRange(op.requestRange);
  if (op.requestPut !== null) return validatePut(op.requestPut);
  if (op.requestDeleteRange !== null) return validateDelete(op.requestDeleteRange);
  return op.requestTxn === null ? EtcdError.KeyNotFound : validateOps(op.requestTxn, opsLeft);
}

/** Keys that a list of operations puts, and ranges that it deletes. */
interface Writes {
  readonly puts: Set<string>;
  readonly deletes: Interval[];
}

/** A delete as the check for duplicates sees it. */
interface Interval {
  readonly from: string;
  readonly end: string;
}

/**
 * Quirk of the real check: an end of one zero byte, which means "to the last key", is taken by its text here, so that
 * such a delete covers no key at all.
 */
function covers(interval: Interval, key: string): boolean {
  return key >= interval.from && key < interval.end;
}

function findDuplicates(txn: TxnRequest): EtcdErrorKind | null {
  return collectWrites(txn.success) === null || collectWrites(txn.failure) === null ? EtcdError.DuplicateKey : null;
}

/**
 * The writes of one branch; null when two of them touch the same key in a way that has no defined outcome: two puts of
 * a key, or a put under a delete. Deletes may overlap. The two branches of an inner transaction exclude each other, so
 * they may put the same key, but both count for what surrounds them.
 */
function collectWrites(ops: readonly RequestOp[]): Writes | null {
  const puts = new Set<string>();
  const deletes: Interval[] = [];
  for (const op of ops) {
    if (op.requestDeleteRange !== null) {
      const { key, rangeEnd } = op.requestDeleteRange;
      const from = keyOf(key);
      deletes.push({ from, end: rangeEnd.length === 0 ? `${from}\0` : keyOf(rangeEnd) });
    }
  }
  for (const op of ops) {
    if (op.requestTxn === null) continue;
    const inner = mergeBranches(op.requestTxn);
    if (inner === null || overlaps(inner, puts, deletes)) return null;
    for (const key of inner.puts) puts.add(key);
    deletes.push(...inner.deletes);
  }
  for (const op of ops) {
    if (op.requestPut === null) continue;
    const key = keyOf(op.requestPut.key);
    if (puts.has(key) || deletes.some((interval) => covers(interval, key))) return null;
    puts.add(key);
  }
  return { puts, deletes };
}

function mergeBranches(txn: TxnRequest): Writes | null {
  const success = collectWrites(txn.success);
  const failure = collectWrites(txn.failure);
  if (success === null || failure === null) return null;
  return {
    puts: new Set([...success.puts, ...failure.puts]),
    deletes: [...success.deletes, ...failure.deletes],
  };
}

/**
 * Whether an inner transaction's puts collide with what came before: puts of inner transactions, deletes of all. As in
 * the real server, its deletes are not held against puts of earlier inner transactions.
 */
function overlaps(inner: Writes, puts: ReadonlySet<string>, deletes: readonly Interval[]): boolean {
  for (const key of inner.puts) {
    if (puts.has(key) || deletes.some((interval) => covers(interval, key))) return true;
  }
  return false;
}
