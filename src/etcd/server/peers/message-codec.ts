import type { Codec } from '../../../platform/rpc.ts';
import {
  type ConfState,
  type Data,
  type Entry,
  EntryType,
  entrySize,
  type Message,
  MessageType,
  NONE,
  type NodeId,
  type Snapshot,
} from '../../../raft/index.ts';
import { id64Scalar } from '../../../rpc/scalars.ts';
import { delimitedSizeBytes, FIXED64, Reader, ReverseWriter } from '../../../rpc/wire.ts';
import {
  type Encoding,
  nestedSizeBytes,
  numberSizeBytes,
  writeFlag,
  writeNested,
  writeNumber,
  writePresentBytes,
} from '../../../rpc/written-out.ts';
import { Payload } from '../raft/payload.ts';
import { decodeConfState, encodeConfState, writeEntry } from '../wal/records.ts';

/**
 * Raft's messages between members: field numbers of raftpb, ids as fixed 64-bit numbers. Written by hand because every
 * heartbeat passes here, and because its size must be cheap: a simulation asks for it and never makes the bytes.
 */

const ID_SCALAR = id64Scalar<NodeId>('fixed64');
/** Fields that hold a number, left out when it is 0. */
const NUMBERS = Object.freeze([
  [1, 'type'],
  [4, 'term'],
  [5, 'logTerm'],
  [6, 'index'],
  [8, 'commit'],
  [11, 'rejectHint'],
] as const);
const IDS = Object.freeze([
  [2, 'to'],
  [3, 'from'],
  [13, 'vote'],
] as const);

function messageSize(message: Message): number {
  let size =
    numberSizeBytes(message.type) +
    numberSizeBytes(message.term) +
    numberSizeBytes(message.logTerm) +
    numberSizeBytes(message.index) +
    numberSizeBytes(message.commit) +
    numberSizeBytes(message.rejectHint);
  if (message.to !== NONE) size += 9;
  if (message.from !== NONE) size += 9;
  if (message.vote !== NONE) size += 9;
  if (message.reject) size += 2;
  const { entries } = message;
  for (let i = 0; i < entries.length; i++) size += 1 + delimitedSizeBytes(entrySize(entries[i]!));
  if (message.context !== null) size += 1 + delimitedSizeBytes(message.context.length);
  if (message.snapshot !== null) size += nestedSizeBytes(SNAPSHOT, message.snapshot);
  return size;
}

/** Writes backwards, as everything in the wire format here. */
function writeMessage(out: ReverseWriter, message: Message): void {
  for (const [number, name] of IDS) {
    if (message[name] === NONE) continue;
    ID_SCALAR.write(out, message[name]);
    out.tag(number, FIXED64);
  }
  if (message.context !== null) writePresentBytes(out, 12, message.context);
  writeFlag(out, 10, message.reject);
  if (message.snapshot !== null) writeNested(out, 9, SNAPSHOT, message.snapshot);
  for (let i = message.entries.length - 1; i >= 0; i--) writeNested(out, 7, ENTRY, message.entries[i]!);
  for (const [number, name] of NUMBERS) writeNumber(out, number, message[name]);
}

const ENTRY: Encoding<Entry> = Object.freeze({
  sizeBytes: entrySize,
  writeTo: (out: ReverseWriter, entry: Entry) => writeEntry(out, entry, entry.typePresent),
});

