import { decodeConfChange, isConfChangeEntry } from './confchange/codec.ts';
import type { Core } from './core.ts';
import { type Message, MessageType, NONE } from './types.ts';

const LAST_TYPE = MessageType.ForgetLeader;

/**
 * Whether a message from the network breaks the protocol's format, so that acting on it could only end in an
 * error of this node's own. No correct peer sends one.
 */
export function isMalformed(core: Core, message: Message): boolean {
  const { type, from, term, entries } = message;
  if (!(type >= 0 && type <= LAST_TYPE) || term >= Number.MAX_SAFE_INTEGER) return true;
  const fromSelf = from === core.id;
  switch (type) {
    case MessageType.Prop:
      return (
        entries.length === 0 || entries.some((e) => isConfChangeEntry(e) && typeof decodeConfChange(e) === 'string')
      );
    case MessageType.ReadIndex:
      return entries.length === 0;
    case MessageType.Vote:
    case MessageType.PreVote:
      return fromSelf || from === NONE || term === 0;
    case MessageType.App:
      if (fromSelf) return true;
      for (let i = 0; i < entries.length; i++) {
        if (entries[i]!.index !== message.index + 1 + i) return true;
      }
      return false;
    case MessageType.AppResp:
      return fromSelf && message.reject;
    case MessageType.Heartbeat:
    case MessageType.HeartbeatResp:
    case MessageType.Snap:
      return fromSelf;
    default:
      return false;
  }
}
