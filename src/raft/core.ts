import type { Config, LogLevel } from './api.ts';
import { sameConfState } from './confchange/restore.ts';
import { completeConfig, type FullConfig } from './config.ts';
import { RaftFatal } from './fatal.ts';
import { idHex, interned } from './ids.ts';
import { RaftLog } from './log.ts';
import { type Draft, messageTypeName } from './message.ts';
import { newReadQueue, type ReadQueue } from './read-queue.ts';
import { Tracker } from './tracker.ts';
import {
  type ConfState,
  type HardState,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  type ReadState,
  Role,
} from './types.ts';

const ROLE_NAMES = Object.freeze(['StateFollower', 'StateCandidate', 'StateLeader', 'StatePreCandidate']);

export function roleName(role: Role): string {
  return ROLE_NAMES[role]!;
}

/**
 * The state of a node. What happens to it is spread over the modules that take a `Core` as their first argument,
 * one per concern: elections, steps of each role, replication, membership, reads, ticks.
 */
export class Core {
  readonly config: FullConfig;
  readonly id: NodeId;
  readonly log: RaftLog;
  readonly tracker: Tracker;
  term = 0;
  vote: NodeId = NONE;
  role: Role = Role.Follower;
  lead: NodeId = NONE;
  leadTransferee: NodeId = NONE;
  isLearner = false;
  electionElapsed = 0;
  heartbeatElapsed = 0;
  randomizedElectionTimeout = 0;
  /** Conf changes are refused until this index is applied. */
  pendingConfIndex = 0;
  /** Payload size of the leader's entries that are not applied yet. */
  uncommittedSize = 0;
  /** Messages that may leave at once. */
  msgs: Message[] = [];
  /** Messages that may leave, or arrive here, only when what is unstable now is durable. */
  msgsAfterAppend: Message[] = [];
  readStates: ReadState[] = [];
  reads: ReadQueue;
  /** Reads that came before this leader committed anything in its term. */
  postponedReads: Message[] = [];
  private readonly prefix: string;

  constructor(given: Config) {
    const config = completeConfig(given);
    this.config = config;
    this.id = interned(config.id);
    this.prefix = idHex(config.id);
    const { logger } = config;
    this.log = new RaftLog(
      config.storage,
      config.maxCommittedSizePerReadyBytes,
      logger === undefined ? null : (text) => logger.log('INFO', text),
    );
    this.tracker = new Tracker(config.maxInflightMsgs, config.maxInflightBytes);
    this.reads = newReadQueue(config.behaviour);
  }

  get logging(): boolean {
    return this.config.logger !== undefined;
  }

  /** A log line that starts with the node's id. On hot paths, ask `logging` before building the text. */
  say(level: LogLevel, text: string): void {
    this.config.logger?.log(level, `${this.prefix} ${text}`);
  }

  hardState(): HardState {
    return { term: this.term, vote: this.vote, commit: this.log.committed };
  }

  /** Adopts a saved hard state; for construction. */
  loadHardState(saved: HardState): void {
    if (saved.commit < this.log.committed || saved.commit > this.log.lastIndex()) {
      throw new RaftFatal(
        `${this.prefix} state.commit ${saved.commit} is out of range [${this.log.committed}, ${this.log.lastIndex()}]`,
      );
    }
    this.log.committed = saved.commit;
    this.term = saved.term;
    this.vote = saved.vote;
  }

  assertSameConfState(given: ConfState, built: ConfState): void {
    if (!sameConfState(given, built)) {
      throw new RaftFatal(
        `ConfStates not equivalent after sorting:\n${JSON.stringify(given)}\n${JSON.stringify(built)}`,
      );
    }
  }

