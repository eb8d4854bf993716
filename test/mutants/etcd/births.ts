import type { Row } from './row.ts';

/** Clusters that go on from a backup, or with one member alone. */
export const BIRTH_ROWS: readonly Row[] = Object.freeze<Row[]>([
  [
    'restore-keeps-old-index',
    'C4, G2 raft integration',
    'a restored database says how far the log of the old cluster was applied',
    'server/restore/restore.ts',
    '    ...bumped,\n    index: members.length,\n',
    '    ...bumped,\n',
  ],
  [
    'restore-loses-leases',
    'C4',
    'leases are not restored, keys that hang on them are',
    'server/state/replicated.ts',
    'for (const lease of state.leases) this.lessor',
    'if (state.index !== 3) for (const lease of state.leases) this.lessor',
  ],
  [
    'restored-versions-begin-anew',
    'own',
    'a key that is written again after a restore begins with version 1',
    'server/mvcc/store.ts',
    'this.#append(history, Revision.of(history, sub, kv));\n    this.currentRevision',
    'this.#append(history, Revision.of(history, sub, { ...kv, version: Math.min(kv.version, 1) }));\n    this.currentRevision',
  ],
  [
    'revision-falls-back',
    'G1 #17780',
    'a database whose newest revisions were compacted away begins below its compaction',
    'server/mvcc/store.ts',
    '    this.currentRevision = Math.max(this.currentRevision, scheduled, finished);\n',
    '',
  ],
  [
    'forced-keeps-a-member',
    'G2 membership #20071',
    '--force-new-cluster leaves one of the others in the cluster',
    'server/start/force.ts',
    'for (const id of [...ids].sort()) if (id !== self)',
    'for (const id of [...ids].sort().slice(1)) if (id !== self)',
  ],
  [
    'forced-forgets-the-applied',
    'own',
    '--force-new-cluster gives up entries that the database holds',
    'server/start/force.ts',
    'const commit = Math.min(Math.max(recovered.hardState.commit, appliedIndex), storage.lastIndex());',
    'const commit = Math.min(recovered.hardState.commit, storage.lastIndex());',
  ],
]);
