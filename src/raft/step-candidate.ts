import type { Core } from './core.ts';
import { roleName } from './core.ts';
import { handleVoteResponse } from './election.ts';
import { idHex } from './ids.ts';
import { handleFromLeader } from './step-follower.ts';
import { type Message, MessageType, RaftError, Role } from './types.ts';

/** What a candidate or pre-candidate does with a message of its term (reference/raft.md A10.1). */
export function stepCandidate(core: Core, message: Message): RaftError | null {
  // A late answer of the other phase must not count.
  const awaited = core.role === Role.PreCandidate ? MessageType.PreVoteResp : MessageType.VoteResp;
  switch (message.type) {
    case MessageType.Prop:
      core.say('INFO', `no leader at term ${core.term}; dropping proposal`);
      return RaftError.ProposalDropped;
    case MessageType.App:
    case MessageType.Heartbeat:
    case MessageType.Snap:
      core.becomeFollower(message.term, message.from);
      return handleFromLeader(core, message);
    case awaited:
      handleVoteResponse(core, message);
      return null;
    case MessageType.TimeoutNow:
      core.say(
        'DEBUG',
        `[term ${core.term} state ${roleName(core.role)}] ignored MsgTimeoutNow from ${idHex(message.from)}`,
      );
      return null;
    default:
      return null;
  }
}