  /** Queues a message, with the term its type calls for (reference/raft.md A5). */
  send(message: Draft): void {
    const { type } = message;
    if (message.from === NONE) message.from = this.id;
    const isVoting =
      type === MessageType.Vote ||
      type === MessageType.VoteResp ||
      type === MessageType.PreVote ||
      type === MessageType.PreVoteResp;
    if (isVoting !== (message.term !== 0)) {
      throw new RaftFatal(
        isVoting
          ? `term should be set when sending ${messageTypeName(type)}`
          : `term should not be set when sending ${messageTypeName(type)} (was ${message.term})`,
      );
    }
    if (!isVoting && type !== MessageType.Prop && type !== MessageType.ReadIndex) message.term = this.term;
    if (type === MessageType.AppResp || type === MessageType.VoteResp || type === MessageType.PreVoteResp) {
      this.msgsAfterAppend.push(message);
      return;
    }
    if (message.to === this.id) {
      throw new RaftFatal(`message should not be self-addressed when sending ${messageTypeName(type)}`);
    }
    this.msgs.push(message);
  }

  /** Whether this node may stand for election now (A7). */
  promotable(): boolean {
    return !this.isLearner && this.tracker.progress.has(this.id) && this.log.unstable.snapshot === null;
  }

  /** Whether a node other than the leader has waited long enough to campaign. */
  pastElectionTimeout(): boolean {
    return this.electionElapsed >= this.randomizedElectionTimeout;
  }

  abortTransfer(): void {
    this.leadTransferee = NONE;
  }

  /** The part that is common to every change of role but the one to pre-candidate (A6). */
  private reset(term: number): void {
    if (this.term !== term) {
      this.term = term;
      this.vote = NONE;
    }
    this.lead = NONE;
    this.electionElapsed = 0;
    this.heartbeatElapsed = 0;
    this.drawElectionTimeout();
    this.abortTransfer();
    this.tracker.votes.clear();
    const last = this.log.lastIndex();
    for (const one of this.tracker.all) one.restart(one.id === this.id ? last : 0, last + 1);
    this.pendingConfIndex = 0;
    this.uncommittedSize = 0;
    this.reads = newReadQueue(this.config.behaviour);
  }

  private drawElectionTimeout(): void {
    const { electionTick, electionJitter } = this.config;
    const jitter = electionJitter(electionTick);
    if (!Number.isInteger(jitter) || jitter < 0 || jitter >= electionTick) {
      throw new RaftFatal(`election jitter must be a whole number in [0, ${electionTick}), got ${jitter}`);
    }
    this.randomizedElectionTimeout = electionTick + jitter;
  }

  becomeFollower(term: number, lead: NodeId): void {
    this.reset(term);
    this.lead = lead;
    this.role = Role.Follower;
    if (this.logging) this.say('INFO', `became follower at term ${this.term}`);
  }

  becomeCandidate(): void {
    if (this.role === Role.Leader) throw new RaftFatal('invalid transition [leader -> candidate]');
    this.reset(this.term + 1);
    this.vote = this.id;
    this.role = Role.Candidate;
    if (this.logging) this.say('INFO', `became candidate at term ${this.term}`);
  }

  /** Changes neither term nor vote, nor anything else that `reset` touches, but for the votes. */
  becomePreCandidate(): void {
    if (this.role === Role.Leader) throw new RaftFatal('invalid transition [leader -> pre-candidate]');
    this.tracker.votes.clear();
    this.lead = NONE;
    this.role = Role.PreCandidate;
    if (this.logging) this.say('INFO', `became pre-candidate at term ${this.term}`);
  }

  /** Up to, and not including, the empty entry a new leader appends. */
  startLeading(): void {
    if (this.role === Role.Follower) throw new RaftFatal('invalid transition [follower -> leader]');
    this.reset(this.term);
    this.lead = this.id;
    this.role = Role.Leader;
    const own = this.tracker.progress.get(this.id);
    if (own !== undefined) {
      own.becomeReplicate();
      own.recentActive = true;
    }
    // Conservative: whatever is in the log, unapplied, might be a conf change.
    this.pendingConfIndex = this.log.lastIndex();
  }
}
