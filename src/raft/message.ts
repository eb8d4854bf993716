import { type Data, type Entry, EntryType, type Message, MessageType, NONE, type NodeId } from './types.ts';

/** A message under construction: whoever made it may fill it in until it is sent. */
export type Draft = { -readonly [K in keyof Message]: Message[K] };

export const NO_ENTRIES: readonly Entry[] = Object.freeze([]);
export const NO_MESSAGES: readonly Message[] = Object.freeze([]);

/** A message with every unused field at its zero. All messages are made here, so all have one shape. */
export function draft(type: MessageType, to: NodeId): Draft {
  return {
    type,
    to,
    from: NONE,
    term: 0,
    logTerm: 0,
    index: 0,
    entries: NO_ENTRIES,
    commit: 0,
    vote: NONE,
    snapshot: null,
    reject: false,
    rejectHint: 0,
    context: null,
    responses: NO_MESSAGES,
  };
}

/** An entry that no log has taken in yet: term and index are stamped when a leader appends it. */
export function unstamped(data: Data, type: EntryType = EntryType.Normal, typePresent = false): Entry {
  return { term: 0, index: 0, type, typePresent, data };
}

const M = MessageType;
const LOCAL: readonly MessageType[] = Object.freeze([
  M.Hup,
  M.Beat,
  M.Unreachable,
  M.SnapStatus,
  M.CheckQuorum,
  M.StorageAppend,
  M.StorageAppendResp,
  M.StorageApply,
  M.StorageApplyResp,
]);
const RESPONSES: readonly MessageType[] = Object.freeze([
  M.AppResp,
  M.VoteResp,
  M.HeartbeatResp,
  M.Unreachable,
  M.ReadIndexResp,
  M.PreVoteResp,
  M.StorageAppendResp,
  M.StorageApplyResp,
]);

function bits(types: readonly MessageType[]): number {
  return types.reduce<number>((mask, type) => mask | (1 << type), 0);
}
const LOCAL_BITS = bits(LOCAL);
const RESPONSE_BITS = bits(RESPONSES);

/** Types that only the node itself or its storage threads may step (reference/raft.md A3). */
export function isLocalType(type: MessageType): boolean {
  return (LOCAL_BITS & (1 << type)) !== 0;
}

/** Types that make sense only from a node the receiver tracks. */
export function isResponseType(type: MessageType): boolean {
  return (RESPONSE_BITS & (1 << type)) !== 0;
}

/** The answer's type to a vote request's type. */
export function voteResponseType(type: MessageType): MessageType {
  return type === M.Vote ? M.VoteResp : M.PreVoteResp;
}

const NAMES: readonly string[] = Object.freeze(Object.keys(MessageType).map((key) => `Msg${key}`));

/** `MsgApp`, `MsgVote`, ... */
export function messageTypeName(type: MessageType): string {
  return NAMES[type] ?? `unknown(${type})`;
}

const TRANSFER_MARK = 'CampaignTransfer';
/** The context of a vote request made on behalf of a leadership transfer: voters answer despite a lease. */
export const TRANSFER_CONTEXT: Uint8Array = Uint8Array.from([...TRANSFER_MARK].map((char) => char.charCodeAt(0)));

export function isTransferContext(context: Uint8Array | null): boolean {
  return (
    context !== null &&
    context.length === TRANSFER_CONTEXT.length &&
    context.every((byte, i) => byte === TRANSFER_CONTEXT[i])
  );
}
