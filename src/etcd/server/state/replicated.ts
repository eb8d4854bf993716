import type { ConfState } from '../../../raft/index.ts';
import { EMPTY_CONF_STATE } from '../../../raft/index.ts';
import type { Behaviour } from '../../behaviour.ts';
import { AlarmStore } from '../apply/alarms.ts';
import { DatabaseSize } from '../backend/accounting.ts';

import type { DatabaseState } from '../backend/image.ts';
import { PendingChanges } from '../backend/pending.ts';
import type { StoredRevision } from '../backend/stored-revision.ts';
import { Lessor } from '../lease/lessor.ts';
import { Cluster } from '../membership/cluster.ts';
import { MvccStore } from '../mvcc/store.ts';
import { compareVersions } from '../versions.ts';
import { encodeConfState } from '../wal/records.ts';

/** From this cluster version on, checkpoints of leases are stored without being asked for. */
const CHECKPOINTS_STORED_SINCE = '3.6.0';

/** What a member is, for the state it holds. */
export interface StateOptions {
  readonly clusterId: string;
  readonly memberId: string;
  readonly maxLearners: number;
  readonly minLeaseTtlSec: number;
  /** Checkpoints of leases outlive a restart, whatever the cluster's version. */
  readonly storesLeaseCheckpoints: boolean;
  readonly behaviour: Behaviour;
}

/**
 * Everything that the log decides: keys, leases, members, alarms, and how far the log was applied. Members that applied
 * the same entries hold equal states. Changes gather in {@link pending} for the next commit of the database.
 */
export class ReplicatedState {
  readonly pending = new PendingChanges();
  readonly lessor: Lessor;
  readonly cluster: Cluster;
  readonly alarms: AlarmStore;
  readonly size = new DatabaseSize();
  readonly options: StateOptions;
  store: MvccStore;
  /** Index and term of the last entry whose effects are in here. */
  consistentIndex = 0;
  consistentTerm = 0;
  confState: ConfState = EMPTY_CONF_STATE;
  storageVersion = '';
  /** Indexes of refused membership changes: Raft, which hears of old ones again at every start, must not carry them out. */
  readonly #refusedChanges = new Set<number>();

  constructor(options: StateOptions) {
    this.options = options;
    this.lessor = new Lessor(
      this.pending,
      options.minLeaseTtlSec,
      () => options.storesLeaseCheckpoints || compareVersions(this.cluster.version, CHECKPOINTS_STORED_SINCE) >= 0,
    );
    this.cluster = new Cluster(options.clusterId, options.memberId, options.maxLearners, this.pending);
    this.alarms = new AlarmStore(() => this.pending.alarmsChanged(this.alarms.all));
    this.store = new MvccStore(this.pending, this.lessor, this.options.behaviour);
  }

  setConfState(confState: ConfState): void {
    this.confState = confState;
    this.pending.confStateChanged(encodeConfState(confState));
  }

  refuseChange(index: number): void {
    this.#refusedChanges.add(index);
    this.pending.changeRefused(index);
  }

  /** Entries up to `index` are not handed out any more. The file forgets them when it is rewritten. */
  forgetRefusals(index: number): void {
    for (const refused of this.#refusedChanges) if (refused <= index) this.#refusedChanges.delete(refused);
  }

  wasRefused(index: number): boolean {
    return this.#refusedChanges.has(index);
  }

  setStorageVersion(version: string): void {
    this.storageVersion = version;
    this.pending.storageVersionChanged(version);
  }

  /** Bytes of all live records: what the database would hold. */
  updateSize(): void {
    this.size.update(this.store.liveBytes + this.lessor.size * 64);
  }

  /** Takes a whole stored state in, replacing what was there. Alarms, leases and members are the stored ones. */
  load(state: DatabaseState): void {
    this.lessor.clear();
    for (const lease of state.leases) this.lessor.restore(lease.id, lease.ttlSec, lease.remainingTtlSec);
    this.store = new MvccStore(this.pending, this.lessor, this.options.behaviour, this.store.counts);
    for (const { kv, sub } of state.revisions) this.store.restoreRevision(kv!, sub);
    this.store.finishRestore(state.scheduledCompaction, state.finishedCompaction);
    this.#finishCompaction(state.finishedCompaction);
    this.cluster.restore({
      members: state.members,
      removed: state.removedMembers,
      version: state.clusterVersion,
      downgrade: state.downgrade,
    });
    this.alarms.restore(state.alarms);
    this.consistentIndex = state.index;
    this.consistentTerm = state.term;
    this.confState = state.confState;
    this.storageVersion = state.storageVersion;
    this.#refusedChanges.clear();
    for (const index of state.refusedChanges) this.#refusedChanges.add(index);
    this.updateSize();
    this.pending.clear();
  }

  /** Removes again what a finished compaction had removed: the file still holds it. */
  #finishCompaction(finished: number): void {
    if (finished < 0) return;
    let from = this.store.compactStep(finished, null, 10_000);
    while (from !== null) from = this.store.compactStep(finished, from, 10_000);
  }

  /** The whole state as it is stored; revisions are shared, not copied. */
  export(): DatabaseState {
    const revisions: StoredRevision[] = [];
    this.store.visitRevisions((revision) => revisions.push(revision));
    return {
      index: this.consistentIndex,
      term: this.consistentTerm,
      confState: this.confState,
      revisions,
      leases: [...this.lessor.all()].map((lease) => ({
        id: lease.id,
        ttlSec: lease.ttlSec,
        remainingTtlSec: lease.storedRemainingTtlSec,
      })),
      members: this.cluster.members(),
      removedMembers: this.cluster.removedIds(),
      alarms: this.alarms.all,
      scheduledCompaction: this.store.compactRevision,
      finishedCompaction: this.store.finishedCompaction,
      clusterVersion: this.cluster.version,
      downgrade: this.cluster.downgrade,
      storageVersion: this.storageVersion,
      refusedChanges: [...this.#refusedChanges],
    };
  }
}
