import type { EtcdErrorKind } from '../../../api/etcd/errors.ts';
import type { ResponseHeader } from '../../../api/etcd/kv.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TlsClient } from '../../../platform/rpc.ts';
import { Notifier, Once } from '../../../platform/signal.ts';
import { type Task, type TaskScope, wait } from '../../../platform/task.ts';
import type { ConfChange, ConfState, Entry, Message, NodeId, ReadState, Role, Snapshot } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { Applier } from '../apply/applier.ts';
import type { MembershipEffect } from '../membership/cluster.ts';
import type { ServerObserver } from '../observer.ts';
import { Transport } from '../peers/transport.ts';
import { type DriverOwner, RaftDriver } from '../raft/driver.ts';
import { saveSnapshotFile } from '../snap/files.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import { WatchHub } from '../watch/hub.ts';
import { ApplyLoop, type ApplyOwner } from './apply-loop.ts';
import { Compactor } from './compactor.ts';
import { Effects } from './effects.ts';
import { electionTimeoutUs, type MemberIdentity, peerDialTimeoutUs, requestTimeoutUs } from './identity.ts';
import { Leadership } from './leadership.ts';
import { LeaseKeeper, type LeaseOwner } from './lease-keeper.ts';
import type { MemberParts } from './parts.ts';
import { PeerCalls } from './peer-calls.ts';
import { PeerEvents } from './peer-events.ts';
import { orFatal, Persistence } from './persistence.ts';
import { type ProposalOwner, Proposals } from './proposals.ts';
import { type BarrierOwner, ReadBarrier } from './read-barrier.ts';
import { Reconfigurer } from './reconfigure.ts';
import { RequestIds } from './request-ids.ts';
import { installSnapshot } from './snapshots.ts';

/** Why a member ends by itself. */
export type MemberEnd = 'removed';

/**
 * A running member: Raft, the state it decides, and what hangs on both. Services and peers talk to this; it knows
 * neither sockets nor flags beyond its configuration.
 */
export class Member implements DriverOwner, ApplyOwner, LeaseOwner, ProposalOwner, BarrierOwner {
  readonly identity: MemberIdentity;
  readonly platform: Platform;
  readonly log: Platform['log'];
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
  readonly leadership: Leadership;
  readonly effects: Effects;
  readonly observer: ServerObserver | undefined;
  readonly peerTls: TlsClient | undefined;
  /** The first entry of a leader's term was applied. */
  readonly firstCommit = new Notifier();
  readonly ended = new Once<MemberEnd>();
  committedIndex = 0;
  readonly #parts: MemberParts;
  #term = 0;

  constructor(parts: MemberParts) {
    const { identity, platform, state } = parts;
    const { config } = identity;
    const { clock } = platform;
    this.#parts = parts;
    this.identity = identity;
    this.platform = platform;
    this.log = platform.log;
    this.state = state;
    this.observer = parts.observer;
    this.peerTls = parts.peerTls;
    this.scope = platform.scope.child('member');
    this.peers = new PeerCalls(this);
    this.reconfigurer = new Reconfigurer(this);
    this.leadership = new Leadership(this);
    this.effects = new Effects(this);
    const limits = { quotaBytes: config.quotaBackendBytes, nowUs: () => clock.monotonicUs() };
    this.applier = new Applier(state, this.effects, limits);
    this.driver = new RaftDriver(clock, parts.node, parts.storage, parts.wal, config.tickUs, this);
    const ids = new RequestIds(identity.memberId, Math.floor(clock.nowUs() / 1000));
    const timeoutUs = requestTimeoutUs(config);
    this.proposals = new Proposals(clock, ids, this, { maxRequestBytes: config.maxRequestBytes, timeoutUs });
    this.barrier = new ReadBarrier(clock, ids, this, timeoutUs);
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
    this.persistence = newPersistence(parts, start);
    this.applyLoop = new ApplyLoop(this, start, parts.storage.term(start));
    const dialTimeoutUs = peerDialTimeoutUs(config);
    const wire = { clock, rpc: platform.rpc, scope: this.scope, tls: parts.peerTls, dialTimeoutUs };
    this.transport = new Transport(wire, new PeerEvents(this));
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

  get term(): number {
    return Math.max(this.applyLoop.appliedTerm, this.#term);
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

  // What Raft tells.

  leadershipChanged(lead: NodeId, role: Role, newLeader: boolean): void {
    this.leadership.note(lead, role, newLeader);
  }

  readReady(state: ReadState): void {
    this.barrier.onReadState(state.requestContext as Uint8Array, state.index);
  }

  committed(index: number, term: number): void {
    this.#term = term;
    if (index <= this.committedIndex) return;
    this.committedIndex = index;
    this.log.event(EtcdEvent.CommitAdvanced, { memberId: this.memberId, index, term });
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
    const { disk } = this.platform;
    return orFatal('failed to save Raft snapshot', saveSnapshotFile(disk, this.#parts.snapDirectory, snapshot));
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
    // A removed member serves one more second, so that it can answer the request that removed it.
    if (effect.id === this.memberId) this.platform.clock.after(1_000_000, () => this.ended.set('removed'));
  }

  firstCommitInTerm(): void {
    this.barrier.onFirstCommitInTerm();
    this.firstCommit.notify();
    if (this.isLeader) this.leases.promote(electionTimeoutUs(this.identity.config));
  }

  batchApplied(index: number, term: number): void {
    const { clusterId, memberId } = this;
    const revision = this.state.store.currentRevision;
    this.log.event(EtcdEvent.Applied, { clusterId, memberId, index, term, revision });
    this.persistence.afterApply(index, this.driver);
  }

  // What leases, reads and proposals ask.

  requestReadIndex(context: Uint8Array): void {
    this.driver.readIndex(context);
  }

  whenApplied(index: number, callback: () => void): void {
    this.applyLoop.whenApplied(index, callback);
  }

  timeoutReason(startedUs: number): EtcdErrorKind {
    return this.leadership.timeoutReason(startedUs);
  }

  /** Whether a peer's stream has been up since `sinceUs`; true for oneself. */
  isConnectedSince(id: NodeId, sinceUs: number): boolean {
    if (id === this.memberId) return true;
    const since = this.transport.connectedSinceUs(id);
    return since !== null && since <= sinceUs;
  }

  ensureLeadership(): Task<boolean> {
    return this.leadership.ensure();
  }

  *revokeLease(id: string): Task<void> {
    yield* this.proposals.request('leaseRevoke', { id });
  }

  *checkpointLeases(checkpoints: readonly { readonly id: string; readonly remainingTtl: number }[]): Task<void> {
    yield* this.proposals.request('leaseCheckpoint', { checkpoints });
  }

  /** Waits until what is committed now is applied; false when that took longer than `limitUs`. */
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

function newPersistence(parts: MemberParts, snapshotIndex: number): Persistence {
  const { identity, platform, state, wal, storage, database, snapDirectory } = parts;
  const { config, behaviour } = identity;
  const { clock, disk, log } = platform;
  return new Persistence({ clock, disk, log, state, wal, storage }, database, snapshotIndex, {
    batchIntervalUs: config.backendBatchIntervalUs,
    batchLimit: config.backendBatchLimit,
    snapshotCount: config.snapshotCount,
    memorySnapshotEvery: behaviour.memorySnapshotEvery,
    catchupEntries: config.snapshotCatchupEntries,
    maxSnapshots: config.maxSnapshots,
    maxWals: config.maxWals,
    snapDirectory,
  });
}
