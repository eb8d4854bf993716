import type { Core } from './core.ts';
import { hup } from './election.ts';
import { idHex } from './ids.ts';
import { draft } from './message.ts';
import { contextOf } from './read-queue.ts';
import { handleSnapshot } from './snapshot.ts';
import { type Message, MessageType, NONE, RaftError } from './types.ts';

/** What a follower does with a message of its term (reference/raft.md A10.2). */
export function stepFollower(core: Core, message: Message): RaftError | null {
  switch (message.type) {
    case MessageType.Prop:
      return passProposalOn(core, message);
    case MessageType.App:
    case MessageType.Heartbeat:
    case MessageType.Snap:
      core.electionElapsed = 0;
      core.lead = message.from;
      return handleFromLeader(core, message);
    case MessageType.TransferLeader:
      passOn(core, message, 'leader transfer');
      return null;
    case MessageType.ForgetLeader:
      forgetLeader(core);
      return null;
    case MessageType.TimeoutNow:
      core.say(
        'INFO',
        `[term ${core.term}] received MsgTimeoutNow from ${idHex(message.from)} and starts an election to get leadership.`,
      );
      // Never by way of a pre-vote: there is nothing to recover from when the leader itself asks.
      hup(core, 'transfer');
      return null;
    case MessageType.ReadIndex:
      passOn(core, message, 'index reading');
      return null;
    case MessageType.ReadIndexResp:
      takeReadState(core, message);
      return null;
    default:
      return null;
  }
}

function passProposalOn(core: Core, message: Message): RaftError | null {
  if (core.lead === NONE) {
    core.say('INFO', `no leader at term ${core.term}; dropping proposal`);
    return RaftError.ProposalDropped;
  }
  if (core.config.disableProposalForwarding) {
    core.say('INFO', `not forwarding to leader ${idHex(core.lead)} at term ${core.term}; dropping proposal`);
    return RaftError.ProposalDropped;
  }
  forward(core, message);
  return null;
}

function passOn(core: Core, message: Message, what: string): void {
  if (core.lead === NONE) core.say('INFO', `no leader at term ${core.term}; dropping ${what} msg`);
  else forward(core, message);
}

/** Sends a message on to the leader, in the name of whoever sent it first. */
function forward(core: Core, message: Message): void {
  const copy = draft(message.type, core.lead);
  copy.from = message.from;
  copy.entries = message.entries;
  copy.context = message.context;
  core.send(copy);
}

function forgetLeader(core: Core): void {
  if (core.config.readOnly === 'lease-based') {
    core.config.logger?.log('ERROR', 'ignoring MsgForgetLeader due to ReadOnlyLeaseBased');
  } else if (core.lead !== NONE) {
    core.say('INFO', `forgetting leader ${idHex(core.lead)} at term ${core.term}`);
    core.lead = NONE;
  }
}

function takeReadState(core: Core, message: Message): void {
  if (message.entries.length !== 1) {
    core.say(
      'ERROR',
      `invalid format of MsgReadIndexResp from ${idHex(message.from)}, entries count: ${message.entries.length}`,
    );
    return;
  }
  core.readStates.push({ index: message.index, requestContext: contextOf(message) });
}

/** Append, heartbeat or snapshot from the leader of this term (A13). */
export function handleFromLeader(core: Core, message: Message): RaftError | null {
  if (message.type === MessageType.App) handleAppend(core, message);
  else if (message.type === MessageType.Heartbeat) handleHeartbeat(core, message);
  else return handleSnapshot(core, message);
  return null;
}

function handleAppend(core: Core, message: Message): void {
  const { log } = core;
  const answer = draft(MessageType.AppResp, message.from);
  if (message.index < log.committed) {
    answer.index = log.committed;
    core.send(answer);
    return;
  }
  const last = log.maybeAppend(message.logTerm, message.index, message.entries, message.commit);
  if (last >= 0) {
    answer.index = last;
    core.send(answer);
    return;
  }
  if (core.logging) {
    core.say(
      'DEBUG',
      `[logterm: ${log.termOrZero(message.index)}, index: ${message.index}] rejected MsgApp ` +
        `[logterm: ${message.logTerm}, index: ${message.index}] from ${idHex(message.from)}`,
    );
  }
  // The leader skips at once all that it can tell, from our hint, to be in conflict.
  const hint = log.findConflictByTerm(Math.min(message.index, log.lastIndex()), message.logTerm);
  answer.index = message.index;
  answer.reject = true;
  answer.rejectHint = hint;
  answer.logTerm = log.termOrZero(hint);
  core.send(answer);
}

function handleHeartbeat(core: Core, message: Message): void {
  core.log.commitTo(message.commit);
  const answer = draft(MessageType.HeartbeatResp, message.from);
  answer.context = message.context;
  core.send(answer);
}
