import type { BasicStatus, Config, Inspection, Peer, RaftNode, Status } from './api.ts';
import { bootstrap } from './bootstrap.ts';
import { confChangeEntry } from './confchange/codec.ts';
import type { Core } from './core.ts';
import { DamagedLog, RaftFatal } from './fatal.ts';
import { isMalformed } from './guard.ts';
import { isLocalThread } from './ids.ts';
import { applyConfChange } from './membership.ts';
import { type Draft, draft, isLocalType, isResponseType, unstamped } from './message.ts';
import { OnAdvance } from './on-advance.ts';
import { buildReady, hasReady, type Told } from './ready.ts';
import { startCore } from './start.ts';
import { basicStatus, inspect, status } from './status.ts';
import { step } from './step.ts';
import { EMPTY_HARD_STATE } from './storage.ts';
import { tickMany, ticksUntilAction } from './ticks.ts';
import {
  type AnyConfChange,
  type ConfState,
  type Data,
  type Entry,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  RaftError,
  type Ready,
} from './types.ts';

/** A Raft node as a value: see `RaftNode` for what its methods mean, `docs/raft.md` for how to drive it. */
export class RawNode implements RaftNode {
  readonly id: NodeId;
  private readonly core: Core;
  private readonly told: Told;
  private readonly onAdvance = new OnAdvance();
  private haltedBy: string | null = null;

  constructor(config: Config) {
    const core = startCore(config);
    this.core = core;
    this.id = core.id;
    // A restarted node has nothing to tell that is not in its storage.
    this.told = { lead: core.lead, role: core.role, hardState: core.hardState() };
  }

  get halted(): string | null {
    return this.haltedBy;
  }

  private assertAlive(): void {
    if (this.haltedBy !== null) throw new RaftFatal(this.haltedBy);
  }

  tick(): void {
    this.tickN(1);
  }

  tickN(count: number): void {
    this.assertAlive();
    tickMany(this.core, count);
  }

  ticksUntilAction(): number {
    return ticksUntilAction(this.core);
  }

  campaign(): RaftError | null {
    return this.stepOwn(draft(MessageType.Hup, NONE));
  }

  propose(data: Data): RaftError | null {
    return this.proposeEntries([unstamped(data)]);
  }

  proposeBatch(batch: readonly Data[]): RaftError | null {
    return this.proposeEntries(batch.map((data) => unstamped(data)));
  }

  private proposeEntries(entries: readonly Entry[]): RaftError | null {
    const proposal = draft(MessageType.Prop, NONE);
    proposal.from = this.id;
    proposal.entries = entries;
    return this.stepOwn(proposal);
  }

  proposeConfChange(change: AnyConfChange): RaftError | null {
    const proposal = draft(MessageType.Prop, NONE);
    proposal.entries = [confChangeEntry(change, this.core.config.behaviour)];
    return this.stepOwn(proposal);
  }

  applyConfChange(change: AnyConfChange): ConfState {
    this.assertAlive();
    return applyConfChange(this.core, change);
  }

  private stepOwn(message: Draft): RaftError | null {
    this.assertAlive();
    return step(this.core, message);
  }

  step(message: Message): RaftError | null {
    if (this.haltedBy !== null) return RaftError.Halted;
    const { core } = this;
    if (!isLocalThread(message.from)) {
      if (isLocalType(message.type)) return RaftError.StepLocalMsg;
      if (isResponseType(message.type) && !core.tracker.progress.has(message.from)) return RaftError.StepPeerNotFound;
      if (isMalformed(core, message)) return RaftError.Malformed;
    }
    try {
      return step(core, message);
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      this.haltedBy = error.message;
      return RaftError.Halted;
    }
  }

  hasReady(): boolean {
    this.assertAlive();
    return hasReady(this.core, this.told);
  }

  ready(): Ready {
    this.assertAlive();
    const ready = buildReady(this.core, this.told);
    this.accept(ready);
    return ready;
  }

  private accept(ready: Ready): void {
    const { core } = this;
    const { asyncStorageWrites } = core.config;
    const { committedEntries, hardState } = ready;
    const committedBytes = core.log.applyingBytes(committedEntries);
    if (!asyncStorageWrites) this.onAdvance.expect(core, ready, committedBytes);
    this.told.lead = core.lead;
    this.told.role = core.role;
    if (hardState !== null) this.told.hardState = hardState;
    if (core.readStates.length > 0) core.readStates = [];
    if (core.msgs.length > 0) core.msgs = [];
    if (core.msgsAfterAppend.length > 0) core.msgsAfterAppend = [];
    core.log.unstable.acceptInProgress();
    if (committedEntries.length > 0) {
      const last = committedEntries[committedEntries.length - 1]!.index;
      core.log.acceptApplying(last, committedBytes, !asyncStorageWrites);
    }
  }

  advance(): void {
    this.assertAlive();
    if (this.core.config.asyncStorageWrites) {
      throw new RaftFatal('Advance must not be called when using AsyncStorageWrites');
    }
    this.onAdvance.run(this.core);
  }

  reportUnreachable(id: NodeId): void {
    this.report(MessageType.Unreachable, id, false);
  }

  reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void {
    this.report(MessageType.SnapStatus, id, outcome === 'failure');
  }

  transferLeader(to: NodeId): void {
    this.report(MessageType.TransferLeader, to, false);
  }

  /** A message of the host's that names the node it is about as its sender. */
  private report(type: MessageType, about: NodeId, reject: boolean): void {
    const message = draft(type, NONE);
    message.from = about;
    message.reject = reject;
    this.stepOwn(message);
  }

  forgetLeader(): RaftError | null {
    return this.stepOwn(draft(MessageType.ForgetLeader, NONE));
  }

  readIndex(requestContext: Uint8Array): void {
    const request = draft(MessageType.ReadIndex, NONE);
    request.entries = [unstamped(requestContext)];
    this.stepOwn(request);
  }

  bootstrap(peers: readonly Peer[]): string | null {
    this.assertAlive();
    const refused = bootstrap(this.core, peers);
    // Everything about the new cluster is still to be told, and to be stored.
    if (refused === null) this.told.hardState = EMPTY_HARD_STATE;
    return refused;
  }

  basicStatus(): BasicStatus {
    return basicStatus(this.core);
  }

  status(): Status {
    return status(this.core);
  }

  inspect(): Inspection {
    return inspect(this.core);
  }

  term(index: number): number {
    return this.core.log.term(index);
  }

  /** Replaces the drawn election timeout until the next draw; for tests that need to know it. */
  setRandomizedElectionTimeout(ticks: number): void {
    this.core.randomizedElectionTimeout = ticks;
  }
}
