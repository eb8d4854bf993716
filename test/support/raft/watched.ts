import {
  type AnyConfChange,
  type Config,
  type ConfState,
  type Data,
  EMPTY_SNAPSHOT,
  LOCAL_APPEND_THREAD,
  LOCAL_APPLY_THREAD,
  type MemoryStorage,
  type Message,
  NO_LIMIT,
  type NodeId,
  type RaftError,
  RawNode,
  type Ready,
} from '../../../src/raft/index.ts';
import type { DiskImage } from './disk.ts';
import type { Cause, Rules } from './spec/facts.ts';
import type { Spec } from './spec.ts';

/** The rules that follow from a node's config. */
export function rulesOf(config: Config): Rules {
  const maxSizePerMsgBytes = config.maxSizePerMsgBytes ?? NO_LIMIT;
  return {
    electionTick: config.electionTick,
    checkQuorum: config.checkQuorum ?? false,
    preVote: config.preVote ?? false,
    safeReads: config.readOnly !== 'lease-based',
    asyncStorage: config.asyncStorageWrites ?? false,
    stepDownOnRemoval: config.stepDownOnRemoval ?? false,
    maxSizePerMsgBytes,
    maxInflightMsgs: config.maxInflightMsgs,
    maxInflightBytes: config.maxInflightBytes || NO_LIMIT,
    maxUncommittedSizeBytes: config.maxUncommittedSizeBytes || NO_LIMIT,
    maxCommittedSizePerReadyBytes: config.maxCommittedSizePerReadyBytes || maxSizePerMsgBytes,
  };
}

/** What a `MemoryStorage` holds. */
export function imageOfStorage(storage: MemoryStorage): DiskImage {
  const { hardState, confState } = storage.initialState();
  const first = storage.firstIndex();
  const last = storage.lastIndex();
  const entries = last < first ? [] : storage.entries(first, last + 1, NO_LIMIT);
  if (typeof entries === 'string') throw new Error(entries);
  const snapshot = { ...EMPTY_SNAPSHOT, index: first - 1, confState };
  const checkpoint = { applied: first - 1, confState };
  return { hardState, snapshot, baseIndex: first - 1, baseTerm: storage.term(first - 1), entries, checkpoint };
}

/** A node every step of which the specification judges. Its host reports what it writes, sends and applies. */
export class WatchedNode extends RawNode {
  private spec: Spec | null;

  constructor(config: Config, spec: Spec, durable: DiskImage, members: ConfState) {
    super(config);
    this.spec = spec;
    const view = this.inspect();
    spec.started(view, durable, members, view.applied);
  }

  /** From now on nobody judges: a test is about to do what no host does. */
  unwatch(): void {
    this.spec = null;
  }

  /** Lets the node act, and the specification judge. */
  private judged(run: () => unknown, cause: (result: RaftError | null) => Cause): RaftError | null {
    const result = (run() ?? null) as RaftError | null;
    this.spec?.stepped(this.id, cause(result), this.inspect());
    return result;
  }

  private byHost(run: () => unknown): RaftError | null {
    return this.judged(run, () => ({ kind: 'host' }));
  }

  override tickN(count: number): void {
    this.judged(
      () => super.tickN(count),
      () => ({ kind: 'tick', count }),
    );
  }

  override campaign(): RaftError | null {
    return this.byHost(() => super.campaign());
  }

  override propose(data: Data): RaftError | null {
    const sizeBytes = data instanceof Uint8Array ? data.length : (data?.sizeBytes ?? 0);
    return this.judged(
      () => super.propose(data),
      (result) => ({ kind: 'propose', sizeBytes, result }),
    );
  }

  override proposeConfChange(change: AnyConfChange): RaftError | null {
    return this.byHost(() => super.proposeConfChange(change));
  }

  override applyConfChange(change: AnyConfChange): ConfState {
    const { role } = this.basicStatus();
    const confState = super.applyConfChange(change);
    this.spec?.stepped(this.id, { kind: 'conf' }, this.inspect());
    this.spec?.changed(this.id, role);
    return confState;
  }

  override step(message: Message): RaftError | null {
    const isOwn = [this.id, LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD].includes(message.from);
    if (!isOwn) this.spec?.arrives(this.id, message);
    return this.judged(
      () => super.step(message),
      (result) => (isOwn ? { kind: 'advance' } : { kind: 'message', message, result }),
    );
  }

  override ready(): Ready {
    const ready = super.ready();
    this.spec?.handedOut(this.id, ready);
    for (const read of ready.readStates) this.spec?.answers(this.id, read);
    return ready;
  }

  override advance(): void {
    this.judged(
      () => super.advance(),
      () => ({ kind: 'advance' }),
    );
  }

  override reportUnreachable(id: NodeId): void {
    this.byHost(() => super.reportUnreachable(id));
  }

  override reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void {
    this.byHost(() => super.reportSnapshot(id, outcome));
  }

  override transferLeader(to: NodeId): void {
    this.byHost(() => super.transferLeader(to));
  }

  override forgetLeader(): RaftError | null {
    return this.byHost(() => super.forgetLeader());
  }

  override readIndex(requestContext: Uint8Array): void {
    this.spec?.asks(this.id, String.fromCharCode(...requestContext));
    this.byHost(() => super.readIndex(requestContext));
  }
}
