import {
  asV2,
  type Config,
  decodeConfChange,
  type Entry,
  EntryType,
  type MemoryStorage,
  type Message,
  type NodeId,
  RawNode,
  type ReadState,
  Role,
} from '../../src/raft/index.ts';
import { Spec } from '../support/raft/spec.ts';
import { imageOfStorage, rulesOf, WatchedNode } from '../support/raft/watched.ts';
import { bytes, configOf, type Start, storageWith, text } from './helper.ts';

/** A node with its storage and what its application saw. */
export interface Member {
  readonly id: NodeId;
  readonly config: Config;
  readonly storage: MemoryStorage;
  raft: RawNode;
  readonly applied: Entry[];
  readonly reads: ReadState[];
}

/**
 * Nodes driven the way a host drives them, over a network that tests can cut, under the eyes of the specification.
 * Its rules are those of the first node.
 */
export class Cluster {
  readonly members = new Map<NodeId, Member>();
  /** Every message that reached its receiver, or was lost. */
  readonly trace: Message[] = [];
  /** Which messages get lost. */
  loses: (message: Message) => boolean = () => false;
  private queue: Message[] = [];
  private spec: Spec | null = null;

  constructor(ids: readonly NodeId[], options: Partial<Config> = {}, start: (id: NodeId) => Start = () => ({})) {
    for (const id of ids) this.add(id, { voters: ids, ...start(id) }, options);
  }

  add(id: NodeId, start: Start, options: Partial<Config> = {}): Member {
    const storage = storageWith(start);
    const config = configOf(id, storage, options);
    const member: Member = { id, config, storage, raft: this.started(config, storage), applied: [], reads: [] };
    this.members.set(id, member);
    return member;
  }

  private started(config: Config, storage: MemoryStorage): RawNode {
    if (this.members.size === 0) this.spec = new Spec(rulesOf(config));
    if (this.spec === null) return new RawNode(config);
    return new WatchedNode(config, this.spec, imageOfStorage(storage), storage.initialState().confState);
  }

  /** For a test that is about to do what no host does: the specification looks away from now on. */
  unwatch(): void {
    this.spec = null;
    for (const { raft } of this.members.values()) if (raft instanceof WatchedNode) raft.unwatch();
  }

  at(id: NodeId): Member {
    const member = this.members.get(id);
    if (member === undefined) throw new Error(`no member ${id}`);
    return member;
  }

  raft(id: NodeId): RawNode {
    return this.at(id).raft;
  }

  role(id: NodeId): Role {
    return this.raft(id).basicStatus().role;
  }

  leaders(): NodeId[] {
    return [...this.members.keys()].filter((id) => this.role(id) === Role.Leader);
  }

  /** Delivers and handles everything until nobody has anything to do. */
  settle(): void {
    for (let rounds = 0; ; rounds++) {
      if (rounds > 10_000) throw new Error('the cluster does not come to rest');
      for (const member of this.members.values()) this.handleReadies(member);
      if (this.queue.length === 0) return;
      const { queue } = this;
      this.queue = [];
      for (const message of queue) this.deliver(message);
    }
  }

  private deliver(message: Message): void {
    this.trace.push(message);
    if (!this.loses(message)) this.members.get(message.to)?.raft.step(message);
  }

  private handleReadies(member: Member): void {
    const { raft, storage } = member;
    while (raft.hasReady()) {
      const ready = raft.ready();
      if (ready.hardState !== null) storage.setHardState(ready.hardState);
      if (ready.snapshot !== null) storage.applySnapshot(ready.snapshot);
      storage.append(ready.entries);
      this.spec?.persisted(member.id, imageOfStorage(storage));
      if (ready.snapshot !== null) this.spec?.restores(member.id, ready.snapshot);
      for (const message of ready.messages) this.spec?.sends(member.id, message);
      this.queue.push(...ready.messages);
      member.reads.push(...ready.readStates);
      for (const entry of ready.committedEntries) this.apply(member, entry);
      raft.advance();
    }
  }

  private apply(member: Member, entry: Entry): void {
    this.spec?.applies(member.id, entry);
    member.applied.push(entry);
    if (entry.type === EntryType.Normal) return;
    const change = decodeConfChange(entry);
    if (typeof change === 'string') throw new Error(change);
    member.raft.applyConfChange(asV2(change));
  }

  /** Texts that a member's application was given. */
  appliedTexts(id: NodeId): string[] {
    return this.at(id)
      .applied.filter(({ type }) => type === EntryType.Normal)
      .map(({ data }) => text(data))
      .filter((one) => one !== '');
  }

  campaign(id: NodeId): void {
    this.raft(id).campaign();
    this.settle();
  }

  propose(id: NodeId, data: string): void {
    this.raft(id).propose(bytes(data));
    this.settle();
  }

  tick(id: NodeId, count = 1): void {
    for (let i = 0; i < count; i++) {
      this.raft(id).tick();
      this.settle();
    }
  }

  /** Loses all messages from and to these. */
  isolate(...ids: NodeId[]): void {
    this.loses = ({ from, to }) => ids.includes(from) !== ids.includes(to);
  }

  /** A member loses all that is not in its storage, and starts again. */
  restart(id: NodeId, options: Partial<Config> = {}): void {
    const member = this.at(id);
    member.applied.length = 0;
    this.spec?.crashed(id);
    member.raft = this.started({ ...member.config, ...options }, member.storage);
  }

  heal(): void {
    this.loses = () => false;
  }
}
