import { EtcdError, type EtcdErrorKind } from '../../../api/etcd/errors.ts';
import type { ResponseHeader } from '../../../api/etcd/kv.ts';
import { AlarmAction, AlarmType } from '../../../api/etcd/maintenance.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TlsClient } from '../../../platform/rpc.ts';
import { Notifier, Once } from '../../../platform/signal.ts';
import { type Task, type TaskScope, wait } from '../../../platform/task.ts';
import {
  type ConfChange,
  type ConfState,
  type Entry,
  type MemoryStorage,
  type Message,
  NONE,
  type NodeId,
  type RawNode,
  type ReadState,
  Role,
  type Snapshot,
} from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { alarmText } from '../apply/alarms.ts';
import { Applier, type ApplyEffects } from '../apply/applier.ts';
import type { Database } from '../backend/database.ts';
import { urlTexts } from '../config/urls.ts';
import type { MembershipEffect } from '../membership/cluster.ts';
import { quorum } from '../membership/reconfiguration.ts';
import type { Change } from '../mvcc/store.ts';
import type { ServerObserver } from '../observer.ts';
import { Transport, type TransportOwner } from '../peers/transport.ts';
import { type DriverOwner, RaftDriver } from '../raft/driver.ts';
import { saveSnapshotFile } from '../snap/files.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Wal } from '../wal/wal.ts';
import { WatchHub } from '../watch/hub.ts';
import { ApplyLoop, type ApplyOwner } from './apply-loop.ts';
import { Compactor } from './compactor.ts';
import { electionTimeoutUs, type MemberIdentity, peerDialTimeoutUs, requestTimeoutUs } from './identity.ts';
import { LeaseKeeper, type LeaseOwner } from './lease-keeper.ts';
import { PeerCalls } from './peer-calls.ts';
import { orFatal, Persistence } from './persistence.ts';
import { Proposals } from './proposals.ts';
import { ReadBarrier } from './read-barrier.ts';
import { Reconfigurer } from './reconfigure.ts';
import { RequestIds } from './request-ids.ts';
import { installSnapshot, prepareSnapshot } from './snapshots.ts';

/** What start-up hands over: everything read from disk or made new. */
export interface MemberParts {
  readonly identity: MemberIdentity;
  readonly platform: Platform;
  readonly state: ReplicatedState;
  readonly node: RawNode;
  readonly storage: MemoryStorage;
  readonly wal: Wal;
  readonly database: Database;
  readonly snapDirectory: string;
  readonly peerTls: TlsClient | undefined;
  /** Members of a cluster being joined, which this member does not know by its log yet. */
  readonly remotes: readonly { readonly id: NodeId; readonly peerUrls: readonly string[] }[];
  readonly observer?: ServerObserver;
}

/** Why a member ends by itself. */
export type MemberEnd = 'removed';

/**
 * A running member: Raft, the state it decides, and what hangs on both. Services and peers talk to this; it knows
 * neither sockets nor flags beyond its configuration.
 */
export class Member implements DriverOwner, ApplyOwner, TransportOwner, LeaseOwner, ApplyEffects {
  readonly identity: MemberIdentity;
  readonly platform: Platform;
  readonly scope: TaskScope;
  readonly state: ReplicatedState;
  readonly applier: Applier;
  readonly driver: RaftDriver;
  readonly proposals: Proposals;
  readonly barrier: ReadBarrier;
  readonly hub: WatchHub;
  readonly leases: LeaseKeeper;
  readonly compactor: Compactor;
  readonly persistence: Persistence;
  readonly transport: Transport;
  readonly applyLoop: ApplyLoop;
  readonly peers: PeerCalls;
  readonly reconfigurer: Reconfigurer;
  readonly observer: ServerObserver | undefined;
  readonly peerTls: TlsClient | undefined;
  readonly log: Platform['log'];
  /** Leader or role changed. */
  readonly leadership = new Notifier();
  /** The first entry of a leader's term was applied. */
  readonly firstCommit = new Notifier();
  readonly ended = new Once<MemberEnd>();
  committedIndex = 0;
  readonly #parts: MemberParts;
  #leaderSinceUs = 0;
  #raisingNoSpace = false;

