import { type Draft, draft } from '../message.ts';
import { EMPTY_CONF_STATE, EMPTY_SNAPSHOT } from '../storage.ts';
import {
  type ConfState,
  type Data,
  type Entry,
  EntryType,
  type HardState,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  type OpaqueData,
  type Snapshot,
} from '../types.ts';
import { WireError, WireReader, WireWriter } from './varint.ts';

/** How data that is an object goes on the wire, and comes back. Without it only bytes can. */
export interface DataCodec {
  encode(data: OpaqueData): Uint8Array;
  decode(bytes: Uint8Array): Data;
}

const BYTES_ONLY: DataCodec = {
  encode() {
    throw new WireError('data is an object, and there is no codec for it');
  },
  decode: (bytes) => bytes,
};

/*
 * The encoding of etcd 3.6 (reference/raft.md A3): numbers are always written, zero or not; bytes, snapshots and
 * lists where there are any. A decoder takes what any release writes, in any order, unknown fields included.
 */

export function encodeMessage(message: Message, codec: DataCodec = BYTES_ONLY): Uint8Array {
  const out = new WireWriter();
  out.numberField(1, message.type);
  out.idField(2, message.to);
  out.idField(3, message.from);
  out.numberField(4, message.term);
  out.numberField(5, message.logTerm);
  out.numberField(6, message.index);
  for (const entry of message.entries) out.bytesField(7, encodeEntry(entry, codec));
  out.numberField(8, message.commit);
  if (message.snapshot !== null) out.bytesField(9, encodeSnapshot(message.snapshot, codec));
  out.numberField(10, message.reject ? 1 : 0);
  out.numberField(11, message.rejectHint);
  if (message.context !== null) out.bytesField(12, message.context);
  out.idField(13, message.vote);
  for (const response of message.responses) out.bytesField(14, encodeMessage(response, codec));
  return out.finish();
}

export function encodeEntry(entry: Entry, codec: DataCodec = BYTES_ONLY): Uint8Array {
  const out = new WireWriter();
  if (entry.typePresent) out.numberField(1, entry.type);
  out.numberField(2, entry.term);
  out.numberField(3, entry.index);
  writeData(out, 4, entry.data, codec);
  return out.finish();
}

export function encodeSnapshot(snapshot: Snapshot, codec: DataCodec = BYTES_ONLY): Uint8Array {
  const metadata = new WireWriter();
  metadata.bytesField(1, encodeConfState(snapshot.confState));
  metadata.numberField(2, snapshot.index);
  metadata.numberField(3, snapshot.term);
  const out = new WireWriter();
  writeData(out, 1, snapshot.data, codec);
  out.bytesField(2, metadata.finish());
  return out.finish();
}

export function encodeConfState(state: ConfState): Uint8Array {
  const out = new WireWriter();
  for (const id of state.voters) out.idField(1, id);
  for (const id of state.learners) out.idField(2, id);
  for (const id of state.votersOutgoing) out.idField(3, id);
  for (const id of state.learnersNext) out.idField(4, id);
  out.numberField(5, state.autoLeave ? 1 : 0);
  return out.finish();
}

export function encodeHardState(state: HardState): Uint8Array {
  const out = new WireWriter();
  out.numberField(1, state.term);
  out.idField(2, state.vote);
  out.numberField(3, state.commit);
  return out.finish();
}

function writeData(out: WireWriter, field: number, data: Data, codec: DataCodec): void {
  if (data !== null) out.bytesField(field, data instanceof Uint8Array ? data : codec.encode(data));
}

/** Calls a reader for every known field; skips the rest. */
function readFields(bytes: Uint8Array, fields: Readonly<Record<number, (input: WireReader) => void>>): void {
  const input = new WireReader(bytes);
  while (!input.done) {
    const { field, wireType } = input.tag();
    const read = fields[field];
    if (read !== undefined && (wireType === 0 || wireType === 2)) read(input);
    else input.skip(wireType);
  }
}

/** Throws `WireError` when the bytes are no message. */
export function decodeMessage(bytes: Uint8Array, codec: DataCodec = BYTES_ONLY): Message {
  const message: Draft = draft(MessageType.Hup, NONE);
  const entries: Entry[] = [];
  const responses: Message[] = [];
  readFields(bytes, {
    1: (input) => (message.type = input.number() as MessageType),
    2: (input) => (message.to = input.id()),
    3: (input) => (message.from = input.id()),
    4: (input) => (message.term = input.number()),
    5: (input) => (message.logTerm = input.number()),
    6: (input) => (message.index = input.number()),
    7: (input) => entries.push(decodeEntry(input.bytesValue(), codec)),
    8: (input) => (message.commit = input.number()),
    9: (input) => (message.snapshot = decodeSnapshot(input.bytesValue(), codec)),
    10: (input) => (message.reject = input.number() !== 0),
    11: (input) => (message.rejectHint = input.number()),
    12: (input) => (message.context = input.bytesValue()),
    13: (input) => (message.vote = input.id()),
    14: (input) => responses.push(decodeMessage(input.bytesValue(), codec)),
  });
  if (entries.length > 0) message.entries = entries;
  if (responses.length > 0) message.responses = responses;
  return message;
}

export function decodeEntry(bytes: Uint8Array, codec: DataCodec = BYTES_ONLY): Entry {
  let type: EntryType = EntryType.Normal;
  let typePresent = false;
  let term = 0;
  let index = 0;
  let data: Data = null;
  readFields(bytes, {
    1: (input) => {
      type = input.number() as EntryType;
      typePresent = true;
    },
    2: (input) => (term = input.number()),
    3: (input) => (index = input.number()),
    4: (input) => (data = input.bytesValue()),
  });
  // The data of a conf change stays bytes: the library itself reads it.
  if (data !== null && type === EntryType.Normal) data = codec.decode(data);
  return { term, index, type, typePresent, data };
}

export function decodeSnapshot(bytes: Uint8Array, codec: DataCodec = BYTES_ONLY): Snapshot {
  let { data, index, term, confState } = EMPTY_SNAPSHOT;
  readFields(bytes, {
    1: (input) => (data = codec.decode(input.bytesValue())),
    2: (input) =>
      readFields(input.bytesValue(), {
        1: (inner) => (confState = decodeConfState(inner.bytesValue())),
        2: (inner) => (index = inner.number()),
        3: (inner) => (term = inner.number()),
      }),
  });
  return { index, term, confState, data };
}

export function decodeConfState(bytes: Uint8Array): ConfState {
  const lists: [NodeId[], NodeId[], NodeId[], NodeId[]] = [[], [], [], []];
  let { autoLeave } = EMPTY_CONF_STATE;
  readFields(bytes, {
    1: (input) => lists[0].push(input.id()),
    2: (input) => lists[1].push(input.id()),
    3: (input) => lists[2].push(input.id()),
    4: (input) => lists[3].push(input.id()),
    5: (input) => (autoLeave = input.number() !== 0),
  });
  const [voters, learners, votersOutgoing, learnersNext] = lists;
  return { voters, learners, votersOutgoing, learnersNext, autoLeave };
}

export function decodeHardState(bytes: Uint8Array): HardState {
  let term = 0;
  let vote = NONE;
  let commit = 0;
  readFields(bytes, {
    1: (input) => (term = input.number()),
    2: (input) => (vote = input.id()),
    3: (input) => (commit = input.number()),
  });
  return { term, vote, commit };
}
