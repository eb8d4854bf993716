import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import {
  type KeyValue,
  NO_BYTES,
  type RangeRequest,
  type RangeResponse,
  type ResponseHeader,
  SortOrder,
  SortTarget,
} from '../../../api/etcd/kv.ts';
import { compareBytes } from '../../../platform/bytes.ts';
import { keyRange } from '../mvcc/keys.ts';
import type { MvccStore, RevisionError } from '../mvcc/store.ts';

export function revisionError(error: RevisionError): EtcdErrorKind {
  return error === 'future' ? EtcdError.FutureRev : EtcdError.Compacted;
}

/** A header that carries only a revision, as the answers inside a transaction have it (reference/etcd.md A7). */
export function revisionHeader(revision: number): ResponseHeader {
  return { clusterId: '0000000000000000', memberId: '0000000000000000', revision, raftTerm: 0 };
}

/** A range read (A3). The header holds the revision that the reader sees now, not the one asked for. */
export function executeRange(store: MvccStore, request: RangeRequest): RangeResponse | EtcdErrorKind {
  const now = store.readRevision;
  const revision = request.revision <= 0 ? now : request.revision;
  const refused = store.checkRevision(revision);
  if (refused !== null) return revisionError(refused);
  const header = revisionHeader(now);
  const range = keyRange(request.key, request.rangeEnd);
  if (request.countOnly) {
    const { count } = store.range(range, revision, 1);
    return { header, kvs: [], more: false, count };
  }
  const limit = fetchesAll(request) || request.limit <= 0 ? 0 : request.limit + 1;
  const found = store.range(range, revision, limit);
  let kvs = isFiltered(request) ? found.kvs.filter((kv) => passes(request, kv)) : found.kvs;
  // Quirk: a sort target without an order sorts ascending, after the limit has been applied by key.
  const sorts = request.sortOrder !== SortOrder.None || request.sortTarget !== SortTarget.Key;
  if (sorts) kvs = sorted(kvs, request);
  const more = request.limit > 0 && kvs.length > request.limit;
  if (more) kvs = kvs.slice(0, request.limit);
  if (request.keysOnly) kvs = kvs.map((kv) => ({ ...kv, value: NO_BYTES }));
  return { header, kvs, more, count: found.count };
}

function fetchesAll(request: RangeRequest): boolean {
  return request.sortOrder !== SortOrder.None || isFiltered(request);
}

function isFiltered(request: RangeRequest): boolean {
  return (
    request.minModRevision !== 0 ||
    request.maxModRevision !== 0 ||
    request.minCreateRevision !== 0 ||
    request.maxCreateRevision !== 0
  );
}

function passes(request: RangeRequest, kv: KeyValue): boolean {
  if (request.maxModRevision !== 0 && kv.modRevision > request.maxModRevision) return false;
  if (request.minModRevision !== 0 && kv.modRevision < request.minModRevision) return false;
  if (request.maxCreateRevision !== 0 && kv.createRevision > request.maxCreateRevision) return false;
  return request.minCreateRevision === 0 || kv.createRevision >= request.minCreateRevision;
}

/** Sorts by the target; equal ones stay in key order, which the real server leaves open. */
function sorted(kvs: readonly KeyValue[], request: RangeRequest): KeyValue[] {
  const sign = request.sortOrder === SortOrder.Descend ? -1 : 1;
  return [...kvs].sort((a, b) => sign * compareBy(request.sortTarget, a, b));
}

function compareBy(target: number, a: KeyValue, b: KeyValue): number {
  if (target === SortTarget.Version) return a.version - b.version;
  if (target === SortTarget.Create) return a.createRevision - b.createRevision;
  if (target === SortTarget.Mod) return a.modRevision - b.modRevision;
  return target === SortTarget.Value ? compareBytes(a.value, b.value) : compareBytes(a.key, b.key);
}
