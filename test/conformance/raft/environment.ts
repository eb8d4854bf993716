import {
  type Config,
  describeMessage,
  describeReady,
  LOCAL_APPEND_THREAD,
  LOCAL_APPLY_THREAD,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  nodeId,
  type Ready,
  type Snapshot,
} from '../../../src/raft/index.ts';
import { Spec } from '../../support/raft/spec.ts';
import { rulesOf } from '../../support/raft/watched.ts';
import { BARE_SNAPSHOT, HistoryStorage, ScriptNode } from './node.ts';
import { Output } from './output.ts';
import { ScriptError } from './script.ts';

/** Who is to get the messages that are addressed to it, or to lose them. */
export interface Recipient {
  readonly id: number;
  readonly drop: boolean;
}

function isLocalTarget(id: NodeId): boolean {
  return id === LOCAL_APPEND_THREAD || id === LOCAL_APPLY_THREAD;
}

function isLocal(message: Message): boolean {
  return message.from === message.to || isLocalTarget(message.from) || isLocalTarget(message.to);
}

/** Nodes, the messages between them in one queue, and the output (reference/raft.md B2). */
export class Environment {
  readonly output = new Output();
  readonly nodes: ScriptNode[] = [];
  messages: Message[] = [];
  private readonly watched: boolean;
  private spec: Spec | null = null;

  /** Watched, every step of every node is judged by the specification as well. */
  constructor(watched = false) {
    this.watched = watched;
  }

  /** One for all nodes; its rules are those of the first. Without checks of changes, nothing is promised of them. */
  private specFor(config: Config): Spec | null {
    if (this.watched && this.nodes.length === 0 && !config.disableConfChangeValidation)
      this.spec = new Spec(rulesOf(config));
    return this.spec;
  }

  node(number: number): ScriptNode {
    const node = this.nodes[number - 1];
    if (node === undefined) throw new ScriptError(`there is no node ${number}`);
    return node;
  }

  /** Creates nodes that start from a snapshot; without one they are bare. */
  addNodes(count: number, options: Partial<Config>, snapshot: Snapshot | null): string | null {
    for (let i = 0; i < count; i++) {
      const number = this.nodes.length + 1;
      const storage = new HistoryStorage(options.behaviour ?? '3.7');
      if (snapshot !== null) {
        if (snapshot.index <= 1) return 'index must be specified as > 1 due to bootstrap';
        const refused = storage.applySnapshot(snapshot);
        if (refused !== null) return refused;
      }
      storage.history.push(snapshot ?? BARE_SNAPSHOT);
      const config: Config = {
        electionTick: 3,
        heartbeatTick: 1,
        maxInflightMsgs: 2 ** 31 - 1,
        electionJitter: () => number % 3,
        ...options,
        applied: snapshot?.index ?? 0,
        id: nodeId(number),
        storage,
        logger: this.output,
      };
      this.nodes.push(new ScriptNode(number, storage, config, this.specFor(config)));
    }
    return null;
  }

  /** One Ready (B5). With `until`, only the first parts of it: what a crash in the middle leaves behind. */
  processReady(node: ScriptNode, until: 'write' | 'send' | 'apply' | 'advance' = 'advance'): string | null {
    const ready = node.raft.ready();
    this.output.write(describeReady(ready));
    return until === 'advance' ? this.wholeReady(node, ready) : this.partOfReady(node, ready, until);
  }

  private wholeReady(node: ScriptNode, ready: Ready): string | null {
    if (!node.async) {
      const refused = node.persist(ready.hardState, ready.entries, ready.snapshot);
      if (refused !== null) return refused;
      node.apply(ready.committedEntries);
    }
    this.distribute(node, ready.messages);
    if (!node.async) node.raft.advance();
    return null;
  }

  /** In the order a host with a crash on its mind does it: write, send, apply. */
  private partOfReady(node: ScriptNode, ready: Ready, until: 'write' | 'send' | 'apply'): string | null {
    const refused = node.persist(ready.hardState, ready.entries, ready.snapshot);
    if (refused !== null || until === 'write') return refused;
    this.distribute(node, ready.messages);
    if (until === 'apply') node.apply(ready.committedEntries);
    return null;
  }

  private distribute(node: ScriptNode, messages: readonly Message[]): void {
    node.sends(messages.filter(({ to }) => !isLocalTarget(to)));
    for (const message of messages) {
      if (!isLocalTarget(message.to)) this.messages.push(message);
      else if (!node.async) throw new Error('unexpected local msg target');
      else if (message.type === MessageType.StorageAppend) node.appendWork.push(message);
      else node.applyWork.push(message);
    }
  }

