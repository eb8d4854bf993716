/** The public face of the Raft library (`talosim/raft`): a pure state machine, driven by its host. */
export * from './api.ts';
export { asV2, decodeConfChange, encodeConfChange } from './confchange/codec.ts';
export { sameConfState } from './confchange/restore.ts';
export { confChangeTokens, describeChanges, describeConfChange } from './confchange/text.ts';
export { roleName } from './core.ts';
export * from './describe.ts';
export { RaftFatal } from './fatal.ts';
export { idDecimal, idHex, nodeId } from './ids.ts';
export { messageTypeName } from './message.ts';
export { describeProgress, progressStateName } from './progress.ts';
export { describeIndex, describeJoint, describeQuorum, describeVoters } from './quorum/describe.ts';
export { type JointVoters, jointCommitted, jointVote } from './quorum/joint.ts';
export {
  type ById,
  INFINITE_INDEX,
  majorityCommitted,
  majorityVote,
  VoteResult,
  voteResultName,
} from './quorum/majority.ts';
export { RawNode } from './rawnode.ts';
export { entrySize } from './size.ts';
export { EMPTY_CONF_STATE, EMPTY_SNAPSHOT, MemoryStorage } from './storage.ts';
export * from './types.ts';
export {
  type DataCodec,
  decodeConfState,
  decodeEntry,
  decodeHardState,
  decodeMessage,
  decodeSnapshot,
  encodeConfState,
  encodeEntry,
  encodeHardState,
  encodeMessage,
  encodeSnapshot,
} from './wire/codec.ts';
export { messageSize, snapshotSize } from './wire/size.ts';
export { WireError } from './wire/varint.ts';
