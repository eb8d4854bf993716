import { EtcdError, type EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import { type KeyValue, NO_BYTES, type RangeRequest, SortOrder, SortTarget } from '../../../../api/etcd/kv.ts';
import type { Answer, RangeAnswer } from './answer.ts';
import type { KeySpace, Version } from './key-space.ts';
import { intervalOf, textOf } from './keys.ts';

/** Why a revision cannot be read, given how far was compacted; null when it can. */
export function unreadable(keys: KeySpace, compacted: number, revision: number): EtcdErrorKind | null {
  if (revision <= 0) return null;
  if (revision > keys.readRevision) return EtcdError.FutureRev;
  return revision < compacted ? EtcdError.Compacted : null;
}

/** A range as the state answers it whose current revision is `now` (reference/etcd.md A3). */
export function rangeAt(keys: KeySpace, request: RangeRequest, now: number): RangeAnswer {
  const revision = request.revision > 0 ? request.revision : now;
  if (isPlainRead(request)) {
    const version = keys.atKey(request.key, revision);
    return {
      kind: 'range',
      revision: now,
      count: version === null ? 0 : 1,
      more: false,
      kvs: version === null ? [] : [version],
    };
  }
  const all: Version[] = [];
  keys.each(intervalOf(request.key, request.rangeEnd), revision, (version) => all.push(version));
  const count = all.length;
  if (request.countOnly) return { kind: 'range', revision: now, count, kvs: [], more: false };
  const { kvs, more } = cut(ordered(filtered(preselected(all, request), request), request), request.limit);
  return { kind: 'range', revision: now, count, more, kvs: request.keysOnly ? kvs.map(withoutValue) : kvs };
}

/** Whether it asks for one key and nothing else, as most do. */
function isPlainRead(request: RangeRequest): boolean {
  return request.rangeEnd.length === 0 && !request.countOnly && !request.keysOnly && !hasFilters(request);
}

/** A range inside a transaction or an entry, with its possible refusal. */
export function answerRange(keys: KeySpace, compacted: number, request: RangeRequest): Answer {
  const error = unreadable(keys, compacted, request.revision);
  return error === null ? rangeAt(keys, request, keys.readRevision) : { kind: 'error', error };
}

/** Without an order or filters no more than limit + 1 keys are looked at, in key order, even if they are sorted then. */
function preselected(kvs: readonly Version[], request: RangeRequest): readonly Version[] {
  const looksAtAll = request.sortOrder !== SortOrder.None || hasFilters(request) || request.limit <= 0;
  return looksAtAll ? kvs : kvs.slice(0, request.limit + 1);
}

function hasFilters(request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  return minModRevision !== 0 || maxModRevision !== 0 || minCreateRevision !== 0 || maxCreateRevision !== 0;
}

function filtered(kvs: readonly Version[], request: RangeRequest): readonly Version[] {
  if (!hasFilters(request)) return kvs;
  const within = (value: number, min: number, max: number): boolean =>
    (min === 0 || value >= min) && (max === 0 || value <= max);
  return kvs.filter(
    (kv) =>
      within(kv.modRevision, request.minModRevision, request.maxModRevision) &&
      within(kv.createRevision, request.minCreateRevision, request.maxCreateRevision),
  );
}

function ordered(kvs: readonly Version[], request: RangeRequest): readonly Version[] {
  if (request.sortOrder === SortOrder.None && request.sortTarget === SortTarget.Key) return kvs;
  const rank = rankBy(request.sortTarget);
  const direction = request.sortOrder === SortOrder.Descend ? -1 : 1;
  return [...kvs].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    return x === y ? 0 : x < y ? -direction : direction;
  });
}

function rankBy(target: number): (version: Version) => number | string {
  if (target === SortTarget.Version) return (version) => version.version;
  if (target === SortTarget.Create) return (version) => version.createRevision;
  if (target === SortTarget.Mod) return (version) => version.modRevision;
  if (target === SortTarget.Value) return (version) => textOf(version.value);
  return (version) => version.text;
}

function cut<T>(items: readonly T[], limit: number): { readonly kvs: readonly T[]; readonly more: boolean } {
  const more = limit > 0 && items.length > limit;
  return { kvs: more ? items.slice(0, limit) : items, more };
}

function withoutValue({ key, createRevision, modRevision, version, lease }: Version): KeyValue {
  return { key, createRevision, modRevision, version, value: NO_BYTES, lease };
}
