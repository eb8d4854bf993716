import { eventKind } from '../platform/log.ts';

/**
 * What etcd's members tell checkers, reports and views; the same on both platforms. Ids are sixteen hexadecimal digits.
 */
export const EtcdEvent = Object.freeze({
  /**
   * A member begins to run. `birth` says how its data came to be: `new` founds a cluster, `join` enters an existing one,
   * `restart` goes on with its data, `restore` goes on with data that a snapshot restore laid down, `forced` is a
   * restart with `--force-new-cluster`.
   */
  MemberStarted: eventKind<{
    readonly clusterId: string;
    readonly memberId: string;
    readonly name: string;
    readonly birth: string;
    readonly appliedIndex: number;
  }>('etcd.member.started'),
  /** The member published itself and serves clients. */
  MemberReady: eventKind<{ readonly clusterId: string; readonly memberId: string; readonly name: string }>(
    'etcd.member.ready',
  ),
  MemberStopped: eventKind<{ readonly memberId: string; readonly reason: string }>('etcd.member.stopped'),
  BecameLeader: eventKind<{ readonly clusterId: string; readonly memberId: string; readonly term: number }>(
    'etcd.raft.became-leader',
  ),
  /** Whom this member follows now; zeros when it knows of no leader. */
  LeaderChanged: eventKind<{ readonly memberId: string; readonly leader: string; readonly term: number }>(
    'etcd.raft.leader-changed',
  ),
  CommitAdvanced: eventKind<{ readonly memberId: string; readonly index: number; readonly term: number }>(
    'etcd.raft.commit-advanced',
  ),
  /** A batch of entries was applied, up to `index`. */
  Applied: eventKind<{
    readonly clusterId: string;
    readonly memberId: string;
    readonly index: number;
    readonly term: number;
    readonly revision: number;
  }>('etcd.applied'),
  MemberAdded: eventKind<{
    readonly by: string;
    readonly memberId: string;
    readonly learner: boolean;
    readonly index: number;
  }>('etcd.membership.added'),
  MemberPromoted: eventKind<{ readonly by: string; readonly memberId: string; readonly index: number }>(
    'etcd.membership.promoted',
  ),
  MemberUpdated: eventKind<{ readonly by: string; readonly memberId: string; readonly index: number }>(
    'etcd.membership.updated',
  ),
  MemberRemoved: eventKind<{ readonly by: string; readonly memberId: string; readonly index: number }>(
    'etcd.membership.removed',
  ),
  LeaseGranted: eventKind<{ readonly memberId: string; readonly lease: string; readonly ttlSec: number }>(
    'etcd.lease.granted',
  ),
  /** The leader found a lease's time to be over and proposes its revocation. */
  LeaseExpired: eventKind<{ readonly memberId: string; readonly lease: string }>('etcd.lease.expired'),
  LeaseRevoked: eventKind<{ readonly memberId: string; readonly lease: string; readonly keys: number }>(
    'etcd.lease.revoked',
  ),
  WalRepaired: eventKind<{ readonly path: string; readonly cutBytes: number }>('etcd.wal.repaired'),
  DatabaseRepaired: eventKind<{ readonly path: string; readonly cutBytes: number }>('etcd.database.repaired'),
  SnapshotSaved: eventKind<{ readonly memberId: string; readonly index: number }>('etcd.snapshot.saved'),
  SnapshotSent: eventKind<{ readonly memberId: string; readonly to: string; readonly index: number }>(
    'etcd.snapshot.sent',
  ),
  SnapshotApplied: eventKind<{ readonly memberId: string; readonly index: number; readonly term: number }>(
    'etcd.snapshot.applied',
  ),
  Compacted: eventKind<{ readonly memberId: string; readonly revision: number }>('etcd.compacted'),
  AlarmsChanged: eventKind<{ readonly memberId: string; readonly alarms: readonly string[] }>('etcd.alarms.changed'),
  PeerConnected: eventKind<{ readonly memberId: string; readonly peer: string }>('etcd.peer.connected'),
  PeerLost: eventKind<{ readonly memberId: string; readonly peer: string; readonly reason: string }>('etcd.peer.lost'),
  /** A peer's request was refused: foreign cluster, removed member, unknown sender. */
  PeerRefused: eventKind<{ readonly memberId: string; readonly from: string; readonly reason: string }>(
    'etcd.peer.refused',
  ),
  ClusterVersionSet: eventKind<{ readonly memberId: string; readonly version: string }>('etcd.cluster-version.set'),
});
