import type { Member } from '../../../api/etcd/cluster.ts';
import type { DowngradeInfoSetRequest } from '../../../api/etcd/internal.ts';
import type { Id64, LeaseId } from '../../../api/etcd/kv.ts';
import type { AlarmMember } from '../../../api/etcd/maintenance.ts';
import type { Lease, LeaseSink } from '../lease/lessor.ts';
import type { MembershipSink } from '../membership/cluster.ts';
import type { Revision } from '../mvcc/revision.ts';
import type { StoreSink } from '../mvcc/store.ts';
import { BackendFrame, type StoredLease } from './frame.ts';
import type { StoredRevision } from './stored-revision.ts';

/** What changed since the last commit of the database. All replicated state reports here. */
export class PendingChanges implements StoreSink, LeaseSink, MembershipSink {
  #revisions: StoredRevision[] = [];
  #leases = new Map<LeaseId, StoredLease | null>();
  #members = new Map<Id64, Member | null>();
  #alarms: readonly AlarmMember[] | null = null;
  #scheduled: number | null = null;
  #finished: number | null = null;
  #clusterVersion: string | null = null;
  #downgrade: DowngradeInfoSetRequest | null = null;
  #storageVersion: string | null = null;
  #confState: Uint8Array | null = null;
  #refusedChanges: number[] = [];
  /** Called at every change with how many have gathered. */
  onChange: ((count: number) => void) | null = null;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  revisionAdded(revision: Revision): void {
    this.#revisions.push(revision);
    this.#changed();
  }

  compactionScheduled(revision: number): void {
    this.#scheduled = revision;
    this.#changed();
  }

  compactionFinished(revision: number): void {
    this.#finished = revision;
    this.#changed();
  }

  leaseChanged(lease: Lease): void {
    const { id, ttlSec, storedRemainingTtlSec } = lease;
    this.#leases.set(id, { id, ttlSec, remainingTtlSec: storedRemainingTtlSec });
    this.#changed();
  }

  leaseRemoved(id: LeaseId): void {
    this.#leases.set(id, null);
    this.#changed();
  }

  memberChanged(member: Member): void {
    this.#members.set(member.id, member);
    this.#changed();
  }

  memberRemoved(id: Id64): void {
    this.#members.set(id, null);
    this.#changed();
  }

  alarmsChanged(alarms: readonly AlarmMember[]): void {
    this.#alarms = alarms;
    this.#changed();
  }

  clusterVersionChanged(version: string): void {
    this.#clusterVersion = version;
    this.#changed();
  }

  downgradeChanged(enabled: boolean, version: string): void {
    this.#downgrade = { enabled, version };
    this.#changed();
  }

  storageVersionChanged(version: string): void {
    this.#storageVersion = version;
    this.#changed();
  }

  confStateChanged(confState: Uint8Array): void {
    this.#confState = confState;
    this.#changed();
  }

  changeRefused(index: number): void {
    this.#refusedChanges.push(index);
    this.#changed();
  }

  /** Everything gathered, as one commit with its consistent index; what follows gathers for the next. */
  take(index: number, term: number): BackendFrame {
    const leases = [...this.#leases];
    const members = [...this.#members];
    const frame = BackendFrame.of({
      index,
      term,
      confState: this.#confState,
      revisions: this.#revisions,
      leases: leases.flatMap(([, lease]) => (lease === null ? [] : [lease])),
      removedLeases: leases.flatMap(([id, lease]) => (lease === null ? [id] : [])),
      members: members.flatMap(([, member]) => (member === null ? [] : [member])),
      removedMembers: members.flatMap(([id, member]) => (member === null ? [id] : [])),
      alarmsReplaced: this.#alarms !== null,
      alarms: this.#alarms ?? [],
      scheduledCompaction: this.#scheduled,
      finishedCompaction: this.#finished,
      clusterVersion: this.#clusterVersion,
      downgrade: this.#downgrade,
      storageVersion: this.#storageVersion,
      refusedChanges: this.#refusedChanges,
    });
    this.clear();
    return frame;
  }

  /** Forgets what was gathered: a snapshot replaced the whole state. */
  clear(): void {
    this.#revisions = [];
    this.#leases = new Map();
    this.#members = new Map();
    this.#alarms = null;
    this.#scheduled = null;
    this.#finished = null;
    this.#clusterVersion = null;
    this.#downgrade = null;
    this.#storageVersion = null;
    this.#confState = null;
    this.#refusedChanges = [];
    this.#count = 0;
  }

  #changed(): void {
    this.#count++;
    this.onChange?.(this.#count);
  }
}
