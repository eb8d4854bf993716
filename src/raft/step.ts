import { acknowledgeAppend, acknowledgeApply } from './acknowledge.ts';
import type { Core } from './core.ts';
import { handleVoteRequest, hup, ignoredUnderLease, rejectVote } from './election.ts';
import { idHex } from './ids.ts';
import { draft, messageTypeName } from './message.ts';
import { entriesSize } from './size.ts';
import { stepCandidate } from './step-candidate.ts';
import { stepFollower } from './step-follower.ts';
import { stepLeader } from './step-leader.ts';
import { type Message, MessageType, NONE, type RaftError, Role } from './types.ts';

/** Lets a message act on the node: the term gate, then what all roles share, then the role (A8 to A10). */
export function step(core: Core, message: Message): RaftError | null {
  if (message.term !== 0 && message.term !== core.term && !passesTermGate(core, message)) return null;
  switch (message.type) {
    case MessageType.Hup:
      hup(core, core.config.preVote ? 'pre-election' : 'election');
      return null;
    case MessageType.StorageAppendResp:
      acknowledgeAppend(core, message, step);
      return null;
    case MessageType.StorageApplyResp:
      acknowledgeApply(core, message.entries, entriesSize(message.entries), step);
      return null;
    case MessageType.Vote:
    case MessageType.PreVote:
      handleVoteRequest(core, message);
      return null;
    default:
      return stepRole(core, message);
  }
}

function stepRole(core: Core, message: Message): RaftError | null {
  if (core.role === Role.Leader) return stepLeader(core, message);
  return core.role === Role.Follower ? stepFollower(core, message) : stepCandidate(core, message);
}

/** Compares terms (A8). False if the message has been dealt with. */
function passesTermGate(core: Core, message: Message): boolean {
  return message.term > core.term ? acceptHigherTerm(core, message) : acceptLowerTerm(core, message);
}

function acceptHigherTerm(core: Core, message: Message): boolean {
  const { type, from, term } = message;
  const isVote = type === MessageType.Vote || type === MessageType.PreVote;
  if (isVote && ignoredUnderLease(core, message)) return false;
  // A pre-vote changes no term. Neither does its grant: it names the term we asked for.
  if (type === MessageType.PreVote || (type === MessageType.PreVoteResp && !message.reject)) return true;
  if (core.logging) {
    core.say(
      'INFO',
      `[term: ${core.term}] received a ${messageTypeName(type)} message with higher term from ${idHex(from)} [term: ${term}]`,
    );
  }
  const fromLeader = type === MessageType.App || type === MessageType.Heartbeat || type === MessageType.Snap;
  core.becomeFollower(term, fromLeader ? from : NONE);
  return true;
}

function acceptLowerTerm(core: Core, message: Message): boolean {
  const { type, from, term } = message;
  const { checkQuorum, preVote } = core.config;
  if ((checkQuorum || preVote) && (type === MessageType.Heartbeat || type === MessageType.App)) {
    // Tells a leader of the past our term. Without it we could neither follow that leader nor,
    // with pre-vote or a lease in the way, make anyone else lead.
    core.send(draft(MessageType.AppResp, from));
  } else if (type === MessageType.PreVote) {
    rejectVote(core, message);
  } else if (type === MessageType.StorageAppendResp) {
    acknowledgeAppend(core, message, step);
  } else if (core.logging) {
    core.say(
      'INFO',
      `[term: ${core.term}] ignored a ${messageTypeName(type)} message with lower term from ${idHex(from)} [term: ${term}]`,
    );
  }
  return false;
}
