import type { Member } from '../../../api/etcd/cluster.ts';
import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import type { Id64 } from '../../../api/etcd/kv.ts';
import { compareText } from '../../../platform/bytes.ts';
import { type ConfChange, ConfChangeType } from '../../../raft/index.ts';
import { type ChangeContext, decodeContext } from './context.ts';

/** Where the cluster tells what has to become durable. */
export interface MembershipSink {
  memberChanged(member: Member): void;
  memberRemoved(id: Id64): void;
  clusterVersionChanged(version: string): void;
  downgradeChanged(enabled: boolean, version: string): void;
}

/** What a change did, for whoever keeps connections to the members. */
export type MembershipEffect =
  | { readonly kind: 'added' | 'updated' | 'promoted'; readonly member: Member }
  | { readonly kind: 'removed'; readonly id: Id64 };

/**
 * The members of the cluster as this member has applied them (reference/etcd.md B1, B4). Replicated state: every
 * member validates a committed change alike.
 */
export class Cluster {
  readonly clusterId: Id64;
  readonly localId: Id64;
  readonly #maxLearners: number;
  readonly #sink: MembershipSink;
  readonly #members = new Map<Id64, Member>();
  /** Members known from the command line or the cluster that is joined, until the log has told of this member itself. */
  readonly #seeded = new Map<Id64, Member>();
  readonly #removed = new Set<Id64>();
  #version = '';
  #downgrade = { enabled: false, targetVersion: '' };

  constructor(clusterId: Id64, localId: Id64, maxLearners: number, sink: MembershipSink) {
    this.clusterId = clusterId;
    this.localId = localId;
    this.#maxLearners = maxLearners;
    this.#sink = sink;
  }

  /** Ascending by id. */
  members(): readonly Member[] {
    const known = new Map([...this.#seeded, ...this.#members]);
    return [...known.values()].sort((a, b) => compareText(a.id, b.id));
  }

  member(id: Id64): Member | undefined {
    return this.#members.get(id) ?? this.#seeded.get(id);
  }

  voters(): readonly Member[] {
    return this.members().filter((member) => !member.isLearner);
  }

  isRemoved(id: Id64): boolean {
    return this.#removed.has(id);
  }

  removedIds(): readonly Id64[] {
    return [...this.#removed].sort();
  }

  get isLocalLearner(): boolean {
    return this.member(this.localId)?.isLearner ?? false;
  }

  /** `major.minor.0`, empty until it was decided. */
  get version(): string {
    return this.#version;
  }

  get downgrade(): { readonly enabled: boolean; readonly targetVersion: string } {
    return this.#downgrade;
  }

  setVersion(version: string): void {
    this.#version = version;
    this.#sink.clusterVersionChanged(version);
  }

  setDowngrade(enabled: boolean, targetVersion: string): void {
    this.#downgrade = { enabled, targetVersion };
    this.#sink.downgradeChanged(enabled, targetVersion);
  }

  /** A member published its name and client URLs. Unknown and removed ones are ignored. */
  setAttributes(id: Id64, name: string, clientUrls: readonly string[]): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.#save({ ...member, name, clientUrls });
  }

  /** Why a committed change must not take effect; null when it may. The order of the checks is etcd's. */
  validate(change: ConfChange): EtcdErrorKind | null {
    if (this.#removed.has(change.nodeId)) return EtcdError.MemberNotFound;
    const known = this.#members.get(change.nodeId);
    if (change.type === ConfChangeType.AddNode || change.type === ConfChangeType.AddLearnerNode) {
      const context = contextOf(change);
      if (context?.isPromote) {
        if (known === undefined) return EtcdError.MemberNotFound;
        return known.isLearner ? null : EtcdError.MemberNotLearner;
      }
      return this.#validateAdd(change, context, known);
    }
    if (known === undefined) return EtcdError.MemberNotFound;
    if (change.type === ConfChangeType.RemoveNode) return null;
    const context = contextOf(change);
    return this.#hasPeerUrl(context?.member.peerUrls ?? [], change.nodeId) ? EtcdError.PeerUrlExist : null;
  }

  #validateAdd(change: ConfChange, context: ChangeContext | null, known: Member | undefined): EtcdErrorKind | null {
    if (known !== undefined) return EtcdError.MemberExist;
    if (this.#hasPeerUrl(context?.member.peerUrls ?? [], change.nodeId)) return EtcdError.PeerUrlExist;
    if (change.type !== ConfChangeType.AddLearnerNode) return null;
    const learners = [...this.#members.values()].filter((member) => member.isLearner).length;
    return learners + 1 > this.#maxLearners ? EtcdError.TooManyLearners : null;
  }

  #hasPeerUrl(urls: readonly string[], exceptId: Id64): boolean {
    for (const member of this.#members.values()) {
      if (member.id !== exceptId && member.peerUrls.some((url) => urls.includes(url))) return true;
    }
    return false;
  }

  /** Puts a validated change in force. */
  apply(change: ConfChange): MembershipEffect | null {
    if (change.type === ConfChangeType.RemoveNode) {
      this.#members.delete(change.nodeId);
      this.#seeded.delete(change.nodeId);
      this.#removed.add(change.nodeId);
      this.#sink.memberRemoved(change.nodeId);
      return { kind: 'removed', id: change.nodeId };
    }
    const context = contextOf(change);
    if (context === null) return null;
    if (context.isPromote) {
      const member: Member = { ...this.#members.get(change.nodeId)!, isLearner: false };
      this.#save(member);
      return { kind: 'promoted', member };
    }
    if (change.type === ConfChangeType.UpdateNode) {
      const member: Member = { ...this.#members.get(change.nodeId)!, peerUrls: context.member.peerUrls };
      this.#save(member);
      return { kind: 'updated', member };
    }
    const member: Member = { ...context.member, isLearner: change.type === ConfChangeType.AddLearnerNode };
    this.#save(member);
    return { kind: 'added', member };
  }

  /** Takes stored state back in. */
  restore(state: MembershipState): void {
    this.#members.clear();
    for (const member of state.members) this.#members.set(member.id, member);
    if (this.#members.has(this.localId)) this.#seeded.clear();
    this.#removed.clear();
    for (const id of state.removed) this.#removed.add(id);
    this.#version = state.version;
    this.#downgrade = state.downgrade;
  }

  /** Members known before anything was applied: those of the founding list, or of the cluster that is joined. */
  seed(members: readonly Member[]): void {
    for (const member of members) this.#seeded.set(member.id, member);
  }

  #save(member: Member): void {
    this.#members.set(member.id, member);
    if (member.id === this.localId) this.#seeded.clear();
    this.#sink.memberChanged(member);
  }
}

/** Membership as it is stored. */
export interface MembershipState {
  readonly members: readonly Member[];
  readonly removed: readonly Id64[];
  readonly version: string;
  readonly downgrade: { readonly enabled: boolean; readonly targetVersion: string };
}

function contextOf(change: ConfChange): ChangeContext | null {
  return change.context === null ? null : decodeContext(change.context);
}

/** A member is started once it has published its name. */
export function isStarted(member: Member): boolean {
  return member.name !== '';
}
