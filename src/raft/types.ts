/**
 * The vocabulary of the Raft library: everything that crosses its border.
 *
 * Terms and indexes are safe integers. Byte counts are safe integers too. Node ids are 64-bit and travel as
 * sixteen lower-case hexadecimal digits, so that they sort, compare and print without big integers.
 * Values are immutable once handed over: the library never changes a message, entry or array that it gave
 * out or was given, and expects the same of its host.
 */

/** A 64-bit node id as sixteen lower-case hexadecimal digits, e.g. `'00000000000000a1'`. */
export type NodeId = string;

/** "No node"; also the sender of messages that the local application makes (reference/raft.md A1). */
export const NONE: NodeId = '0000000000000000';
/** Pseudo-node that makes entries, hard state and snapshots durable in asynchronous mode (A20). */
export const LOCAL_APPEND_THREAD: NodeId = 'ffffffffffffffff';
/** Pseudo-node that applies committed entries in asynchronous mode (A20). */
export const LOCAL_APPLY_THREAD: NodeId = 'fffffffffffffffe';
/** "No limit", for every option that counts bytes. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * Data the library carries without looking inside. A host that keeps everything in one process may hand over
 * an object instead of bytes; its `sizeBytes` stands for the length of the bytes in every size rule.
 */
export interface OpaqueData {
  readonly sizeBytes: number;
}
/** Contents of an entry or a snapshot. `null` is "absent", which the wire tells apart from "empty". */
export type Data = Uint8Array | OpaqueData | null;

/** Which release of etcd's raft to behave like, wherever two releases differ. */
export type Behaviour = '3.6' | '3.7';

export const EntryType = { Normal: 0, ConfChange: 1, ConfChangeV2: 2 } as const;
export type EntryType = (typeof EntryType)[keyof typeof EntryType];

/** One log entry. The data of both conf-change types is the protobuf encoding of that change, as `Uint8Array`. */
export interface Entry {
  readonly term: number;
  readonly index: number;
  readonly type: EntryType;
  /** Whether `type` is written on the wire; it costs two bytes of encoded size if so (A3.1). */
  readonly typePresent: boolean;
  readonly data: Data;
}

/** Message types by their number on the wire (A3). */
export const MessageType = {
  Hup: 0,
  Beat: 1,
  Prop: 2,
  App: 3,
  AppResp: 4,
  Vote: 5,
  VoteResp: 6,
  Snap: 7,
  Heartbeat: 8,
  HeartbeatResp: 9,
  Unreachable: 10,
  SnapStatus: 11,
  CheckQuorum: 12,
  TransferLeader: 13,
  TimeoutNow: 14,
  ReadIndex: 15,
  ReadIndexResp: 16,
  PreVote: 17,
  PreVoteResp: 18,
  StorageAppend: 19,
  StorageAppendResp: 20,
  StorageApply: 21,
  StorageApplyResp: 22,
  ForgetLeader: 23,
} as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** The members of a cluster as stored in snapshots; each list ascending (A15.1). */
export interface ConfState {
  readonly voters: readonly NodeId[];
  readonly learners: readonly NodeId[];
  /** The outgoing half while a joint change is under way, else empty. */
  readonly votersOutgoing: readonly NodeId[];
  /** Outgoing voters that become learners when the joint change ends. */
  readonly learnersNext: readonly NodeId[];
  readonly autoLeave: boolean;
}

/** A snapshot of the application at `index`. Index 0 is "no snapshot". */
export interface Snapshot {
  readonly index: number;
  readonly term: number;
  readonly confState: ConfState;
  readonly data: Data;
}

