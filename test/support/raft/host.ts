import {
  type ConfState,
  type Inspection,
  LOCAL_APPEND_THREAD,
  LOCAL_APPLY_THREAD,
  type Message,
  MessageType,
  type NodeId,
  type RaftError,
  RawNode,
  type Ready,
  Role,
  type Snapshot,
} from '../../../src/raft/index.ts';
import { Disk, type DiskImage, type SnapshotSource } from './disk.ts';
import type { PlanOptions } from './plan.ts';
import { type Cause, Refusal } from './spec/facts.ts';
import type { Spec } from './spec.ts';

/** What a host needs of the world around it. */
export interface Surroundings {
  readonly spec: Spec;
  readonly options: PlanOptions;
  readonly jitter: (electionTick: number) => number;
  send(message: Message): void;
}

type Phase = 'send' | 'write' | 'sync' | 'apply' | 'advance';
const SAFE_ORDER: readonly Phase[] = Object.freeze(['write', 'sync', 'send', 'apply', 'advance']);
const LEADER_ORDER: readonly Phase[] = Object.freeze(['send', 'write', 'sync', 'apply', 'advance']);

/** A node with its disk and application, driven one small step at a time, so that it can crash in between. */
export class Host implements SnapshotSource {
  readonly id: NodeId;
  readonly disk: Disk;
  raft: RawNode | null = null;
  /** The process stands still; what is sent to it waits. */
  paused = false;
  /** Nothing gets written. */
  slow = false;
  applied = 0;
  confState: ConfState;
  readonly around: Surroundings;
  private ready: Ready | null = null;
  private phases: readonly Phase[] = [];
  private appendQueue: Message[] = [];
  private applyQueue: Message[] = [];
  private written = false;

  constructor(id: NodeId, image: DiskImage, around: Surroundings) {
    this.id = id;
    this.around = around;
    this.disk = new Disk(image, around.options.checkpoints, this);
    this.confState = image.snapshot.confState;
  }

  start(bootstrapWith: readonly NodeId[] = []): void {
    const { options, jitter, spec } = this.around;
    const { confState } = this.disk.initialState();
    const applied = this.disk.restartsAt();
    this.ready = null;
    this.phases = [];
    this.appendQueue = [];
    this.applyQueue = [];
    this.written = false;
    const raft = new RawNode({
      id: this.id,
      electionTick: options.electionTick,
      heartbeatTick: options.heartbeatTick,
      storage: this.disk,
      electionJitter: jitter,
      applied,
      asyncStorageWrites: options.asyncStorage,
      maxSizePerMsgBytes: options.maxSizePerMsgBytes,
      maxCommittedSizePerReadyBytes: options.maxCommittedSizePerReadyBytes,
      maxUncommittedSizeBytes: options.maxUncommittedSizeBytes,
      maxInflightMsgs: options.maxInflightMsgs,
      maxInflightBytes: options.maxInflightBytes,
      checkQuorum: options.checkQuorum,
      preVote: options.preVote,
      readOnly: options.readOnly,
      disableProposalForwarding: options.disableProposalForwarding,
      stepDownOnRemoval: options.stepDownOnRemoval,
      behaviour: options.behaviour,
    });
    if (bootstrapWith.length > 0) raft.bootstrap(bootstrapWith.map((id) => ({ id, context: null })));
    this.raft = raft;
    this.applied = applied;
    this.confState = bootstrapWith.length > 0 ? raft.inspect().config : confState;
    spec.started(raft.inspect(), this.disk.durable, this.confState, applied);
  }

  crash(unsyncedSurvives: boolean): void {
    this.raft = null;
    this.paused = false;
    this.slow = false;
    this.disk.crash(unsyncedSurvives);
    this.around.spec.persisted(this.id, this.disk.durable);
    this.around.spec.crashed(this.id);
  }

  current(): Snapshot {
    const { applied, confState, disk } = this;
    if (applied <= disk.visible.snapshot.index) return disk.visible.snapshot;
    return { index: applied, term: disk.term(applied), confState, data: null };
  }

  get running(): RawNode | null {
    return this.paused ? null : this.raft;
  }

  view(): Inspection {
    return this.raft!.inspect();
  }

  /** Lets the node act, and the specification judge. */
  act(raft: RawNode, cause: (result: RaftError | null) => Cause, action: () => unknown): RaftError | null {
    const result = (action() ?? null) as RaftError | null;
    if (raft.halted !== null) throw new Refusal('nodes never halt', raft.halted);
    this.around.spec.stepped(this.id, cause(result), raft.inspect());
    return result;
  }

  receive(message: Message): void {
    const { raft } = this;
    if (raft === null) return;
    this.around.spec.arrives(this.id, message);
    this.act(
      raft,
      (result) => ({ kind: 'message', message, result }),
      () => raft.step(message),
    );
  }

  tick(count: number): void {
    const raft = this.running;
    if (raft === null) return;
    // One at a time or in a stretch: the outcome is to be the same.
    this.act(
      raft,
      () => ({ kind: 'tick', count }),
      () => raft.tickN(count),
    );
  }