  constructor(parts: MemberParts) {
    const { identity, platform, state } = parts;
    const { config, behaviour } = identity;
    const { clock } = platform;
    this.#parts = parts;
    this.identity = identity;
    this.platform = platform;
    this.state = state;
    this.log = platform.log;
    this.observer = parts.observer;
    this.peerTls = parts.peerTls;
    this.peers = new PeerCalls(this);
    this.reconfigurer = new Reconfigurer(this);
    this.scope = platform.scope.child('member');
    this.applier = new Applier(state, this, {
      quotaBytes: config.quotaBackendBytes,
      nowUs: () => clock.monotonicUs(),
    });
    this.driver = new RaftDriver(clock, parts.node, parts.storage, parts.wal, config.tickUs, this);
    const ids = new RequestIds(identity.memberId, Math.floor(clock.nowUs() / 1000));
    const timeoutUs = requestTimeoutUs(config);
    this.proposals = new Proposals(clock, ids, this, { maxRequestBytes: config.maxRequestBytes, timeoutUs });
    const self = this;
    this.barrier = new ReadBarrier(
      clock,
      {
        get appliedIndex() {
          return self.appliedIndex;
        },
        requestReadIndex: (context) => this.driver.readIndex(context),
        whenApplied: (index, callback) => this.applyLoop.whenApplied(index, callback),
      },
      timeoutUs,
    );
    this.hub = new WatchHub(clock, () => state.store);
    this.leases = new LeaseKeeper(clock, this.scope, state.lessor, this, {
      retryUs: timeoutUs,
      checkpoint: config.leaseCheckpoint,
    });
    this.compactor = new Compactor(clock, () => state.store, {
      batchLimit: config.compactionBatchLimit,
      pauseUs: config.compactionSleepUs,
      onFinished: () => state.updateSize(),
    });
    const start = parts.storage.firstIndex() - 1;
    this.persistence = new Persistence(
      { clock, disk: platform.disk, log: this.log, state, wal: parts.wal, storage: parts.storage },
      parts.database,
      start,
      {
        batchIntervalUs: config.backendBatchIntervalUs,
        batchLimit: config.backendBatchLimit,
        snapshotCount: config.snapshotCount,
        memorySnapshotEvery: behaviour.memorySnapshotEvery,
        catchupEntries: config.snapshotCatchupEntries,
        maxSnapshots: config.maxSnapshots,
        maxWals: config.maxWals,
        snapDirectory: parts.snapDirectory,
      },
    );
    this.applyLoop = new ApplyLoop(this, start, parts.storage.term(start));
    this.transport = new Transport(
      {
        clock,
        rpc: platform.rpc,
        scope: this.scope,
        tls: parts.peerTls,
        dialTimeoutUs: peerDialTimeoutUs(config),
      },
      this,
    );
  }

  get localId(): NodeId {
    return this.identity.memberId;
  }

  get memberId(): NodeId {
    return this.identity.memberId;
  }

  get clusterId(): string {
    return this.identity.clusterId;
  }

  get serverVersion(): string {
    return this.identity.behaviour.serverVersion;
  }

  get peerUrls(): readonly string[] {
    return urlTexts(this.identity.config.advertisePeerUrls);
  }

  get appliedIndex(): number {
    return this.applyLoop.appliedIndex;
  }

  get lead(): NodeId {
    return this.driver.lead;
  }

  get isLeader(): boolean {
    return this.driver.isLeader;
  }

  get requestTimeoutUs(): number {
    return requestTimeoutUs(this.identity.config);
  }

