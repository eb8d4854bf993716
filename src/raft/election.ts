import { isConfChangeEntry } from './confchange/codec.ts';
import type { Core } from './core.ts';
import { idHex } from './ids.ts';
import { draft, isTransferContext, messageTypeName, TRANSFER_CONTEXT, unstamped, voteResponseType } from './message.ts';
import { VoteResult } from './quorum/majority.ts';
import { appendEntries, broadcastAppend } from './replication.ts';
import { type Message, MessageType, NONE, type NodeId, type RaftError, Role } from './types.ts';

/** Why an election is held: to ask whether one could be won, to win it, or to win it for a departing leader. */
export type CampaignKind = 'pre-election' | 'election' | 'transfer';

/** Starts an election unless something speaks against it (reference/raft.md A9). */
export function hup(core: Core, kind: CampaignKind): void {
  if (core.role === Role.Leader) {
    core.say('DEBUG', 'ignoring MsgHup because already leader');
    return;
  }
  if (!core.promotable()) {
    core.say('WARN', 'is unpromotable and can not campaign');
    return;
  }
  if (hasUnappliedConfChange(core)) {
    core.say(
      'WARN',
      `cannot campaign at term ${core.term} since there are still pending configuration changes to apply`,
    );
    return;
  }
  core.say('INFO', `is starting a new election at term ${core.term}`);
  campaign(core, kind);
}

function hasUnappliedConfChange({ log }: Core): boolean {
  return (
    log.applied < log.committed && log.some(log.applied + 1, log.committed + 1, log.maxApplyingSize, isConfChangeEntry)
  );
}

function campaign(core: Core, kind: CampaignKind): void {
  const pre = kind === 'pre-election';
  if (pre) core.becomePreCandidate();
  else core.becomeCandidate();
  const term = pre ? core.term + 1 : core.term;
  const type = pre ? MessageType.PreVote : MessageType.Vote;
  const index = core.log.lastIndex();
  const logTerm = core.log.lastTerm();
  for (const id of core.tracker.voterIds()) {
    if (id === core.id) {
      // The own vote counts only once it is durable.
      sendVote(core, id, voteResponseType(type), term, false);
      continue;
    }
    core.say(
      'INFO',
      `[logterm: ${logTerm}, index: ${index}] sent ${messageTypeName(type)} request to ${idHex(id)} at term ${core.term}`,
    );
    const request = draft(type, id);
    request.term = term;
    request.index = index;
    request.logTerm = logTerm;
    if (kind === 'transfer') request.context = TRANSFER_CONTEXT;
    core.send(request);
  }
}

function sendVote(core: Core, to: NodeId, type: MessageType, term: number, reject: boolean): void {
  const answer = draft(type, to);
  answer.term = term;
  answer.reject = reject;
  core.send(answer);
}

/** Whether a voter still hears from a leader, and so ignores requests to elect another (A8). */
export function inLease(core: Core): boolean {
  return core.config.checkQuorum && core.lead !== NONE && core.electionElapsed < core.config.electionTick;
}

/** Whether a vote request of a higher term is to be ignored altogether. */
export function ignoredUnderLease(core: Core, message: Message): boolean {
  if (isTransferContext(message.context) || !inLease(core)) return false;
  const remaining = core.config.electionTick - core.electionElapsed;
  sayVote(core, 'ignored', message, `: lease is not expired (remaining ticks: ${remaining})`);
  return true;
}

/** Grants or denies a vote; in every role alike (A9). */
export function handleVoteRequest(core: Core, message: Message): void {
  const answer = voteResponseType(message.type);
  const canVote =
    core.vote === message.from ||
    (core.vote === NONE && core.lead === NONE) ||
    (message.type === MessageType.PreVote && message.term > core.term);
  if (!canVote || !core.log.isUpToDate(message.logTerm, message.index)) {
    rejectVote(core, message);
    return;
  }
  sayVote(core, 'cast', message);
  // The request's own term: a pre-candidate asks for a term that nobody is in yet.
  sendVote(core, message.from, answer, message.term, false);
  if (message.type === MessageType.Vote) {
    core.electionElapsed = 0;
    core.vote = message.from;
  }
}

export function rejectVote(core: Core, message: Message): void {
  sayVote(core, 'rejected', message);
  sendVote(core, message.from, voteResponseType(message.type), core.term, true);
}

function sayVote(core: Core, verb: 'cast' | 'rejected' | 'ignored', message: Message, more = ''): void {
  if (!core.logging) return;
  const preposition = verb === 'cast' ? 'for' : 'from';
  core.say(
    'INFO',
    `[logterm: ${core.log.lastTerm()}, index: ${core.log.lastIndex()}, vote: ${idHex(core.vote)}] ${verb} ` +
      `${messageTypeName(message.type)} ${preposition} ${idHex(message.from)} ` +
      `[logterm: ${message.logTerm}, index: ${message.index}] at term ${core.term}${more}`,
  );
}

/** A candidate of either kind received an answer to its request (A10.1). */
export function handleVoteResponse(core: Core, message: Message): void {
  const { from, type, reject } = message;
  const { tracker } = core;
  core.say(
    'INFO',
    `received ${messageTypeName(type)}${reject ? ' rejection' : ''} from ${idHex(from)} at term ${core.term}`,
  );
  tracker.recordVote(from, !reject);
  const { granted, rejected, result } = tracker.tallyVotes();
  core.say('INFO', `has received ${granted} ${messageTypeName(type)} votes and ${rejected} vote rejections`);
  if (result === VoteResult.Lost) {
    core.becomeFollower(core.term, NONE);
  } else if (result === VoteResult.Won) {
    if (core.role === Role.PreCandidate) {
      campaign(core, 'election');
    } else {
      becomeLeader(core);
      broadcastAppend(core);
    }
  }
}

/** Takes the lead and appends the empty entry whose commitment commits all before it (A6). */
export function becomeLeader(core: Core): RaftError | null {
  core.startLeading();
  const refused = appendEntries(core, [unstamped(null)]);
  core.say('INFO', `became leader at term ${core.term}`);
  return refused;
}
