import {
  asV2,
  type Config,
  type ConfState,
  decodeConfChange,
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  type HardState,
  MemoryStorage,
  type Message,
  RawNode,
  type Snapshot,
} from '../../../src/raft/index.ts';
import type { Spec } from '../../support/raft/spec.ts';
import { imageOfStorage, WatchedNode } from '../../support/raft/watched.ts';

/** A storage whose snapshot is the latest state of the application, however short the log is. */
export class HistoryStorage extends MemoryStorage {
  override snapshot(): Snapshot {
    return this.history[this.history.length - 1]!;
  }
  /** States of the application, one per applied entry: a string that every entry is appended to. */
  history: Snapshot[] = [];

  /** The snapshot that was written to storage, and so survives a crash. */
  base(): Snapshot {
    const stored = super.snapshot();
    if (typeof stored === 'string') throw new Error(stored);
    return stored;
  }
}

/** A node of a script: raft, storage, application, and the work of its storage threads (reference/raft.md B2). */
export class ScriptNode {
  readonly number: number;
  readonly storage: HistoryStorage;
  readonly config: Config;
  /** Judges every step of the node, if there is one. */
  private readonly spec: Spec | null;
  raft: RawNode;
  appendWork: Message[] = [];
  applyWork: Message[] = [];

  constructor(number: number, storage: HistoryStorage, config: Config, spec: Spec | null) {
    this.number = number;
    this.storage = storage;
    this.config = config;
    this.spec = spec;
    this.raft = this.started(config);
  }

  private started(config: Config): RawNode {
    const { spec, storage } = this;
    if (spec === null) return new RawNode(config);
    return new WatchedNode(config, spec, imageOfStorage(storage), storage.initialState().confState);
  }

  get async(): boolean {
    return this.config.asyncStorageWrites ?? false;
  }

  /** Starts anew from what is in storage. */
  restart(): void {
    const base = this.storage.base();
    this.storage.history = [base];
    this.appendWork = [];
    this.applyWork = [];
    this.spec?.crashed(this.raft.id);
    this.raft = this.started({ ...this.config, applied: base.index });
  }

  /** Writes to storage; an error text if it refuses. */
  persist(hardState: HardState | null, entries: readonly Entry[], snapshot: Snapshot | null): string | null {
    const refused = this.write(hardState, entries, snapshot);
    if (refused !== null || this.spec === null) return refused;
    this.spec.persisted(this.raft.id, imageOfStorage(this.storage));
    if (snapshot !== null && snapshot.index !== 0) this.spec.restores(this.raft.id, snapshot);
    return null;
  }

  private write(hardState: HardState | null, entries: readonly Entry[], snapshot: Snapshot | null): string | null {
    if (hardState !== null) this.storage.setHardState(hardState);
    if (snapshot === null || snapshot.index === 0) {
      this.storage.append(entries);
      return null;
    }
    if (entries.length > 0) return "can't apply snapshot and entries at the same time";
    return this.storage.applySnapshot(snapshot);
  }

  /** Messages of this node are on their way. */
  sends(messages: readonly Message[]): void {
    for (const message of messages) this.spec?.sends(this.raft.id, message);
  }

  apply(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.spec?.applies(this.raft.id, entry);
      const before = this.storage.snapshot();
      let confState: ConfState = before.confState;
      let update = entry.data;
      if (entry.type !== EntryType.Normal) {
        const change = decodeConfChange(entry);
        if (typeof change === 'string') throw new Error(change);
        update = asV2(change).context;
        confState = this.raft.applyConfChange(change);
      }
      this.storage.history.push({
        index: entry.index,
        term: entry.term,
        confState,
        data: Uint8Array.from([...bytesOf(before.data), ...bytesOf(update)]),
      });
    }
  }
}

function bytesOf(data: Snapshot['data']): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array(0);
}

export const BARE_SNAPSHOT: Snapshot = { index: 0, term: 0, confState: EMPTY_CONF_STATE, data: null };