/** A message between nodes, or between a node and its storage threads. Unused fields hold their zero. */
export interface Message {
  readonly type: MessageType;
  readonly to: NodeId;
  readonly from: NodeId;
  /** 0 is "local", which skips the term gate; the only peer messages without a term are Prop and ReadIndex. */
  readonly term: number;
  readonly logTerm: number;
  readonly index: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
  readonly vote: NodeId;
  readonly snapshot: Snapshot | null;
  readonly reject: boolean;
  readonly rejectHint: number;
  /** Position of read requests in heartbeats, or the mark of a transfer's vote request. */
  readonly context: Uint8Array | null;
  /** Messages a storage thread delivers when its work is done (StorageAppend and StorageApply only). */
  readonly responses: readonly Message[];
}

/** What must be durable before anything is promised to a peer. All zero is "empty". */
export interface HardState {
  readonly term: number;
  readonly vote: NodeId;
  readonly commit: number;
}

export const Role = { Follower: 0, Candidate: 1, Leader: 2, PreCandidate: 3 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** Volatile state that hosts like to watch. */
export interface SoftState {
  readonly lead: NodeId;
  readonly role: Role;
}

/** Permission to serve the read that was asked with `requestContext` once `index` is applied. */
export interface ReadState {
  readonly index: number;
  readonly requestContext: Uint8Array;
}

/** What a node wants done, in the order of `docs/raft.md`. */
export interface Ready {
  /** Set only when it changed. */
  readonly softState: SoftState | null;
  /** Set only when it changed; then always the full triple. */
  readonly hardState: HardState | null;
  readonly readStates: readonly ReadState[];
  /** To be made durable before `messages` may leave. */
  readonly entries: readonly Entry[];
  /** To be made durable, then given to the application, before anything else is applied. */
  readonly snapshot: Snapshot | null;
  /** To be given to the application. */
  readonly committedEntries: readonly Entry[];
  readonly messages: readonly Message[];
  /** Whether the write must reach the medium (fsync) or may be lost in a crash without harm. */
  readonly mustSync: boolean;
}

export const ConfChangeType = { AddNode: 0, RemoveNode: 1, UpdateNode: 2, AddLearnerNode: 3 } as const;
export type ConfChangeType = (typeof ConfChangeType)[keyof typeof ConfChangeType];
export const ConfChangeTransition = { Auto: 0, JointImplicit: 1, JointExplicit: 2 } as const;
export type ConfChangeTransition = (typeof ConfChangeTransition)[keyof typeof ConfChangeTransition];

export interface ConfChangeSingle {
  readonly type: ConfChangeType;
  readonly nodeId: NodeId;
}

/** The first form of a membership change: one node at a time. */
export interface ConfChange extends ConfChangeSingle {
  readonly version: 1;
  /** Not interpreted; an unsigned 64-bit number as sixteen hexadecimal digits, like a node id. */
  readonly id: string;
  readonly context: Uint8Array | null;
}

/** The second form: any number of nodes, through a joint configuration where needed. */
export interface ConfChangeV2 {
  readonly version: 2;
  readonly transition: ConfChangeTransition;
  readonly changes: readonly ConfChangeSingle[];
  readonly context: Uint8Array | null;
}
export type AnyConfChange = ConfChange | ConfChangeV2;

/** Texts of the errors an operation may return. They are values, not exceptions: each is an ordinary outcome. */
export const RaftError = {
  ProposalDropped: 'raft proposal dropped',
  StepLocalMsg: 'raft: cannot step raft local message',
  StepPeerNotFound: 'raft: cannot step as peer not found',
  /** The message breaks a rule of the protocol's format and was ignored. */
  Malformed: 'raft: malformed message',
  /** The message proves that this node lost durable state; the node has halted, see `RawNode.halted`. */
  Halted: 'raft: halted',
} as const;
export type RaftError = (typeof RaftError)[keyof typeof RaftError];

/** Texts of the errors a `Storage` may return. */
export const StorageError = {
  Compacted: 'requested index is unavailable due to compaction',
  Unavailable: 'requested entry at index is unavailable',
  SnapOutOfDate: 'requested index is older than the existing snapshot',
  SnapshotTemporarilyUnavailable: 'snapshot is temporarily unavailable',
} as const;
export type StorageError = (typeof StorageError)[keyof typeof StorageError];

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
