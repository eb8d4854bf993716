import { type Compare, CompareResult, CompareTarget, type KeyValue, NO_BYTES, NO_LEASE } from '../../../api/etcd/kv.ts';
import { compareBytes } from '../../../platform/bytes.ts';
import { keyRange } from '../mvcc/keys.ts';
import type { MvccStore } from '../mvcc/store.ts';

const ABSENT: KeyValue = Object.freeze({
  key: NO_BYTES,
  createRevision: 0,
  modRevision: 0,
  version: 0,
  value: NO_BYTES,
  lease: NO_LEASE,
});

/**
 * Whether a condition holds now. Over a range every key must satisfy it. Where nothing exists, comparisons of the value
 * fail and all others compare against zero, so that "create revision is 0" means "absent" (reference/etcd.md A6).
 */
export function holds(store: MvccStore, compare: Compare): boolean {
  const range = keyRange(compare.key, compare.rangeEnd);
  let found = false;
  let all = true;
  store.visit(range, store.readRevision, (kv) => {
    found = true;
    all = satisfies(compare, kv);
    return all;
  });
  if (found) return all;
  return compare.target !== CompareTarget.Value && satisfies(compare, ABSENT);
}

function satisfies(compare: Compare, kv: KeyValue): boolean {
  const order = orderOf(compare, kv);
  if (compare.result === CompareResult.Equal) return order === 0;
  if (compare.result === CompareResult.NotEqual) return order !== 0;
  if (compare.result === CompareResult.Greater) return order > 0;
  return compare.result === CompareResult.Less ? order < 0 : true;
}

function orderOf(compare: Compare, kv: KeyValue): number {
  switch (compare.target) {
    case CompareTarget.Version:
      return kv.version - compare.version;
    case CompareTarget.Create:
      return kv.createRevision - compare.createRevision;
    case CompareTarget.Mod:
      return kv.modRevision - compare.modRevision;
    case CompareTarget.Value:
      return compareBytes(kv.value, compare.value);
    case CompareTarget.Lease:
      return compareSigned(kv.lease, compare.lease);
    default:
      return 0;
  }
}

/** Orders lease ids as the signed numbers they stand for. */
function compareSigned(a: string, b: string): number {
  const x = signKey(a);
  const y = signKey(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Flips the sign bit, so that text order is numeric order. */
function signKey(id: string): string {
  return ((Number.parseInt(id[0]!, 16) + 8) % 16).toString(16) + id.slice(1);
}
