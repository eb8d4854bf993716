import type { Clock } from '../../../platform/clock.ts';
import { Fatal } from '../../../platform/errors.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import {
  type ConfChange,
  type ConfState,
  type Data,
  type Entry,
  type MemoryStorage,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  RaftError,
  type RawNode,
  type ReadState,
  type Ready,
  Role,
  type Snapshot,
} from '../../../raft/index.ts';
import type { WalSnapshot } from '../wal/records.ts';
import type { Wal } from '../wal/wal.ts';
import { Ticker } from './ticker.ts';

/** What the driver tells the member. All but `applySnapshot` are plain calls on the hot path. */
export interface DriverOwner {
  /** Leader or role changed. */
  leadershipChanged(lead: NodeId, role: Role, newLeader: boolean): void;
  readReady(state: ReadState): void;
  applyEntries(entries: readonly Entry[]): void;
  /** Makes the image of a received snapshot the member's state. It is durable already. */
  applySnapshot(snapshot: Snapshot): Task<void>;
  send(messages: readonly Message[]): void;
  isRemoved(id: NodeId): boolean;
  /** Stores the snapshot's own file. */
  saveSnapshotFile(snapshot: Snapshot): Task<void>;
  committed(index: number, term: number): void;
}

/** What somebody wants in the log: an entry, or a membership change. It may have to wait for a leader to be known. */
export interface Proposal {
  readonly data: Data;
  readonly change: ConfChange | null;
  /** Nobody waits for it any more, so it must not be proposed any more either; too late once Raft has it. */
  readonly withdrawn: boolean;
  /** It was dropped. */
  refused(error: RaftError): void;
}

/**
 * Drives Raft: ticks and messages in; writes, applications and messages out, in the order that etcd has
 * (reference/etcd.md A12). One task runs over all Readies; entries and messages cause no task of their own.
 */
export class RaftDriver {
  readonly node: RawNode;
  readonly storage: MemoryStorage;
  readonly ticker: Ticker;
  readonly #wal: Wal;
  readonly #owner: DriverOwner;
  readonly #wake = new Notifier();
  #lead: NodeId = NONE;
  #role: Role = Role.Follower;
  #parked: Proposal[] = [];
  #marks: { readonly mark: WalSnapshot; readonly confState: ConfState; readonly done: () => void }[] = [];
  #stopped = false;
  /** The task waits for something to do. */
  #idle = false;
  /** A Ready is being answered in the call that brought it. */
  #saying = false;
  /** A Ready that turned out to need the task. */
  #taken: Ready | null = null;

  constructor(clock: Clock, node: RawNode, storage: MemoryStorage, wal: Wal, tickUs: number, owner: DriverOwner) {
    this.node = node;
    this.storage = storage;
    this.#wal = wal;
    this.#owner = owner;
    this.ticker = new Ticker(clock, node, tickUs, () => this.#act());
  }

  get lead(): NodeId {
    return this.#lead;
  }

  get role(): Role {
    return this.#role;
  }

  get isLeader(): boolean {
    return this.#role === Role.Leader;
  }

  /** Whether Raft itself says that this node leads now; {@link isLeader} is what the last Ready said. */
  get leadsNow(): boolean {
    return this.node.basicStatus().role === Role.Leader;
  }

  /** A message from a peer. */
  step(message: Message): void {
    if (this.#stopped) return;
    this.ticker.sync();
    const error = this.node.step(message);
    if (error === RaftError.Halted) throw new Fatal(this.node.halted ?? 'raft: halted');
    this.#act();
  }

  /** Does at once what needs neither a write nor an application, such as heartbeats and their answers; the rest is the task's. */
  #act(): void {
    if (this.#saying) return; // what is answered asked for more: the loop below sees it
    while (this.#idle && this.node.hasReady()) {
      const ready = this.node.ready();
      if (isPlain(ready)) this.#sayOnly(ready);
      else {
        this.#taken = ready;
        this.#idle = false;
      }
    }
    if (this.#idle && this.#parked.length === 0) this.ticker.arm();
    else this.#wake.notify();
  }

  #sayOnly(ready: Ready): void {
    this.#saying = true;
    this.#tellReads(ready);
    const messages = this.#outgoing(ready.messages);
    if (messages.length > 0) this.#owner.send(messages);
    this.node.advance();
    this.#saying = false;
  }

  #tellReads({ readStates }: Ready): void {
    if (readStates.length > 0) this.#owner.readReady(readStates[readStates.length - 1]!);
  }

  #next(): Ready | null {
    const taken = this.#taken;
    this.#taken = null;
    return taken ?? (this.node.hasReady() ? this.node.ready() : null);
  }

