import { Fatal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import {
  type ConfChange,
  ConfChangeType,
  type ConfState,
  decodeConfChange,
  type Entry,
  EntryType,
  NONE,
} from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import type { Applier } from '../apply/applier.ts';
import type { MembershipEffect } from '../membership/cluster.ts';
import type { ServerObserver } from '../observer.ts';
import type { Payload } from '../raft/payload.ts';
import { RequestId } from '../raft/request-id.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Proposals } from './proposals.ts';

/** What applying needs of the member. */
export interface ApplyOwner {
  readonly state: ReplicatedState;
  readonly applier: Applier;
  readonly proposals: Proposals;
  readonly log: Log;
  readonly observer: ServerObserver | undefined;
  applyConfChange(change: ConfChange): ConfState;
  /** Peers, removal of oneself. */
  membershipChanged(effect: MembershipEffect): void;
  /** The empty entry that begins a leader's term was applied. */
  firstCommitInTerm(): void;
  /** A batch is applied; `index` is its last entry. */
  batchApplied(index: number, term: number): void;
}

/**
 * Applies committed entries in order, each at most once: an entry that the database already holds is passed over
 * (reference/etcd.md A1, "apply gate").
 */
export class ApplyLoop {
  readonly #owner: ApplyOwner;
  appliedIndex: number;
  appliedTerm: number;
  #whenApplied: { readonly index: number; readonly callback: () => void }[] = [];

  /** `index` and `term`: where Raft starts, i.e. the snapshot. */
  constructor(owner: ApplyOwner, index: number, term: number) {
    this.#owner = owner;
    this.appliedIndex = index;
    this.appliedTerm = term;
  }

  apply(entries: readonly Entry[]): void {
    const first = entries[0]!.index;
    if (first > this.appliedIndex + 1) {
      throw new Fatal(`unexpected committed entry index: applied ${this.appliedIndex}, first ${first}`);
    }
    for (let i = this.appliedIndex + 1 - first; i < entries.length; i++) this.#applyOne(entries[i]!);
    this.#owner.batchApplied(this.appliedIndex, this.appliedTerm);
    this.#release();
  }

  /** A snapshot took the place of everything up to `index`. */
  jump(index: number, term: number): void {
    this.appliedIndex = index;
    this.appliedTerm = term;
    this.#release();
  }

  whenApplied(index: number, callback: () => void): () => void {
    const waiter = { index, callback };
    this.#whenApplied.push(waiter);
    return () => {
      this.#whenApplied = this.#whenApplied.filter((other) => other !== waiter);
    };
  }

  #release(): void {
    if (this.#whenApplied.length === 0) return;
    const due = this.#whenApplied.filter((waiter) => waiter.index <= this.appliedIndex);
    if (due.length === 0) return;
    this.#whenApplied = this.#whenApplied.filter((waiter) => waiter.index > this.appliedIndex);
    for (const waiter of due) waiter.callback();
  }

  #applyOne(entry: Entry): void {
    const { state } = this.#owner;
    const isNew = entry.index > state.consistentIndex;
    if (entry.type === EntryType.Normal) this.#applyNormal(entry, isNew);
    else this.#applyChange(entry, isNew);
    if (isNew) {
      state.consistentIndex = entry.index;
      state.consistentTerm = entry.term;
    }
    this.appliedIndex = entry.index;
    this.appliedTerm = entry.term;
  }

  #applyNormal(entry: Entry, isNew: boolean): void {
    if (entry.data === null) {
      this.#owner.firstCommitInTerm();
      return;
    }
    if (!isNew) return;
    const { applier, proposals, observer, state } = this.#owner;
    const payload = entry.data as unknown as Payload;
    const { put } = payload;
    const waiter = proposals.take(payload.id);
    const isAwaited = waiter !== undefined || observer !== undefined;
    const result = put === null ? applier.apply(payload.request) : applier.put(put, payload.putKey, isAwaited);
    observer?.applied(state.options.memberId, entry.index, entry.term, payload.request, result);
    waiter?.settle(result);
  }

  /**
   * A membership change. One that fails validation is still a committed entry: Raft is told to do nothing, and the caller
   * gets the error. Raft's own configuration is rebuilt from the log at every start, so it hears of old changes too, and
   * of the old refusals: the real server validates them again against the members of that time.
   */
  #applyChange(entry: Entry, isNew: boolean): void {
    const { state, proposals, log } = this.#owner;
    const change = decodeConfChange(entry);
    if (typeof change === 'string' || change.version !== 1) {
      throw new Fatal(`failed to unmarshal a membership change at index ${entry.index}`);
    }
    const refused = isNew ? state.cluster.validate(change) : null;
    if (refused !== null || state.wasRefused(entry.index)) {
      this.#owner.applyConfChange({ ...change, nodeId: NONE });
      if (refused === null) return;
      state.refuseChange(entry.index);
      proposals.take(RequestId.parse(change.id))?.settle(refused);
      return;
    }
    const confState = this.#owner.applyConfChange(change);
    if (isNew) {
      state.setConfState(confState);
      const effect = state.cluster.apply(change);
      if (effect !== null) {
        logEffect(log, state.options.memberId, effect, entry.index);
        this.#owner.membershipChanged(effect);
      }
    } else if (change.type === ConfChangeType.RemoveNode && change.nodeId === state.options.memberId) {
      // Its removal is in the image that it received, or in the database of its last run: it ends all the same.
      this.#owner.membershipChanged({ kind: 'removed', id: change.nodeId });
    }
    proposals.take(RequestId.parse(change.id))?.settle({ header: null });
  }
}

function logEffect(log: Log, by: string, effect: MembershipEffect, index: number): void {
  if (effect.kind === 'removed') log.event(EtcdEvent.MemberRemoved, { by, memberId: effect.id, index });
  else if (effect.kind === 'added') {
    const { id, isLearner } = effect.member;
    log.event(EtcdEvent.MemberAdded, { by, memberId: id, learner: isLearner, index });
  } else {
    const kind = effect.kind === 'promoted' ? EtcdEvent.MemberPromoted : EtcdEvent.MemberUpdated;
    log.event(kind, { by, memberId: effect.member.id, index });
  }
}
