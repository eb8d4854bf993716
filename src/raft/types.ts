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
