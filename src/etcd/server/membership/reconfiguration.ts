import type { Member } from '../../../api/etcd/cluster.ts';
import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import type { Id64 } from '../../../api/etcd/kv.ts';
import { isStarted } from './cluster.ts';

/** How long a peer must have been connected to count as healthy for a membership change. */
export const HEALTH_INTERVAL_US = 5_000_000;

/** Voters that a majority of `count` needs. */
export function quorum(count: number): number {
  return Math.floor(count / 2) + 1;
}

/** What a strict reconfiguration check looks at, on the member that was asked. */
export interface ReconfigurationView {
  readonly localId: Id64;
  readonly members: readonly Member[];
  /** Whether the member's connection has been up for at least {@link HEALTH_INTERVAL_US}; true for oneself. */
  readonly longConnected: (id: Id64) => boolean;
  /** Whether it is connected now. */
  readonly connected: (id: Id64) => boolean;
  /** Releases up to 3.6.10 wanted every voter connected to add a member, later ones a quorum (corrections.md 21). */
  readonly addNeedsAllVoters: boolean;
}

/** Whether a member may be added (reference/etcd.md B3). Started voters count only for a new voter. */
export function mayAdd(view: ReconfigurationView, isLearner: boolean): EtcdErrorKind | null {
  const voters = votersOf(view);
  if (!isLearner) {
    const started = voters.filter(isStarted).length;
    const future = voters.length + 1;
    const firstPair = started === 1 && future === 2;
    if (!firstPair && started < quorum(future)) return EtcdError.MemberNotEnoughStarted;
  }
  if (view.addNeedsAllVoters) {
    return voters.every((member) => view.longConnected(member.id)) ? null : EtcdError.Unhealthy;
  }
  if (voters.length === 1) return null;
  const up = voters.filter((member) => view.longConnected(member.id)).length;
  return up >= quorum(voters.length + 1) ? null : EtcdError.Unhealthy;
}

/** Whether a member may be removed. Learners and unknown ids pass: the latter fail when applied. */
export function mayRemove(view: ReconfigurationView, id: Id64): EtcdErrorKind | null {
  const target = view.members.find((member) => member.id === id);
  if (target === undefined || target.isLearner) return null;
  const voters = votersOf(view);
  const remaining = voters.filter((member) => member.id !== id);
  if (remaining.filter(isStarted).length < quorum(remaining.length)) return EtcdError.MemberNotEnoughStarted;
  if (id !== view.localId && !view.connected(id)) return null;
  const active = voters.filter((member) => view.longConnected(member.id)).length;
  return active - 1 < 1 + Math.floor((voters.length - 1) / 2) ? EtcdError.Unhealthy : null;
}

/** Whether a learner may become a voter: it counts as started. */
export function mayPromote(view: ReconfigurationView): EtcdErrorKind | null {
  const voters = votersOf(view);
  const started = voters.filter(isStarted).length + 1;
  return started < quorum(voters.length + 1) ? EtcdError.MemberNotEnoughStarted : null;
}

function votersOf(view: ReconfigurationView): readonly Member[] {
  return view.members.filter((member) => !member.isLearner);
}
