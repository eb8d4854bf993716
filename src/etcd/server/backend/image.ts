import type { Member } from '../../../api/etcd/cluster.ts';
import type { Id64 } from '../../../api/etcd/kv.ts';
import type { AlarmMember } from '../../../api/etcd/maintenance.ts';
import type { ConfState } from '../../../raft/index.ts';
import { EMPTY_CONF_STATE } from '../../../raft/index.ts';
import { FastCrc32c } from '../wal/crc.ts';
import { encodeConfState } from '../wal/records.ts';
import { BackendFrame, confStateOf, encodeFrame, headerPage, type StoredLease } from './frame.ts';
import type { StoredRevision } from './stored-revision.ts';

/** Revisions in one frame of an image. */
const REVISIONS_PER_FRAME = 1000;

/** Everything that a database holds, as it is read back. */
export interface DatabaseState {
  readonly index: number;
  readonly term: number;
  readonly confState: ConfState;
  readonly revisions: readonly StoredRevision[];
  readonly leases: readonly StoredLease[];
  readonly members: readonly Member[];
  readonly removedMembers: readonly Id64[];
  readonly alarms: readonly AlarmMember[];
  /** −1: none. */
  readonly scheduledCompaction: number;
  readonly finishedCompaction: number;
  readonly clusterVersion: string;
  readonly downgrade: { readonly enabled: boolean; readonly targetVersion: string };
  readonly storageVersion: string;
  readonly refusedChanges: readonly number[];
}

/** Folds commits, oldest first, into the state they describe. */
export class StateBuilder {
  #index = 0;
  #term = 0;
  #confState: ConfState = EMPTY_CONF_STATE;
  readonly #revisions: StoredRevision[] = [];
  readonly #leases = new Map<string, StoredLease>();
  readonly #members = new Map<string, Member>();
  readonly #removedMembers = new Set<string>();
  #alarms: readonly AlarmMember[] = [];
  #scheduled = -1;
  #finished = -1;
  #clusterVersion = '';
  #downgrade = { enabled: false, targetVersion: '' };
  #storageVersion = '';
  readonly #refusedChanges: number[] = [];

  add(frame: BackendFrame): void {
    this.#index = frame.index;
    this.#term = frame.term;
    this.#confState = confStateOf(frame) ?? this.#confState;
    for (const revision of frame.revisions) this.#revisions.push(revision);
    for (const lease of frame.leases) this.#leases.set(lease.id, lease);
    for (const id of frame.removedLeases) this.#leases.delete(id);
    for (const member of frame.members) this.#members.set(member.id, member);
    for (const id of frame.removedMembers) {
      this.#members.delete(id);
      this.#removedMembers.add(id);
    }
    if (frame.alarmsReplaced) this.#alarms = frame.alarms;
    this.#scheduled = frame.scheduledCompaction ?? this.#scheduled;
    this.#finished = frame.finishedCompaction ?? this.#finished;
    this.#clusterVersion = frame.clusterVersion ?? this.#clusterVersion;
    if (frame.downgrade !== null) {
      this.#downgrade = { enabled: frame.downgrade.enabled, targetVersion: frame.downgrade.version };
    }
    this.#storageVersion = frame.storageVersion ?? this.#storageVersion;
    this.#refusedChanges.push(...frame.refusedChanges);
  }

  finish(): DatabaseState {
    return {
      index: this.#index,
      term: this.#term,
      confState: this.#confState,
      revisions: this.#revisions,
      leases: [...this.#leases.values()],
      members: [...this.#members.values()],
      removedMembers: [...this.#removedMembers],
      alarms: this.#alarms,
      scheduledCompaction: this.#scheduled,
      finishedCompaction: this.#finished,
      clusterVersion: this.#clusterVersion,
      downgrade: this.#downgrade,
      storageVersion: this.#storageVersion,
      refusedChanges: this.#refusedChanges,
    };
  }
}

/** The bytes of a database file with this content and nothing else: what defragmentation and snapshots make. */
export function encodeImage(state: DatabaseState): Uint8Array[] {
  const parts: Uint8Array[] = [headerPage()];
  const sums = new FastCrc32c();
  for (let at = 0; at < state.revisions.length; at += REVISIONS_PER_FRAME) {
    const revisions = state.revisions.slice(at, at + REVISIONS_PER_FRAME);
    parts.push(encodeFrame(BackendFrame.of({ revisions }), sums));
  }
  parts.push(
    encodeFrame(
      BackendFrame.of({
        index: state.index,
        term: state.term,
        confState: encodeConfState(state.confState),
        leases: state.leases,
        members: state.members,
        removedMembers: state.removedMembers,
        alarmsReplaced: true,
        alarms: state.alarms,
        scheduledCompaction: state.scheduledCompaction,
        finishedCompaction: state.finishedCompaction,
        clusterVersion: state.clusterVersion,
        downgrade: { enabled: state.downgrade.enabled, version: state.downgrade.targetVersion },
        storageVersion: state.storageVersion,
        refusedChanges: state.refusedChanges,
      }),
      sums,
    ),
  );
  return parts;
}
