import { EtcdError, type EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import {
  type DeleteRangeRequest,
  NO_LEASE,
  type PutRequest,
  type RequestOp,
  type TxnRequest,
} from '../../../../api/etcd/kv.ts';
import type { Answer } from './answer.ts';
import { conditionHolds } from './conditions.ts';
import type { KeySpace, Version } from './key-space.ts';
import { intervalOf, textOf } from './keys.ts';
import type { ModelLeases } from './leases.ts';
import { rangeAt, unreadable } from './read.ts';

/** What writes work on. */
export interface WriteState {
  readonly keys: KeySpace;
  readonly leases: ModelLeases;
  readonly compacted: number;
}

/** Why a put is refused; in a transaction the key is looked for before the lease (reference/etcd.md A4). */
export function putRefusal(state: WriteState, put: PutRequest, inTransaction: boolean): EtcdErrorKind | null {
  const keeps = put.ignoreValue || put.ignoreLease;
  const noKey = keeps && state.keys.atKey(put.key, state.keys.revision) === null ? EtcdError.KeyNotFound : null;
  const known = put.lease === NO_LEASE || state.leases.get(put.lease) !== undefined;
  const noLease = known ? null : EtcdError.LeaseNotFound;
  return inTransaction ? (noKey ?? noLease) : (noLease ?? noKey);
}

/** A put that was not refused. */
export function runPut(state: WriteState, put: PutRequest): Answer {
  const { keys, leases } = state;
  const { key } = put;
  const before = put.ignoreValue || put.ignoreLease ? keys.atKey(key, keys.readRevision) : null;
  const value = put.ignoreValue ? before!.value : put.value;
  const lease = put.ignoreLease ? before!.lease : put.lease;
  const previous = keys.put({ key, value, lease });
  const held = previous?.lease ?? NO_LEASE;
  if (held !== lease) leases.move(textOf(key), held, lease);
  return { kind: 'put', revision: keys.readRevision, previous: put.prevKv ? previous : null };
}

export function runDelete(state: WriteState, request: DeleteRangeRequest): Answer {
  const removed = deleteAll(state, intervalOf(request.key, request.rangeEnd));
  return {
    kind: 'delete',
    revision: state.keys.readRevision,
    deleted: removed.length,
    previous: request.prevKv ? removed : [],
  };
}

/** Deletes an interval and detaches its keys from their leases. */
export function deleteAll(state: WriteState, interval: ReturnType<typeof intervalOf>): readonly Version[] {
  const removed = state.keys.delete(interval);
  for (const { text, lease } of removed) state.leases.move(text, lease, NO_LEASE);
  return removed;
}

/** The branch a transaction takes, with those of the transactions inside it: decided before anything runs. */
interface Branch {
  readonly succeeded: boolean;
  readonly ops: readonly RequestOp[];
  readonly inner: readonly (Branch | null)[];
}

/** A whole transaction, all or nothing (reference/etcd.md A6). The caller commits. */
export function runTxn(state: WriteState, txn: TxnRequest): Answer {
  const branch = decide(state.keys, txn, state.keys.readRevision);
  const error = refusalOf(branch, (op) => (op.requestPut === null ? null : putRefusal(state, op.requestPut, true)));
  if (error !== null) return { kind: 'error', error };
  const unread = refusalOf(branch, (op) =>
    op.requestRange === null ? null : unreadable(state.keys, state.compacted, op.requestRange.revision),
  );
  if (unread !== null) return { kind: 'error', error: unread };
  return runBranch(state, branch);
}

/** A transaction that only reads, as the state answers it whose current revision is `now`. */
export function readTxnAt(keys: KeySpace, txn: TxnRequest, now: number): Answer {
  const { succeeded, ops } = decide(keys, txn, now);
  const answers = ops.map((op) => rangeAt(keys, op.requestRange!, now));
  return { kind: 'txn', revision: now, succeeded, answers };
}

function decide(keys: KeySpace, txn: TxnRequest, now: number): Branch {
  const succeeded = txn.compare.every((compare) => conditionHolds(keys, compare, now));
  const ops = succeeded ? txn.success : txn.failure;
  const inner = ops.map((op) => (op.requestTxn === null ? null : decide(keys, op.requestTxn, now)));
  return { succeeded, ops, inner };
}

function refusalOf(branch: Branch, check: (op: RequestOp) => EtcdErrorKind | null): EtcdErrorKind | null {
  for (let i = 0; i < branch.ops.length; i++) {
    const inner = branch.inner[i]!;
    const refused = inner === null ? check(branch.ops[i]!) : refusalOf(inner, check);
    if (refused !== null) return refused;
  }
  return null;
}

function runBranch(state: WriteState, branch: Branch): Answer {
  const answers = branch.ops.map((op, i): Answer => {
    const inner = branch.inner[i]!;
    if (inner !== null) return runBranch(state, inner);
    if (op.requestPut !== null) return runPut(state, op.requestPut);
    if (op.requestDeleteRange !== null) return runDelete(state, op.requestDeleteRange);
    return rangeAt(state.keys, op.requestRange!, state.keys.readRevision);
  });
  return { kind: 'txn', revision: state.keys.readRevision, succeeded: branch.succeeded, answers };
}