  /** One small step of the host's own work; false if there is none. `lane` chooses among the three of asynchronous mode. */
  work(lane: number): boolean {
    const raft = this.running;
    if (raft === null) return false;
    if (!this.around.options.asyncStorage) return this.workInTurn(raft);
    for (let i = 0; i < 3; i++) {
      const at = (lane + i) % 3;
      if (at === 0 && raft.hasReady()) return this.takeAsync(raft);
      if (at === 1 && !this.slow && this.appendQueue.length > 0) return this.workAppend(raft);
      if (at === 2 && this.applyQueue.length > 0) return this.workApply(raft);
    }
    return false;
  }

  private workInTurn(raft: RawNode): boolean {
    const { ready } = this;
    if (ready === null) {
      if (!raft.hasReady()) return false;
      this.ready = this.take(raft);
      const sendsFirst = this.around.options.leaderSendsFirst && raft.basicStatus().role === Role.Leader;
      this.phases = sendsFirst ? LEADER_ORDER : SAFE_ORDER;
      return true;
    }
    const [phase, ...rest] = this.phases;
    if (phase === 'write' && this.slow) return false;
    this.phases = rest;
    if (phase === 'send') this.sendAll(ready.messages);
    else if (phase === 'write') this.disk.write(ready.hardState, ready.entries, ready.snapshot);
    else if (phase === 'sync') this.syncIf(ready.mustSync || ready.snapshot !== null);
    else if (phase === 'apply') this.apply(raft, ready.snapshot, ready.committedEntries);
    else {
      this.ready = null;
      this.act(
        raft,
        () => ({ kind: 'advance' }),
        () => raft.advance(),
      );
    }
    return true;
  }

  private take(raft: RawNode): Ready {
    const ready = raft.ready();
    const { spec } = this.around;
    spec.handedOut(this.id, ready);
    for (const read of ready.readStates) spec.answers(this.id, read);
    return ready;
  }

  private syncIf(needed: boolean): void {
    if (!needed) return;
    this.disk.sync();
    this.around.spec.persisted(this.id, this.disk.durable);
  }

  private sendAll(messages: readonly Message[]): void {
    for (const message of messages) {
      this.around.spec.sends(this.id, message);
      this.around.send(message);
    }
  }

  private apply(raft: RawNode, snapshot: Snapshot | null, entries: Ready['committedEntries']): void {
    const { spec } = this.around;
    if (snapshot !== null) {
      spec.restores(this.id, snapshot);
      this.applied = snapshot.index;
      this.confState = snapshot.confState;
    }
    for (const entry of entries) {
      const change = spec.applies(this.id, entry);
      this.applied = entry.index;
      if (change === null) continue;
      const { role } = raft.basicStatus();
      this.act(
        raft,
        () => ({ kind: 'conf' }),
        () => {
          this.confState = raft.applyConfChange(change);
        },
      );
      spec.changed(this.id, role);
    }
    if (entries.length > 0) this.disk.note(this.applied, this.confState);
  }

  private takeAsync(raft: RawNode): boolean {
    const leaving: Message[] = [];
    for (const message of this.take(raft).messages) {
      if (message.to === LOCAL_APPEND_THREAD) this.appendQueue.push(message);
      else if (message.to === LOCAL_APPLY_THREAD) this.applyQueue.push(message);
      else leaving.push(message);
    }
    this.sendAll(leaving);
    this.act(
      raft,
      () => ({ kind: 'host' }),
      () => undefined,
    );
    return true;
  }

  private workAppend(raft: RawNode): boolean {
    const message = this.appendQueue[0]!;
    const { term, vote, commit, entries, snapshot, responses } = message;
    if (!this.written) {
      const hasState = term !== 0 || commit !== 0;
      this.disk.write(hasState ? { term, vote, commit } : null, entries, snapshot);
      this.written = true;
      return true;
    }
    this.written = false;
    this.appendQueue.shift();
    this.syncIf(true);
    if (snapshot !== null) this.apply(raft, snapshot, []);
    this.respond(raft, responses);
    return true;
  }

  private workApply(raft: RawNode): boolean {
    const message = this.applyQueue.shift()!;
    // A snapshot that was written meanwhile may have gone ahead of them.
    this.apply(
      raft,
      null,
      message.entries.filter(({ index }) => index > this.applied),
    );
    this.respond(raft, message.responses);
    return true;
  }

  private respond(raft: RawNode, responses: readonly Message[]): void {
    for (const response of responses) {
      if (response.to !== this.id) {
        this.sendAll([response]);
        continue;
      }
      const isVote = response.type === MessageType.VoteResp || response.type === MessageType.PreVoteResp;
      if (isVote) this.around.spec.sends(this.id, response);
      this.act(
        raft,
        () => ({ kind: 'advance' }),
        () => raft.step(response),
      );
    }
  }

  compact(keep: number): void {
    const { raft, applied, disk } = this;
    if (raft === null || this.ready !== null || this.written || applied <= disk.visible.snapshot.index) return;
    // A commit that the saved hard state does not cover yet is not for a snapshot that a restart begins with.
    if (applied > disk.visible.hardState.commit || this.view().unstableSnapshot !== null) return;
    disk.compact(this.current(), keep);
    this.around.spec.persisted(this.id, disk.durable);
    this.act(
      raft,
      () => ({ kind: 'host' }),
      () => undefined,
    );
  }
}
