import type { Core } from '../../src/raft/core.ts';
import {
  type Config,
  type ConfState,
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  type HardState,
  MemoryStorage,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  nodeId,
} from '../../src/raft/index.ts';
import { type Draft, draft } from '../../src/raft/message.ts';
import { startCore } from '../../src/raft/start.ts';
import { step } from '../../src/raft/step.ts';

export const [N1, N2, N3, N4, N5] = [1, 2, 3, 4, 5].map(nodeId) as [NodeId, NodeId, NodeId, NodeId, NodeId];

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(data: Entry['data']): string {
  return data instanceof Uint8Array ? new TextDecoder().decode(data) : '';
}

export function entry(term: number, index: number, data: Entry['data'] = null): Entry {
  return { term, index, type: EntryType.Normal, typePresent: false, data };
}

/** Entries from `first` on with these terms. */
export function entries(first: number, ...terms: number[]): Entry[] {
  return terms.map((term, i) => entry(term, first + i));
}

export function termsOf(list: readonly Entry[]): number[] {
  return list.map(({ term }) => term);
}

export interface Start {
  readonly voters?: readonly NodeId[];
  readonly learners?: readonly NodeId[];
  readonly confState?: ConfState;
  readonly terms?: readonly number[];
  readonly hardState?: Partial<HardState>;
}

/** A storage with these members and a log from index 1 on. */
export function storageWith(start: Start = {}): MemoryStorage {
  const storage = new MemoryStorage();
  const { voters = [N1, N2, N3], learners = [], terms = [], hardState } = start;
  const confState = start.confState ?? { ...EMPTY_CONF_STATE, voters, learners };
  storage.applySnapshot({ index: 0, term: 0, confState, data: null });
  storage.append(entries(1, ...terms));
  if (hardState !== undefined) storage.setHardState({ term: 0, vote: NONE, commit: 0, ...hardState });
  return storage;
}

export function configOf(id: NodeId, storage: MemoryStorage, options: Partial<Config> = {}): Config {
  return {
    id,
    storage,
    electionTick: 10,
    heartbeatTick: 1,
    maxInflightMsgs: 256,
    electionJitter: () => 0,
    ...options,
  };
}

/** A node's inside, for tests that set up or look at what no Ready shows. */
export function coreOf(id: NodeId, start: Start = {}, options: Partial<Config> = {}): Core {
  return startCore(configOf(id, storageWith(start), options));
}

/** A message with only these fields. */
export function message(type: MessageType, from: NodeId, fields: Partial<Draft> = {}): Message {
  return Object.assign(draft(type, NONE), { from }, fields);
}

/** What a node sends, after what it says to itself has arrived: as if everything were durable at once. */
export function takeMessages(core: Core): Message[] {
  const held: Message[] = [];
  while (core.msgsAfterAppend.length > 0) {
    const messages = core.msgsAfterAppend;
    core.msgsAfterAppend = [];
    for (const one of messages) {
      if (one.to === core.id) step(core, one);
      else held.push(one);
    }
  }
  const sent = [...core.msgs, ...held];
  core.msgs = [];
  return sent;
}

/** Makes a node lead its cluster without asking anyone, in the term after its own. */
export function lead(core: Core): void {
  step(core, message(MessageType.Hup, core.id));
  for (const { id } of core.tracker.all) {
    if (id !== core.id) step(core, message(MessageType.VoteResp, id, { term: core.term }));
  }
  takeMessages(core);
}

export function progressOf(core: Core, id: NodeId) {
  const one = core.tracker.progress.get(id);
  if (one === undefined) throw new Error(`no progress of ${id}`);
  return one;
}
