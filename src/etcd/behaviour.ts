/**
 * What differs between releases of etcd, as one value (reference/etcd.md D3). Code asks for the property, never for the
 * version.
 */
export interface Behaviour {
  readonly serverVersion: string;
  /** `major.minor.0` of the release: the highest cluster version it can serve. */
  readonly clusterVersion: string;
  /** Empty before 3.6, which is the first to store it. */
  readonly storageVersion: string;
  readonly preVoteByDefault: boolean;
  readonly snapshotCount: number;
  /** Keep an in-memory snapshot and compact the log every so many applied entries; 0: only with the snapshot on disk. */
  readonly memorySnapshotEvery: number;
  /** Adding a member wants every voter connected, not just a quorum (up to 3.6.10). */
  readonly addNeedsAllVoters: boolean;
  /** Transactions inside transactions count for the quota (since 3.6.14). */
  readonly quotaCountsNested: boolean;
  /** A watch with a negative start revision is refused (since 3.6.6). */
  readonly refusesNegativeStart: boolean;
  /** MemberList may be linearizable (since 3.5). */
  readonly linearizableMemberList: boolean;
  /** Learners serve snapshots (since 3.4.28). */
  readonly learnerServesSnapshot: boolean;
  /** The downgrade API exists (since 3.5). */
  readonly downgradeApi: boolean;
  /** Status carries storage version, quota and downgrade (since 3.6). */
  readonly extendedStatus: boolean;
  /** The quota of a status is the one in force, not the one that was given (since 3.6.6). */
  readonly tellsQuotaInForce: boolean;
  /** HashKV names the revision it hashed (since 3.6). */
  readonly hashRevision: boolean;
  /** A tombstone at exactly the compacted revision is kept (since 3.4.34, 3.5.16). */
  readonly keepsTombstoneAtCompaction: boolean;
  /** Compaction leaves a hash of what was there before (since 3.5). */
  readonly hashesCompactions: boolean;
  /** HashKV refuses the compacted revision itself (3.4). */
  readonly refusesHashAtCompaction: boolean;
  /** Answers to alarm requests carry a header (not in 3.4.23). */
  readonly alarmHeader: boolean;
}

export const ETCD_3_6: Behaviour = Object.freeze({
  serverVersion: '3.6.5',
  clusterVersion: '3.6.0',
  storageVersion: '3.6.0',
  preVoteByDefault: true,
  snapshotCount: 10_000,
  memorySnapshotEvery: 100,
  addNeedsAllVoters: true,
  quotaCountsNested: false,
  refusesNegativeStart: false,
  linearizableMemberList: true,
  learnerServesSnapshot: true,
  downgradeApi: true,
  extendedStatus: true,
  tellsQuotaInForce: false,
  hashRevision: true,
  keepsTombstoneAtCompaction: true,
  hashesCompactions: true,
  refusesHashAtCompaction: false,
  alarmHeader: true,
});

/** Debian's 3.4.23. */
export const ETCD_3_4: Behaviour = Object.freeze({
  serverVersion: '3.4.23',
  clusterVersion: '3.4.0',
  storageVersion: '',
  preVoteByDefault: false,
  snapshotCount: 100_000,
  memorySnapshotEvery: 0,
  addNeedsAllVoters: true,
  quotaCountsNested: false,
  refusesNegativeStart: false,
  linearizableMemberList: false,
  learnerServesSnapshot: false,
  downgradeApi: false,
  extendedStatus: false,
  tellsQuotaInForce: false,
  hashRevision: false,
  keepsTombstoneAtCompaction: false,
  hashesCompactions: false,
  refusesHashAtCompaction: true,
  alarmHeader: false,
});
