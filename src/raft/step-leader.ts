import { ProgressState } from './api.ts';
import type { Core } from './core.ts';
import { RaftFatal } from './fatal.ts';
import { idHex } from './ids.ts';
import { admitConfChanges } from './membership.ts';
import { draft } from './message.ts';
import type { Progress } from './progress.ts';
import { acknowledgeReads, readIndex, releasePostponedReads } from './reads.ts';
import {
  appendEntries,
  broadcastAppend,
  broadcastHeartbeat,
  maybeCommit,
  maybeSendAppend,
  sayProgress,
  sendAppend,
} from './replication.ts';
import { type Message, MessageType, NONE, RaftError } from './types.ts';

/** What a leader does with a message of its term (reference/raft.md A10.3 to A10.6). */
export function stepLeader(core: Core, message: Message): RaftError | null {
  switch (message.type) {
    case MessageType.Beat:
      broadcastHeartbeat(core, core.reads.heartbeatMark());
      return null;
    case MessageType.CheckQuorum:
      checkQuorum(core);
      return null;
    case MessageType.Prop:
      return propose(core, message);
    case MessageType.ReadIndex:
      readIndex(core, message);
      return null;
    case MessageType.ForgetLeader:
      return null;
    default: {
      const sender = core.tracker.progress.get(message.from);
      if (sender !== undefined) stepLeaderFrom(core, message, sender);
      else if (core.logging) core.say('DEBUG', `no progress available for ${idHex(message.from)}`);
      return null;
    }
  }
}

/** Messages that concern a node the leader tracks. */
function stepLeaderFrom(core: Core, message: Message, sender: Progress): void {
  switch (message.type) {
    case MessageType.AppResp:
      sender.recentActive = true;
      if (message.reject) handleRejection(core, message, sender);
      else handleAcknowledgement(core, message, sender);
      return;
    case MessageType.HeartbeatResp:
      handleHeartbeatResponse(core, message, sender);
      return;
    case MessageType.SnapStatus:
      handleSnapshotStatus(core, message, sender);
      return;
    case MessageType.Unreachable:
      // An append that was under way is probably lost.
      if (sender.state === ProgressState.Replicate) sender.becomeProbe();
      sayProgress(core, `failed to send message to ${idHex(sender.id)} because it is unreachable`, sender);
      return;
    case MessageType.TransferLeader:
      transferTo(core, sender);
      return;
    default:
  }
}

function checkQuorum(core: Core): void {
  if (!core.tracker.quorumActive()) {
    core.say('WARN', 'stepped down to follower since quorum is not active');
    core.becomeFollower(core.term, NONE);
  }
  for (const one of core.tracker.all) {
    if (one.id !== core.id) one.recentActive = false;
  }
}

function propose(core: Core, message: Message): RaftError | null {
  if (message.entries.length === 0) throw new RaftFatal(`${idHex(core.id)} stepped empty MsgProp`);
  // Removed while it leads: it finishes what it has, and takes nothing new.
  if (!core.tracker.progress.has(core.id)) return RaftError.ProposalDropped;
  if (core.leadTransferee !== NONE) {
    core.say(
      'DEBUG',
      `[term ${core.term}] transfer leadership to ${idHex(core.leadTransferee)} is in progress; dropping proposal`,
    );
    return RaftError.ProposalDropped;
  }
  const refused = appendEntries(core, admitConfChanges(core, message.entries));
  if (refused === null) broadcastAppend(core);
  return refused;
}

function handleRejection(core: Core, message: Message, sender: Progress): void {
  const { rejectHint, logTerm, index } = message;
  if (core.logging) {
    core.say(
      'DEBUG',
      `received MsgAppResp(rejected, hint: (index ${rejectHint}, term ${logTerm})) from ${idHex(sender.id)} for index ${index}`,
    );
  }
  const nextProbe = logTerm > 0 ? core.log.findConflictByTerm(rejectHint, logTerm) : rejectHint;
  if (!sender.maybeDecrTo(index, nextProbe)) return;
  sayProgress(core, `decreased progress of ${idHex(sender.id)} to`, sender);
  if (sender.state === ProgressState.Replicate) sender.becomeProbe();
  sendAppend(core, sender);
}