  /**
   * Proposes something. Proposals that come in one instant, or while a write is under way, are handed to Raft together,
   * so that they travel in one message. While no leader is known they wait.
   */
  propose(proposal: Proposal): void {
    if (this.#stopped) return;
    this.#parked.push(proposal);
    if (this.#parked.length === 1) this.#wake.notify();
  }

  /** Hands what was proposed to Raft, keeping its order. */
  #submitParked(): void {
    if (this.#parked.length === 0 || this.node.basicStatus().lead === NONE) return;
    const parked = this.#parked;
    this.#parked = [];
    let batch: Proposal[] = [];
    const flush = (): void => {
      if (batch.length === 0) return;
      const error = this.node.proposeBatch(batch.map((proposal) => proposal.data));
      if (error !== null) for (const proposal of batch) proposal.refused(error);
      batch = [];
    };
    for (const proposal of parked) {
      if (proposal.withdrawn) continue;
      if (proposal.change === null) batch.push(proposal);
      else {
        flush();
        // The real node does not wait for what becomes of a membership change: a refusal is never heard of.
        this.node.proposeConfChange(proposal.change);
      }
    }
    flush();
  }

  readIndex(context: Uint8Array): void {
    this.ticker.sync();
    this.node.readIndex(context);
    this.#act();
  }

  /** Anything else that may give the node something to do. */
  use(action: (node: RawNode) => void): void {
    if (this.#stopped) return;
    this.ticker.sync();
    action(this.node);
    this.#wake.notify();
  }

  /** Writes the mark of a snapshot whose file is durable, between two Readies. */
  markSnapshot(mark: WalSnapshot, confState: ConfState, done: () => void): void {
    this.#marks.push({ mark, confState, done });
    this.#wake.notify();
  }

  stop(): void {
    this.#stopped = true;
    this.ticker.stop();
    this.#parked = [];
  }

  /** Runs until the task is cancelled. */
  *run(): Task<never> {
    this.ticker.arm();
    for (;;) {
      const seen = this.#wake.version;
      this.ticker.sync();
      this.#submitParked();
      for (let ready = this.#next(); ready !== null; ready = this.#next()) {
        yield* this.#process(ready);
        this.ticker.sync();
        this.#submitParked();
      }
      yield* this.#writeMarks();
      this.ticker.arm();
      this.#idle = true;
      yield* this.#wake.changed(seen);
      this.#idle = false;
    }
  }

  *#process(ready: Ready): Task<void> {
    if (ready.softState !== null) this.#noteSoftState(ready.softState.lead, ready.softState.role);
    this.#tellReads(ready);
    if (ready.hardState !== null) this.#owner.committed(ready.hardState.commit, ready.hardState.term);
    const leads = this.isLeader;
    const messages = this.#outgoing(ready.messages);
    // A leader's appends travel while it writes its own log; everybody else promises only what is durable.
    if (leads && messages.length > 0) this.#owner.send(messages);
    const early = ready.snapshot === null && !overlaps(ready);
    if (early) this.#apply(ready.committedEntries);
    if (ready.snapshot !== null) yield* this.#saveSnapshot(ready.snapshot);
    yield* this.#wal.save(ready.hardState, ready.entries, ready.mustSync);
    if (ready.snapshot !== null) yield* this.#installSnapshot(ready.snapshot);
    this.storage.append(ready.entries);
    if (ready.hardState !== null) this.storage.setHardState(ready.hardState);
    if (!early) this.#apply(ready.committedEntries);
    if (!leads && messages.length > 0) this.#owner.send(messages);
    this.node.advance();
  }

  #apply(entries: readonly Entry[]): void {
    if (entries.length > 0) this.#owner.applyEntries(entries);
  }

  *#saveSnapshot(snapshot: Snapshot): Task<void> {
    yield* this.#owner.saveSnapshotFile(snapshot);
    yield* this.#wal.saveSnapshot({ index: snapshot.index, term: snapshot.term }, snapshot.confState);
  }

  *#installSnapshot(snapshot: Snapshot): Task<void> {
    yield* this.#wal.sync();
    yield* this.#owner.applySnapshot(snapshot);
    this.storage.applySnapshot(snapshot);
  }

  /** Leaves out what goes to removed members, and of several append responses all but the last. */
  #outgoing(messages: readonly Message[]): readonly Message[] {
    let lastResponse = -1;
    let responses = 0;
    for (let i = 0; i < messages.length; i++) {
      if (messages[i]!.type !== MessageType.AppResp) continue;
      lastResponse = i;
      responses++;
    }
    const keep = (message: Message, i: number): boolean => {
      if (message.to === this.node.id || this.#owner.isRemoved(message.to)) return false;
      return message.type !== MessageType.AppResp || responses < 2 || i === lastResponse;
    };
    return messages.every(keep) ? messages : messages.filter(keep);
  }

  #noteSoftState(lead: NodeId, role: Role): void {
    const newLeader = lead !== NONE && lead !== this.#lead;
    this.#lead = lead;
    this.#role = role;
    this.#owner.leadershipChanged(lead, role, newLeader);
  }

  *#writeMarks(): Task<void> {
    while (this.#marks.length > 0) {
      const { mark, confState, done } = this.#marks.shift()!;
      yield* this.#wal.saveSnapshot(mark, confState);
      done();
    }
  }
}

/** Whether nothing is to be written, applied or noted: there are only messages to send and reads to answer. */
function isPlain(ready: Ready): boolean {
  return (
    ready.softState === null &&
    ready.hardState === null &&
    ready.snapshot === null &&
    ready.entries.length === 0 &&
    ready.committedEntries.length === 0
  );
}

/**
 * Whether entries that are to be applied are among those that this member has not stored yet: a follower learns of new
 * entries and of their commitment in one message. They are applied once they are stored, so that the database is never
 * ahead of the log (reference/etcd.md G1 #14370).
 */
function overlaps(ready: Ready): boolean {
  const { committedEntries, entries } = ready;
  if (committedEntries.length === 0 || entries.length === 0) return false;
  return committedEntries[committedEntries.length - 1]!.index >= entries[0]!.index;
}
