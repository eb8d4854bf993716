import type {
  AnyConfChange,
  Behaviour,
  ConfState,
  Data,
  Entry,
  HardState,
  Message,
  NodeId,
  RaftError,
  Ready,
  Role,
  Snapshot,
  StorageError,
} from './types.ts';

/** `Storage.term` of an index below the last compacted one. */
export const TERM_COMPACTED = -1;
/** `Storage.term` of an index above the last one. */
export const TERM_UNAVAILABLE = -2;

/** The durable log as the library reads it. The host writes it, from what `Ready` holds (A22). */
export interface Storage {
  /** Saved hard state and members; called once, at construction. */
  initialState(): { readonly hardState: HardState; readonly confState: ConfState };
  /**
   * Entries [lo, hi), cut to `maxSizeBytes` of encoded size but never to fewer than one.
   * `Compacted` if lo is too old; `Unavailable` if entries are missing.
   */
  entries(lo: number, hi: number, maxSizeBytes: number): readonly Entry[] | StorageError;
  /** Term of any index in [firstIndex-1, lastIndex]; `TERM_COMPACTED` below, `TERM_UNAVAILABLE` above. */
  term(index: number): number;
  firstIndex(): number;
  lastIndex(): number;
  /** The most recent snapshot, or `SnapshotTemporarilyUnavailable`: the leader then asks again later. */
  snapshot(): Snapshot | StorageError;
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
export interface Logger {
  log(level: LogLevel, text: string): void;
}

export type ReadOnlyOption = 'safe' | 'lease-based';

/** Options of a node (A2). An invalid one makes the constructor throw `RaftFatal`. */
export interface Config {
  readonly id: NodeId;
  /** Ticks without a leader's message before an election, before jitter. Above `heartbeatTick`. */
  readonly electionTick: number;
  /** Ticks between heartbeats. At least 1. */
  readonly heartbeatTick: number;
  readonly storage: Storage;
  /** A whole number in [0, electionTick), added to the election timeout at every change of role. */
  readonly electionJitter: (electionTick: number) => number;
  /** Last index the application has applied before this start. Default 0: start at the snapshot. */
  readonly applied?: number;
  /** Work is handed to storage threads by messages, not by Ready and Advance. Default false. */
  readonly asyncStorageWrites?: boolean;
  /** Encoded size of the entries in one append message; 0 sends one entry at a time. Default `NO_LIMIT`. */
  readonly maxSizePerMsgBytes?: number;
  /** Encoded size of entries handed out for application and not yet acknowledged. 0 or absent: as `maxSizePerMsgBytes`. */
  readonly maxCommittedSizePerReadyBytes?: number;
  /** Payload size of the leader's uncommitted tail. 0 or absent: no limit. */
  readonly maxUncommittedSizeBytes?: number;
  /** Append messages in flight to one peer. Above 0. */
  readonly maxInflightMsgs: number;
  /** Payload bytes in flight to one peer, at least `maxSizePerMsgBytes`. 0 or absent: no limit. */
  readonly maxInflightBytes?: number;
  /** A leader without contact to a quorum steps down; voters in contact with a leader refuse votes. Default false. */
  readonly checkQuorum?: boolean;
  /** Ask whether an election could be won before starting one. Default false. */
  readonly preVote?: boolean;
  /** Default `'safe'`. `'lease-based'` requires `checkQuorum`. */
  readonly readOnly?: ReadOnlyOption;
  /** A follower drops proposals instead of passing them to its leader. Default false. */
  readonly disableProposalForwarding?: boolean;
  /** The leader does not check conf changes as they are proposed. Default false. */
  readonly disableConfChangeValidation?: boolean;
  /** A leader resigns when it applies its own removal or demotion. Default false. */
  readonly stepDownOnRemoval?: boolean;
  /** Default `'3.7'`. */
  readonly behaviour?: Behaviour;
  readonly logger?: Logger;
}

/** One initial member for `RawNode.bootstrap`. */
export interface Peer {
  readonly id: NodeId;
  readonly context: Uint8Array | null;
}

export const ProgressState = { Probe: 0, Replicate: 1, Snapshot: 2 } as const;
export type ProgressState = (typeof ProgressState)[keyof typeof ProgressState];

/** A copy of what a leader knows about one peer (A12). */
export interface ProgressView {
  readonly id: NodeId;
  readonly match: number;
  readonly next: number;
  readonly state: ProgressState;
  readonly sentCommit: number;
  readonly pendingSnapshot: number;
  readonly recentActive: boolean;
  readonly paused: boolean;
  readonly isLearner: boolean;
  readonly inflightMsgs: number;
  readonly inflightBytes: number;
  readonly inflightFull: boolean;
}

export interface BasicStatus {
  readonly id: NodeId;
  readonly term: number;
  readonly vote: NodeId;
  readonly commit: number;
  readonly lead: NodeId;
  readonly role: Role;
  readonly applied: number;
  readonly leadTransferee: NodeId;
}

export interface Status extends BasicStatus {
  /** As in etcd's raft, `autoLeave` is always false here; `inspect()` has the true value. */
  readonly config: ConfState;
  /** Ascending by id; empty unless the node leads. */
  readonly progress: readonly ProgressView[];
}

/** A look inside, for checkers, views and tests. Everything is a copy, safe to keep. */
export interface Inspection extends BasicStatus {
  readonly config: ConfState;
  /** Ascending by id, whatever the role. */
  readonly progress: readonly ProgressView[];
  readonly applying: number;
  readonly firstIndex: number;
  readonly lastIndex: number;
  /** Lowest index that storage has not acknowledged. */
  readonly unstableOffset: number;
  readonly unstableOffsetInProgress: number;
  readonly unstableSnapshot: Snapshot | null;
  /** The whole log [firstIndex, lastIndex], stable and unstable. */
  readonly entries: readonly Entry[];
  /** Votes recorded in the election under way, ascending by id. */
  readonly votes: readonly { readonly id: NodeId; readonly granted: boolean }[];
  readonly electionElapsed: number;
  readonly heartbeatElapsed: number;
  readonly randomizedElectionTimeout: number;
  readonly pendingConfIndex: number;
  readonly uncommittedSizeBytes: number;
  readonly isLearner: boolean;
  /** Reads that wait for the first commit of this leader's term, and reads that wait for a quorum. */
  readonly postponedReads: number;
  readonly unconfirmedReads: number;
}

/**
 * A node without threads, clock or I/O. Not re-entrant. Methods that return an error return `null` for
 * success. Illegal use throws `RaftFatal`; no message of a peer can make `step` throw.
 */
export interface RaftNode {
  readonly id: NodeId;
  /** The reason why this node halted (see `RaftError.Halted`), or `null`. Any further call but the views throws. */
  readonly halted: string | null;
  /** One unit of the host's time. */
  tick(): void;
  /** Same outcome as calling `tick()` `count` times. */
  tickN(count: number): void;
  /** The number of the coming tick, counted from 1, that may do more than count; `Infinity` if none will. */
  ticksUntilAction(): number;
  campaign(): RaftError | null;
  propose(data: Data): RaftError | null;
  /** Several entries in one proposal: accepted or dropped together, and replicated in one message. */
  proposeBatch(batch: readonly Data[]): RaftError | null;
  proposeConfChange(change: AnyConfChange): RaftError | null;
  /** Puts a committed change in force; the result is to be stored with the next snapshot. */
  applyConfChange(change: AnyConfChange): ConfState;
  /** A message from a peer, or from this node's own storage threads. */
  step(message: Message): RaftError | null;
  hasReady(): boolean;
  /** Takes what is to be done. In synchronous mode `advance()` must follow before the next one. */
  ready(): Ready;
  /** What `ready` asked for is done. Synchronous mode only. */
  advance(): void;
  reportUnreachable(id: NodeId): void;
  reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void;
  transferLeader(to: NodeId): void;
  forgetLeader(): RaftError | null;
  /** Asks for a `ReadState` with this context. Silently lost when there is no leader: ask again after a while. */
  readIndex(requestContext: Uint8Array): void;
  /** Starts a cluster on an empty storage with these voters (A4). Returns an error text or `null`. */
  bootstrap(peers: readonly Peer[]): string | null;
  basicStatus(): BasicStatus;
  status(): Status;
  inspect(): Inspection;
  /** Term of an index in the log, or `TERM_COMPACTED` / `TERM_UNAVAILABLE`. */
  term(index: number): number;
}