  /** A node loses what is not in its storage, and what its threads were about to tell it. */
  restart(node: ScriptNode): void {
    const id = nodeId(node.number);
    this.messages = this.messages.filter((message) => message.to !== id || !isLocal(message));
    node.restart();
  }

  /** One message of a storage thread (B7). */
  processThread(node: ScriptNode, thread: 'append' | 'apply'): string | null {
    const work = thread === 'append' ? node.appendWork.shift() : node.applyWork.shift();
    if (work === undefined) {
      this.output.write(`no ${thread} work to perform`);
      return null;
    }
    this.output.write(`Processing:\n${describeMessage({ ...work, responses: [] })}\n`);
    if (thread === 'append') {
      const { term, vote, commit } = work;
      const hardState = term === 0 && vote === NONE && commit === 0 ? null : { term, vote, commit };
      const refused = node.persist(hardState, work.entries, work.snapshot);
      if (refused !== null) return refused;
    } else {
      node.apply(work.entries);
    }
    this.output.write(`Responses:\n${work.responses.map((response) => `${describeMessage(response)}\n`).join('')}`);
    node.sends(work.responses.filter(({ from }) => !isLocalTarget(from)));
    this.messages.push(...work.responses);
    return null;
  }

  /** Runs a step for each node, under a heading unless there is only one. */
  forEach(nodes: readonly ScriptNode[], heading: string, run: (node: ScriptNode) => string | null): string | null {
    for (const node of nodes) {
      const failed = nodes.length === 1 ? run(node) : this.headed(node, heading, () => run(node));
      if (failed !== null) return failed;
    }
    return null;
  }

  private headed<T>(node: ScriptNode, heading: string, run: () => T): T {
    this.output.write(`> ${node.number} ${heading}\n`);
    return this.output.indented(run);
  }

  /** Takes the messages to a node out of the queue; a drop leaves those of its own threads. */
  private takeMessages({ id, drop }: Recipient, type: MessageType | null): Message[] {
    const to = nodeId(id);
    const wanted = (message: Message): boolean =>
      message.to === to && !(drop && isLocal(message)) && (type === null || message.type === type);
    const taken = this.messages.filter(wanted);
    if (taken.length > 0) this.messages = this.messages.filter((message) => !wanted(message));
    return taken;
  }

  /** Delivers or drops; the number of messages handled (B8). */
  deliver(recipients: readonly Recipient[], type: MessageType | null): number {
    let count = 0;
    for (const recipient of recipients) {
      const messages = this.takeMessages(recipient, type);
      count += messages.length;
      for (const message of messages) {
        this.output.write(`${recipient.drop ? 'dropped: ' : ''}${describeMessage(message)}\n`);
        if (recipient.drop) continue;
        const failed = this.node(recipient.id).raft.step(message);
        if (failed !== null) this.output.write(`${failed}\n`);
      }
    }
    return count;
  }

  /** Runs the nodes until nothing is left to do among them (B6). */
  stabilize(nodes: readonly ScriptNode[]): string | null {
    for (let done = false; !done; ) {
      done = true;
      for (const node of nodes) {
        if (!node.raft.hasReady()) continue;
        done = false;
        const failed = this.headed(node, 'handling Ready', () => this.processReady(node));
        if (failed !== null) return failed;
      }
      for (const node of nodes) {
        const to = nodeId(node.number);
        if (!this.messages.some((message) => message.to === to)) continue;
        done = false;
        this.headed(node, 'receiving messages', () => this.deliver([{ id: node.number, drop: false }], null));
      }
      const failed =
        this.drainThreads(nodes, 'append', () => (done = false)) ??
        this.drainThreads(nodes, 'apply', () => (done = false));
      if (failed !== null) return failed;
    }
    return null;
  }

  private drainThreads(nodes: readonly ScriptNode[], thread: 'append' | 'apply', worked: () => void): string | null {
    for (const node of nodes) {
      const work = (): Message[] => (thread === 'append' ? node.appendWork : node.applyWork);
      if (work().length === 0) continue;
      worked();
      this.output.write(`> ${node.number} processing ${thread} thread\n`);
      while (work().length > 0) {
        const failed = this.output.indented(() => this.processThread(node, thread));
        if (failed !== null) return failed;
      }
    }
    return null;
  }
}