function handleAcknowledgement(core: Core, message: Message, sender: Progress): void {
  const { log } = core;
  // In Probe even old news tells that the peer answers again.
  const probing = sender.match === message.index && sender.state === ProgressState.Probe;
  if (!sender.maybeUpdate(message.index) && !probing) return;
  const isSelf = sender.id === core.id;
  if (sender.state === ProgressState.Probe) {
    sender.becomeReplicate();
  } else if (sender.state === ProgressState.Replicate) {
    sender.inflights.freeUpTo(message.index);
  } else if (sender.match + 1 >= log.firstIndex()) {
    // The log reaches back to what the peer has: the snapshot under way no longer matters.
    sayProgress(
      core,
      `recovered from needing snapshot, resumed sending replication messages to ${idHex(sender.id)}`,
      sender,
    );
    sender.becomeProbe();
    sender.becomeReplicate();
  }
  if (maybeCommit(core)) {
    releasePostponedReads(core);
    broadcastAppend(core);
  } else if (!isSelf && sender.canBumpCommit(log.committed)) {
    sendAppend(core, sender);
  }
  if (!isSelf) {
    while (maybeSendAppend(core, sender, false));
  }
  if (sender.id === core.leadTransferee && sender.match === log.lastIndex()) {
    core.say('INFO', `sent MsgTimeoutNow to ${idHex(sender.id)} after received MsgAppResp`);
    core.send(draft(MessageType.TimeoutNow, sender.id));
  }
}

function handleHeartbeatResponse(core: Core, message: Message, sender: Progress): void {
  sender.recentActive = true;
  sender.flowPaused = false;
  if (sender.match < core.log.lastIndex() || sender.state === ProgressState.Probe) sendAppend(core, sender);
  acknowledgeReads(core, message);
}

function handleSnapshotStatus(core: Core, message: Message, sender: Progress): void {
  if (sender.state !== ProgressState.Snapshot) return;
  if (message.reject) sender.pendingSnapshot = 0;
  sender.becomeProbe();
  const outcome = message.reject ? 'failed' : 'succeeded';
  sayProgress(core, `snapshot ${outcome}, resumed sending replication messages to ${idHex(sender.id)}`, sender);
  // The next append waits for an answer or a heartbeat's: the peer may still be busy with the snapshot.
  sender.flowPaused = true;
}

/** Somebody asks the leader to hand over to a node (A17). */
function transferTo(core: Core, target: Progress): void {
  const id = idHex(target.id);
  if (target.isLearner) {
    core.say('DEBUG', 'is learner. Ignored transferring leadership');
    return;
  }
  if (core.leadTransferee === target.id) {
    core.say(
      'INFO',
      `[term ${core.term}] transfer leadership to ${id} is in progress, ignores request to same node ${id}`,
    );
    return;
  }
  if (core.leadTransferee !== NONE) {
    const previous = core.leadTransferee;
    core.abortTransfer();
    core.say('INFO', `[term ${core.term}] abort previous transferring leadership to ${idHex(previous)}`);
  }
  if (target.id === core.id) {
    core.say('DEBUG', 'is already leader. Ignored transferring leadership to self');
    return;
  }
  core.say('INFO', `[term ${core.term}] starts to transfer leadership to ${id}`);
  // It has one election timeout to succeed.
  core.electionElapsed = 0;
  core.leadTransferee = target.id;
  if (target.match === core.log.lastIndex()) {
    core.send(draft(MessageType.TimeoutNow, target.id));
    core.say('INFO', `sends MsgTimeoutNow to ${id} immediately as ${id} already has up-to-date log`);
  } else {
    sendAppend(core, target);
  }
}