  /** Starts the tasks and the connections to the other members. */
  start(): void {
    for (const remote of this.#parts.remotes) this.transport.add(remote.id, remote.peerUrls);
    for (const member of this.state.cluster.members()) this.transport.add(member.id, member.peerUrls);
    this.scope.spawn('database', () => this.persistence.run());
    this.scope.spawn('compactor', () => this.compactor.run());
    this.scope.spawn('raft', () => orFatal('failed to save Raft hard state and entries', this.driver.run()));
    const { compactRevision, finishedCompaction } = this.state.store;
    if (compactRevision > finishedCompaction) this.compactor.schedule(compactRevision);
  }

  stop(): void {
    this.driver.stop();
    this.transport.close();
    this.peers.close();
    this.leases.stop();
    this.hub.stop();
    this.barrier.close();
    this.proposals.stop();
    this.persistence.stop();
    this.scope.cancel();
  }

  /** A full header; `revision` 0 stands for the current one. */
  header(revision = 0): ResponseHeader {
    return {
      clusterId: this.identity.clusterId,
      memberId: this.identity.memberId,
      revision: revision === 0 ? this.state.store.currentRevision : revision,
      raftTerm: this.term,
    };
  }

  get term(): number {
    return Math.max(this.applyLoop.appliedTerm, this.#term);
  }

  #term = 0;

  // What Raft tells.

  leadershipChanged(lead: NodeId, role: Role, newLeader: boolean): void {
    const wasPrimary = this.state.lessor.isPrimary;
    if (newLeader) {
      this.#leaderSinceUs = this.platform.clock.monotonicUs();
      this.barrier.onLeaderChanged();
      const { term } = this.driver.node.basicStatus();
      this.log.event(EtcdEvent.LeaderChanged, { memberId: this.localId, leader: lead, term });
      if (role === Role.Leader) {
        this.log.event(EtcdEvent.BecameLeader, { clusterId: this.clusterId, memberId: this.localId, term });
      }
    }
    if (role !== Role.Leader && wasPrimary) this.leases.demote();
    this.leadership.notify();
  }

  readReady(state: ReadState): void {
    this.barrier.onReadState(state.requestContext as Uint8Array, state.index);
  }

  committed(index: number, term: number): void {
    this.#term = term;
    if (index <= this.committedIndex) return;
    this.committedIndex = index;
    this.log.event(EtcdEvent.CommitAdvanced, { memberId: this.localId, index, term });
  }

  applyEntries(entries: readonly Entry[]): void {
    this.applyLoop.apply(entries);
  }

  send(messages: readonly Message[]): void {
    this.transport.send(messages);
  }

  isRemoved(id: NodeId): boolean {
    return this.state.cluster.isRemoved(id);
  }

  saveSnapshotFile(snapshot: Snapshot): Task<void> {
    return orFatal(
      'failed to save Raft snapshot',
      saveSnapshotFile(this.platform.disk, this.#parts.snapDirectory, snapshot),
    );
  }

  applySnapshot(snapshot: Snapshot): Task<void> {
    return installSnapshot(this, this.#parts.snapDirectory, snapshot);
  }

  // What applying tells.

  applyConfChange(change: ConfChange): ConfState {
    return this.driver.node.applyConfChange(change);
  }

  membershipChanged(effect: MembershipEffect): void {
    if (effect.kind !== 'removed') {
      this.transport.add(effect.member.id, effect.member.peerUrls);
      return;
    }
    this.transport.remove(effect.id);
    if (effect.id === this.localId) this.#endSoon();
  }

  /** A removed member serves one more second, so that it can answer the request that removed it. */
  #endSoon(): void {
    this.platform.clock.after(1_000_000, () => this.ended.set('removed'));
  }

  firstCommitInTerm(): void {
    this.barrier.onFirstCommitInTerm();
    this.firstCommit.notify();
    if (this.isLeader) this.leases.promote(electionTimeoutUs(this.identity.config));
  }

  batchApplied(index: number, term: number): void {
    const { currentRevision } = this.state.store;
    const { clusterId, localId } = this;
    this.log.event(EtcdEvent.Applied, { clusterId, memberId: localId, index, term, revision: currentRevision });
    this.persistence.afterApply(index, this.driver);
  }

  changed(changes: readonly Change[]): void {
    this.hub.publish(changes);
  }

  compacted(revision: number): void {
    this.log.event(EtcdEvent.Compacted, { memberId: this.localId, revision });
    this.compactor.schedule(revision);
  }

  alarmsChanged(): void {
    this.log.event(EtcdEvent.AlarmsChanged, {
      memberId: this.localId,
      alarms: this.state.alarms.all.map((alarm) => alarmText(alarm).trim()),
    });
  }

  leaseGranted(lease: string, ttlSec: number): void {
    this.log.event(EtcdEvent.LeaseGranted, { memberId: this.localId, lease, ttlSec });
  }

  leaseRevoked(lease: string, keys: number): void {
    this.leases.leaseRemoved(lease);
    this.log.event(EtcdEvent.LeaseRevoked, { memberId: this.localId, lease, keys });
  }

  clusterVersionSet(version: string): void {
    this.log.event(EtcdEvent.ClusterVersionSet, { memberId: this.localId, version });
  }

  /** Raises NOSPACE for this member, once at a time. */
  overQuota(): void {
    if (this.#raisingNoSpace || this.state.alarms.list(AlarmType.NoSpace).some((a) => a.memberId === this.localId)) {
      return;
    }
    this.#raisingNoSpace = true;
    const self = this;
    this.scope.spawn('alarm', function* () {
      try {
        yield* self.proposals.request({
          alarm: { action: AlarmAction.Activate, memberId: self.localId, alarm: AlarmType.NoSpace },
        });
      } catch {
        // It is raised again by the next request that finds no room.
      } finally {
        self.#raisingNoSpace = false;
      }
    });
  }

  // What the transport tells.

  reportUnreachable(id: NodeId): void {
    this.driver.use((node) => node.reportUnreachable(id));
  }

  reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void {
    this.driver.use((node) => node.reportSnapshot(id, outcome));
  }

  toldRemoved(): void {
    this.ended.set('removed');
  }

  peerConnected(peer: NodeId): void {
    this.log.event(EtcdEvent.PeerConnected, { memberId: this.localId, peer });
  }

  peerLost(peer: NodeId, reason: string): void {
    this.log.event(EtcdEvent.PeerLost, { memberId: this.localId, peer, reason });
  }

  snapshotParts(message: Message): ReturnType<TransportOwner['snapshotParts']> {
    return prepareSnapshot(this, message);
  }

  snapshotDone(): void {
    this.persistence.snapshotEnded();
  }

  // Questions about time and connections.

  /** Whether a peer's stream has been up since `sinceUs`; true for oneself. */
  isConnectedSince(id: NodeId, sinceUs: number): boolean {
    if (id === this.localId) return true;
    const since = this.transport.connectedSinceUs(id);
    return since !== null && since <= sinceUs;
  }

  timeoutReason(startedUs: number): EtcdErrorKind {
    const lostUs = this.#leaderSinceUs - 2 * electionTimeoutUs(this.identity.config);
    if (startedUs > lostUs && startedUs < this.#leaderSinceUs) return EtcdError.TimeoutDueToLeaderFail;
    if (this.lead === this.localId) {
      const members = this.state.cluster.members();
      const connected = members.filter((member) => this.isConnectedSince(member.id, startedUs)).length;
      if (connected < quorum(members.length)) return EtcdError.TimeoutDueToConnectionLost;
    } else if (this.lead !== NONE && !this.isConnectedSince(this.lead, startedUs)) {
      return EtcdError.TimeoutDueToConnectionLost;
    }
    return EtcdError.Timeout;
  }

  // Leases.

  /**
   * True when this member leads for certain: it has been ticking all along, or a quorum confirms it now. A process that
   * was stopped may not know yet that others have elected another leader (reference/etcd.md A9, G2 "lease").
   */
  *ensureLeadership(): Task<boolean> {
    if (!this.isLeader || !this.driver.leadsNow) return false;
    const { ticker } = this.driver;
    const { config } = this.identity;
    const now = this.platform.clock.monotonicUs();
    const ticking = now - ticker.lastTickUs <= 3 * config.tickUs;
    if (ticking && now - ticker.lastStallUs > electionTimeoutUs(config)) return true;
    yield* this.barrier.wait();
    return this.isLeader && this.driver.leadsNow;
  }

  *revokeLease(id: string): Task<void> {
    yield* this.proposals.request({ leaseRevoke: { id } });
  }

  *checkpointLeases(checkpoints: readonly { readonly id: string; readonly remainingTtl: number }[]): Task<void> {
    yield* this.proposals.request({ leaseCheckpoint: { checkpoints } });
  }

  /** Waits until what is committed now is applied. */
  waitApplied(limitUs: number): Task<boolean> {
    const index = this.committedIndex;
    return wait<boolean>((resume) => {
      if (this.appliedIndex >= index) {
        resume(true);
        return () => {};
      }
      const timer = this.platform.clock.after(limitUs, () => {
        forget();
        resume(false);
      });
      const forget = this.applyLoop.whenApplied(index, () => {
        timer.cancel();
        resume(true);
      });
      return () => {
        timer.cancel();
        forget();
      };
    });
  }
}
