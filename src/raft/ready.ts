import type { Core } from './core.ts';
import { draft, NO_ENTRIES, NO_MESSAGES } from './message.ts';
import {
  type Entry,
  type HardState,
  LOCAL_APPEND_THREAD,
  LOCAL_APPLY_THREAD,
  type Message,
  MessageType,
  type NodeId,
  type ReadState,
  type Ready,
  type Role,
  type Snapshot,
} from './types.ts';

const NO_READ_STATES: readonly ReadState[] = Object.freeze([]);

/** What the host was last told, so that only changes are told again. */
export interface Told {
  lead: NodeId;
  role: Role;
  hardState: HardState;
}

function hardStateChanged({ term, vote, log }: Core, told: HardState): boolean {
  return term !== told.term || vote !== told.vote || log.committed !== told.commit;
}

/** Whether `buildReady` would hold anything (reference/raft.md A19). */
export function hasReady(core: Core, told: Told): boolean {
  const { log } = core;
  return (
    core.msgs.length > 0 ||
    core.msgsAfterAppend.length > 0 ||
    log.unstable.hasNextEntries() ||
    core.lead !== told.lead ||
    core.role !== told.role ||
    hardStateChanged(core, told.hardState) ||
    log.hasNextCommitted(!core.config.asyncStorageWrites) ||
    log.unstable.nextSnapshot() !== null ||
    core.readStates.length > 0
  );
}

/** Gathers what is to be done. Changes nothing. */
export function buildReady(core: Core, told: Told): Ready {
  const { log, config, readStates } = core;
  const hardState = hardStateChanged(core, told.hardState) ? core.hardState() : null;
  const entries = log.unstable.nextEntries();
  const snapshot = log.unstable.nextSnapshot();
  const committedEntries = log.nextCommitted(!config.asyncStorageWrites);
  return {
    softState: core.lead !== told.lead || core.role !== told.role ? { lead: core.lead, role: core.role } : null,
    hardState,
    readStates: readStates.length > 0 ? readStates : NO_READ_STATES,
    entries,
    snapshot,
    committedEntries,
    messages: config.asyncStorageWrites
      ? withStorageWork(core, { hardState, entries, snapshot, committedEntries })
      : withoutSelf(core),
    mustSync: entries.length > 0 || core.vote !== told.hardState.vote || core.term !== told.hardState.term,
  };
}

/** Messages of synchronous mode: what is addressed to the node itself waits for `advance`. */
function withoutSelf(core: Core): readonly Message[] {
  const { id, msgs, msgsAfterAppend } = core;
  let own = 0;
  for (let i = 0; i < msgsAfterAppend.length; i++) if (msgsAfterAppend[i]!.to === id) own++;
  if (own === msgsAfterAppend.length) return msgs.length > 0 ? msgs : NO_MESSAGES;
  // A follower has nothing but answers to others: no list needs to be made for those.
  if (own === 0) return msgs.length === 0 ? msgsAfterAppend : msgs.concat(msgsAfterAppend);
  return msgs.concat(msgsAfterAppend.filter(({ to }) => to !== id));
}

type StorageWork = Pick<Ready, 'hardState' | 'entries' | 'snapshot' | 'committedEntries'>;

/** Messages of asynchronous mode, with the work for the storage threads at the end (A20). */
function withStorageWork(core: Core, work: StorageWork): readonly Message[] {
  const messages = core.msgs.slice();
  if (work.entries.length > 0 || work.hardState !== null || work.snapshot !== null || core.msgsAfterAppend.length > 0) {
    messages.push(storageAppend(core, work));
  }
  if (work.committedEntries.length > 0) messages.push(storageApply(core, work.committedEntries));
  return messages;
}

function storageAppend(core: Core, { hardState, entries, snapshot }: StorageWork): Message {
  const message = draft(MessageType.StorageAppend, LOCAL_APPEND_THREAD);
  message.from = core.id;
  message.entries = entries;
  message.snapshot = snapshot;
  if (hardState !== null) {
    message.term = hardState.term;
    message.vote = hardState.vote;
    message.commit = hardState.commit;
  }
  message.responses = core.msgsAfterAppend.slice();
  if (needsAppendResponse(core, snapshot)) {
    message.responses = [...message.responses, storageAppendResponse(core, snapshot)];
  }
  return message;
}

/** Whether there is something to call stable once the writes under way are done. */
export function needsAppendResponse(core: Core, snapshot: Snapshot | null): boolean {
  return core.log.unstable.entries.length > 0 || snapshot !== null;
}

/**
 * Attests the end of the whole log, not only of the entries at hand: an earlier attestation, made under an earlier
 * term, may have been ignored, and this one makes up for it (A20).
 */
function storageAppendResponse(core: Core, snapshot: Snapshot | null): Message {
  const response = draft(MessageType.StorageAppendResp, core.id);
  response.from = LOCAL_APPEND_THREAD;
  response.term = core.term;
  if (core.log.unstable.entries.length > 0) {
    response.index = core.log.lastIndex();
    response.logTerm = core.log.lastTerm();
  }
  response.snapshot = snapshot;
  return response;
}

function storageApply(core: Core, entries: readonly Entry[]): Message {
  const message = draft(MessageType.StorageApply, LOCAL_APPLY_THREAD);
  message.from = core.id;
  message.entries = entries.length > 0 ? entries : NO_ENTRIES;
  message.responses = [storageApplyResponse(core, entries)];
  return message;
}

function storageApplyResponse(core: Core, entries: readonly Entry[]): Message {
  const response = draft(MessageType.StorageApplyResp, core.id);
  response.from = LOCAL_APPLY_THREAD;
  response.entries = entries;
  return response;
}
