import { type JointVoters, jointCommitted, jointVote } from './quorum/joint.ts';
import { INFINITE_INDEX, VoteResult } from './quorum/majority.ts';
import type { Behaviour, Message, NodeId } from './types.ts';

/** A read request and the commit index at which it was accepted. */
export interface PendingRead {
  readonly index: number;
  readonly request: Message;
}

/**
 * Reads of a leader that wait for a quorum to confirm its leadership (reference/raft.md A16). Heartbeats carry
 * a mark, and an answer with that mark confirms every read asked before.
 */
export interface ReadQueue {
  add(read: PendingRead): void;
  /** The mark to send with every heartbeat; `null` when nothing waits. */
  heartbeatMark(): Uint8Array | null;
  /** The mark to send at once for a read that was just added. */
  markOf(request: Message): Uint8Array | null;
  /** The mark came back from a node. */
  acknowledge(from: NodeId, mark: Uint8Array): void;
  /** Takes the reads that are confirmed once this mark has come back, oldest first. */
  takeConfirmed(mark: Uint8Array, voters: JointVoters): readonly PendingRead[];
  waiting(): number;
}

const NO_READS: readonly PendingRead[] = Object.freeze([]);

export function newReadQueue(behaviour: Behaviour): ReadQueue {
  return behaviour === '3.6' ? new ReadsByContext() : new ReadsByPosition();
}

/** 3.7: the mark is the position of the last read in the order of asking. */
class ReadsByPosition implements ReadQueue {
  private readonly acks = new Map<NodeId, number>();
  private reads: PendingRead[] = [];
  private confirmed = 0;

  add(read: PendingRead): void {
    this.reads.push(read);
  }

  heartbeatMark(): Uint8Array | null {
    return this.reads.length === 0 ? null : encodePosition(this.confirmed + this.reads.length);
  }

  markOf(): Uint8Array | null {
    return this.heartbeatMark();
  }

  acknowledge(from: NodeId, mark: Uint8Array): void {
    const position = decodePosition(mark);
    if (position > (this.acks.get(from) ?? -1)) this.acks.set(from, position);
  }

  takeConfirmed(_mark: Uint8Array, voters: JointVoters): readonly PendingRead[] {
    const reached = jointCommitted(voters, this.acks);
    if (reached === INFINITE_INDEX) return NO_READS;
    const count = Math.min(reached - this.confirmed, this.reads.length);
    if (count <= 0) return NO_READS;
    this.confirmed += count;
    return this.reads.splice(0, count);
  }

  waiting(): number {
    return this.reads.length;
  }
}

interface WaitingRead {
  readonly read: PendingRead;
  readonly context: Uint8Array;
  readonly acks: Map<NodeId, boolean>;
}

/** 3.6: the mark is the caller's own context, so two waiting reads with one context are one. */
class ReadsByContext implements ReadQueue {
  /** Oldest first. */
  private waitingReads: readonly WaitingRead[] = [];

  add(read: PendingRead): void {
    const context = contextOf(read.request);
    if (this.find(context) < 0) this.waitingReads = [...this.waitingReads, { read, context, acks: new Map() }];
  }

  /** Few wait at a time: each member asks for one after the other. */
  private find(context: Uint8Array): number {
    return this.waitingReads.findIndex((waiting) => equalBytes(waiting.context, context));
  }

  heartbeatMark(): Uint8Array | null {
    const last = this.waitingReads.at(-1);
    return last === undefined ? null : this.markOf(last.read.request);
  }

  /** The caller's context itself: a read asked again has its first mark, though others came after it. */
  markOf(request: Message): Uint8Array | null {
    const mark = contextOf(request);
    return mark.length === 0 ? null : mark;
  }

  acknowledge(from: NodeId, mark: Uint8Array): void {
    this.waitingReads[this.find(mark)]?.acks.set(from, true);
  }

  takeConfirmed(mark: Uint8Array, voters: JointVoters): readonly PendingRead[] {
    const at = this.find(mark);
    if (at < 0 || jointVote(voters, this.waitingReads[at]!.acks) !== VoteResult.Won) return NO_READS;
    // Everything up to this one was asked before it.
    const confirmed = this.waitingReads.slice(0, at + 1).map(({ read }) => read);
    this.waitingReads = this.waitingReads.slice(at + 1);
    return confirmed;
  }

  waiting(): number {
    return this.waitingReads.length;
  }
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The bytes of a request's context; an object that stands for bytes has none that could go on the wire. */
export function contextOf(request: Message): Uint8Array {
  const data = request.entries[0]!.data;
  return data instanceof Uint8Array ? data : new Uint8Array(0);
}

const TWO_32 = 0x100000000;

function encodePosition(position: number): Uint8Array {
  const bytes = new Uint8Array(8);
  let low = position % TWO_32;
  let high = Math.floor(position / TWO_32);
  for (let i = 0; i < 4; i++) {
    bytes[i] = low & 0xff;
    bytes[i + 4] = high & 0xff;
    low = Math.floor(low / 256);
    high = Math.floor(high / 256);
  }
  return bytes;
}

function decodePosition(bytes: Uint8Array): number {
  let value = 0;
  for (let i = 7; i >= 0; i--) value = value * 256 + (bytes[i] ?? 0);
  return value;
}
