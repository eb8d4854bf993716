import { ProgressState } from './api.ts';
import type { Core } from './core.ts';
import { DamagedLog, RaftFatal } from './fatal.ts';
import { idHex } from './ids.ts';
import { draft, NO_ENTRIES } from './message.ts';
import { describeProgress, type Progress } from './progress.ts';
import { payloadsSize } from './size.ts';
import { type Entry, MessageType, RaftError, StorageError } from './types.ts';

/** Stamps entries with term and index and appends them to a leader's log (reference/raft.md A10.4). */
export function appendEntries(core: Core, entries: readonly Entry[]): RaftError | null {
  const { log, term, config } = core;
  let index = log.lastIndex();
  const bytes = payloadsSize(entries);
  const total = core.uncommittedSize + bytes;
  // An oversized proposal is taken when nothing else waits, and an empty one always.
  if (core.uncommittedSize > 0 && bytes > 0 && total > config.maxUncommittedSizeBytes) {
    core.say('WARN', 'appending new entries to log would exceed uncommitted entry size limit; dropping proposal');
    return RaftError.ProposalDropped;
  }
  core.uncommittedSize = total;
  const typeAlways = config.behaviour === '3.6';
  const stamped: Entry[] = [];
  for (const { type, typePresent, data } of entries) {
    index++;
    stamped.push({ term, index, type, typePresent: typePresent || typeAlways, data });
  }
  log.append(stamped);
  // The own log counts only once it is durable.
  const ack = draft(MessageType.AppResp, core.id);
  ack.index = index;
  core.send(ack);
  return null;
}

/** Sends a peer what it lacks, or an empty append if it lacks nothing. */
export function sendAppend(core: Core, to: Progress): void {
  maybeSendAppend(core, to, true);
}

/** One append message, or a snapshot where the log no longer reaches back (A13). False if nothing was sent. */
export function maybeSendAppend(core: Core, to: Progress, sendIfEmpty: boolean): boolean {
  if (to.isPaused()) return false;
  const { log } = core;
  const prevIndex = to.next - 1;
  const prevTerm = log.term(prevIndex);
  if (prevTerm < 0) return maybeSendSnapshot(core, to);

  // A full window still lets empty messages through, to probe for lost ones.
  const windowFull = to.state === ProgressState.Replicate && to.inflights.full();
  const entries = windowFull ? NO_ENTRIES : log.entries(to.next, core.config.maxSizePerMsgBytes);
  const failed = typeof entries === 'string';
  if ((failed || entries.length === 0) && !sendIfEmpty) return false;
  if (failed) return maybeSendSnapshot(core, to);

  const message = draft(MessageType.App, to.id);
  message.index = prevIndex;
  message.logTerm = prevTerm;
  message.entries = entries;
  message.commit = log.committed;
  core.send(message);
  to.sentEntries(entries.length, payloadsSize(entries));
  to.sentCommit = log.committed;
  return true;
}

function maybeSendSnapshot(core: Core, to: Progress): boolean {
  if (!to.recentActive) {
    core.config.logger?.log('DEBUG', `ignore sending snapshot to ${idHex(to.id)} since it is not recently active`);
    return false;
  }
  const snapshot = core.log.snapshot();
  if (typeof snapshot === 'string') {
    if (snapshot !== StorageError.SnapshotTemporarilyUnavailable) throw new RaftFatal(snapshot);
    core.say('DEBUG', `failed to send snapshot to ${idHex(to.id)} because snapshot is temporarily unavailable`);
    return false;
  }
  if (snapshot.index === 0) throw new DamagedLog('need non-empty snapshot');
  const { index, term } = snapshot;
  sayProgress(
    core,
    `[firstindex: ${core.log.firstIndex()}, commit: ${core.log.committed}] ` +
      `sent snapshot[index: ${index}, term: ${term}] to ${idHex(to.id)}`,
    to,
  );
  to.becomeSnapshot(index);
  sayProgress(core, `paused sending replication messages to ${idHex(to.id)}`, to);
  const message = draft(MessageType.Snap, to.id);
  message.snapshot = snapshot;
  core.send(message);
  return true;
}

/** A DEBUG line that ends in what is known about a peer. */
export function sayProgress(core: Core, text: string, about: Progress): void {
  if (core.logging) core.say('DEBUG', `${text} [${describeProgress(about.view())}]`);
}

export function broadcastAppend(core: Core): void {
  const { all } = core.tracker;
  for (let i = 0; i < all.length; i++) {
    if (all[i]!.id !== core.id) sendAppend(core, all[i]!);
  }
}

/** Commits what a quorum holds. True if that moved the commit index. */
export function maybeCommit(core: Core): boolean {
  return core.log.maybeCommit(core.term, core.tracker.committed());
}

/** Heartbeats to every other node, with the mark of the reads that wait. */
export function broadcastHeartbeat(core: Core, mark: Uint8Array | null): void {
  for (const one of core.tracker.all) {
    if (one.id === core.id) continue;
    // Never beyond what the peer acknowledged: it may lack what is committed.
    const commit = Math.min(one.match, core.log.committed);
    const message = draft(MessageType.Heartbeat, one.id);
    message.commit = commit;
    message.context = mark;
    core.send(message);
    one.sentCommit = commit;
  }
}