const SNAPSHOT: Encoding<Snapshot> = Object.freeze({
  sizeBytes: ({ index, term, confState }: Snapshot) =>
    numberSizeBytes(index) + numberSizeBytes(term) + 1 + delimitedSizeBytes(encodeConfState(confState).length),
  writeTo: (out: ReverseWriter, { index, term, confState }: Snapshot) => {
    writePresentBytes(out, 3, encodeConfState(confState));
    writeNumber(out, 2, term);
    writeNumber(out, 1, index);
  },
});

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function readMessage(input: Reader): Message {
  const message: Mutable<Message> & { entries: Entry[] } = {
    type: 0,
    to: NONE,
    from: NONE,
    term: 0,
    logTerm: 0,
    index: 0,
    entries: [],
    commit: 0,
    vote: NONE,
    snapshot: null,
    reject: false,
    rejectHint: 0,
    context: null,
    responses: [],
  };
  while (!input.done) {
    const tag = input.varint();
    const number = tag >>> 3;
    const id = IDS.find((field) => field[0] === number);
    const plain = NUMBERS.find((field) => field[0] === number);
    if (id !== undefined) message[id[1]] = ID_SCALAR.read(input);
    else if (plain !== undefined) (message as Record<string, unknown>)[plain[1]] = input.varint();
    else if (number === 7) message.entries.push(readEntry(inner(input)));
    else if (number === 9) message.snapshot = readSnapshot(inner(input));
    else if (number === 10) message.reject = input.varint() !== 0;
    else if (number === 12) message.context = input.raw();
    else input.skip(tag & 7);
  }
  // Requests for a read index carry their context in an entry, as plain bytes.
  const isRead = message.type === MessageType.ReadIndex || message.type === MessageType.ReadIndexResp;
  if (!isRead) message.entries = message.entries.map(withPayload);
  return message;
}

function withPayload(entry: Entry): Entry {
  return { ...entry, data: entryData(entry.type, entry.data as Uint8Array | null) };
}

function inner(input: Reader): Reader {
  const length = input.length();
  const reader = new Reader(input.bytes, input.at, input.at + length);
  input.at += length;
  return reader;
}

function readEntry(input: Reader): Entry {
  let term = 0;
  let index = 0;
  let type: EntryType = EntryType.Normal;
  let typePresent = false;
  let bytes: Uint8Array | null = null;
  while (!input.done) {
    const tag = input.varint();
    if (tag >>> 3 === 1) {
      type = input.varint() as EntryType;
      typePresent = true;
    } else if (tag >>> 3 === 2) term = input.varint();
    else if (tag >>> 3 === 3) index = input.varint();
    else if (tag >>> 3 === 4) bytes = input.raw();
    else input.skip(tag & 7);
  }
  return { term, index, type, typePresent, data: bytes };
}

/** An entry's content as the server keeps it: requests as payload objects, membership changes as bytes. */
export function entryData(type: EntryType, bytes: Uint8Array | null): Data {
  if (bytes === null || type !== EntryType.Normal) return bytes;
  return bytes.length === 0 ? null : Payload.ofBytes(bytes);
}

function readSnapshot(input: Reader): Snapshot {
  let index = 0;
  let term = 0;
  let confState: ConfState | null = null;
  while (!input.done) {
    const tag = input.varint();
    if (tag >>> 3 === 1) index = input.varint();
    else if (tag >>> 3 === 2) term = input.varint();
    else if (tag >>> 3 === 3) confState = decodeConfState(input.raw());
    else input.skip(tag & 7);
  }
  return { index, term, confState: confState ?? decodeConfState(new Uint8Array(0)), data: null };
}

const MESSAGE: Encoding<Message> = Object.freeze({ sizeBytes: messageSize, writeTo: writeMessage });

/** Several messages in one segment; an empty batch keeps an idle stream alive. */
export interface PeerBatch {
  readonly messages: readonly Message[];
}

export const PeerBatch: Codec<PeerBatch> = Object.freeze({
  typeName: 'talosim.etcd.PeerBatch',
  sizeBytes: (batch: PeerBatch) => {
    let size = 0;
    for (const message of batch.messages) size += nestedSizeBytes(MESSAGE, message);
    return size;
  },
  encode: (batch: PeerBatch) => {
    const out = new ReverseWriter(PeerBatch.sizeBytes(batch));
    for (let i = batch.messages.length - 1; i >= 0; i--) writeNested(out, 1, MESSAGE, batch.messages[i]!);
    return out.finish();
  },
  decode: (bytes: Uint8Array) => {
    const input = new Reader(bytes);
    const messages: Message[] = [];
    while (!input.done) {
      const tag = input.varint();
      if (tag >>> 3 === 1) messages.push(readMessage(inner(input)));
      else input.skip(tag & 7);
    }
    return { messages };
  },
});
