import { KeyValue } from '../../../api/etcd/kv.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { crc32c } from '../../../platform/crc32c.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Revision } from './revision.ts';
import type { MvccStore, RevisionError } from './store.ts';

/** Hash of the key space up to a revision, and the compaction it was taken after. */
export interface KvHash {
  readonly hash: number;
  /** −1: nothing was compacted. */
  readonly compactRevision: number;
  readonly revision: number;
}

/**
 * CRC-32C over the bucket's name and the stored revisions up to `revision` (reference/etcd.md C2). Of those at or below
 * the compacted revision only what is still the state at `revision` counts, so that it does not matter how far a
 * compaction has got; nor does a tombstone at exactly the compacted revision, which releases treat differently.
 */
export class KvHasher {
  readonly #revision: number;
  readonly #compactRevision: number;
  /** False when no key is alive at the revision: then nothing is skipped for being superseded. */
  readonly #keepsAny: boolean;
  #sum = crc32c(utf8Encode('key'));

  constructor(store: MvccStore, revision: number, compactRevision: number) {
    this.#revision = revision;
    this.#compactRevision = compactRevision;
    this.#keepsAny = !store.isEmptyAt(revision);
  }

  take(record: Revision): void {
    if (record.main > this.#revision) return;
    if (record.main <= this.#compactRevision && this.#keepsAny) {
      if (record.isTombstone || record.history!.at(this.#revision) !== record) return;
    }
    if (record.main === this.#compactRevision && record.isTombstone) return;
    this.#sum = crc32c(KeyValue.encode(storedValue(record)), crc32c(revisionKey(record), this.#sum));
  }

  finish(): KvHash {
    return { hash: this.#sum, compactRevision: this.#compactRevision, revision: this.#revision };
  }
}

/** The hash at a revision: the one that a compaction left behind, else a new one; or why there is none. */
export function hashAt(store: MvccStore, revision: number): KvHash | RevisionError {
  const stored = store.hashes.at(revision);
  if (stored !== undefined) return stored;
  const refused = store.checkRevision(revision);
  if (refused !== null) return refused;
  const hasher = new KvHasher(store, revision, store.compactRevision);
  store.visitRevisions((record) => hasher.take(record));
  return hasher.finish();
}

/** Hashes kept; older ones are forgotten. */
const KEPT = 10;

/** Hashes taken while compacting, by the revision compacted to: they can be compared later, when the history is gone. */
export class HashStorage {
  #hashes: KvHash[] = [];

  at(revision: number): KvHash | undefined {
    return this.#hashes.find((hash) => hash.revision === revision);
  }

  /** Newest first. */
  get newestFirst(): readonly KvHash[] {
    return [...this.#hashes].reverse();
  }

  add(hash: KvHash): void {
    this.#hashes = [...this.#hashes, hash].sort((a, b) => a.revision - b.revision).slice(-KEPT);
  }
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
  const keys = hashAt(state.store, state.store.currentRevision);
  let hash = typeof keys === 'string' ? 0 : keys.hash;
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
