import { KeyValue } from '../../../api/etcd/kv.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { crc32c } from '../../../platform/crc32c.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Revision } from './revision.ts';
import { isKept, type MvccStore } from './store.ts';

/** Hash of the key space up to a revision, and the compaction it was taken after. */
export interface KvHash {
  readonly hash: number;
  readonly compactRevision: number;
  readonly revision: number;
}

/**
 * CRC-32C over the bucket's name and every stored revision up to `revision` (reference/etcd.md C2). What a compaction at
 * the compacted revision removes does not count, removed already or not; nor does a tombstone at exactly that revision.
 */
export function hashKv(store: MvccStore, revision: number, above = -1): KvHash {
  const { compactRevision } = store;
  let hash = crc32c(utf8Encode('key'));
  store.log.scan(above + 1, (record) => {
    if (record.main > revision) return false;
    if (record.main <= compactRevision) {
      if (!isKept(record, compactRevision)) return true;
      if (record.isTombstone && record.main === compactRevision) return true;
    }
    hash = crc32c(KeyValue.encode(storedValue(record)), crc32c(revisionKey(record), hash));
    return true;
  });
  return { hash, compactRevision, revision };
}

/** The key under which a revision is stored: main and sub as big-endian numbers, and a mark on tombstones. */
export function revisionKey(revision: Revision): Uint8Array {
  const key = new Uint8Array(revision.isTombstone ? 18 : 17);
  const view = new DataView(key.buffer);
  view.setUint32(0, Math.floor(revision.main / 0x1_0000_0000));
  view.setUint32(4, revision.main >>> 0);
  key[8] = 0x5f;
  view.setUint32(13, revision.sub);
  if (revision.isTombstone) key[17] = 0x74;
  return key;
}

/** A tombstone's stored value has nothing but the key. */
function storedValue(revision: Revision): KeyValue {
  return revision.isTombstone ? KeyValue.of({ key: revision.key }) : revision;
}

/** Hash of the whole database but for what differs between members in step: consistent index and term. */
export function hashDatabase(state: ReplicatedState): number {
  let hash = hashKv(state.store, state.store.currentRevision).hash;
  const mix = (text: string): void => {
    hash = crc32c(utf8Encode(text), hash);
  };
  for (const lease of [...state.lessor.all()].sort((a, b) => (a.id < b.id ? -1 : 1)))
    mix(`${lease.id}:${lease.ttlSec}`);
  for (const member of state.cluster.members()) mix(JSON.stringify(member));
  for (const id of state.cluster.removedIds()) mix(id);
  for (const alarm of state.alarms.all) mix(`${alarm.memberId}:${alarm.alarm}`);
  return hash;
}
