import type { ConfState, Data, Entry, HardState } from '../../../raft/index.ts';
import { unpacked } from '../../../rpc/composite-fields.ts';
import { bool, bytes, id64, int32, int64, optional, uint32, uint64 } from '../../../rpc/fields.ts';
import { type MessageType, message } from '../../../rpc/message.ts';
import { varintSizeBytes } from '../../../rpc/wire.ts';
import { FastCrc32c } from './crc.ts';

/** Kinds of records in a write-ahead log, by their number in the file. */
export const RecordType = { Metadata: 1, Entry: 2, State: 3, Crc: 4, Snapshot: 5 } as const;

/** The fields of raftpb and walpb that a log holds. proto2: what is set is written, zero included. */
interface WireRecord {
  readonly type: number | null;
  readonly crc: number | null;
  readonly data: Uint8Array | null;
}

const WireRecord: MessageType<WireRecord> = message('walpb.Record', {
  type: optional(int64(1)),
  crc: optional(uint32(2)),
  data: optional(bytes(3)),
});

interface WireEntry {
  readonly type: number | null;
  readonly term: number | null;
  readonly index: number | null;
  readonly data: Uint8Array | null;
}

const WireEntry: MessageType<WireEntry> = message('raftpb.Entry', {
  type: optional(int32(1)),
  term: optional(uint64(2)),
  index: optional(uint64(3)),
  data: optional(bytes(4)),
});

const WireHardState = message('raftpb.HardState', {
  term: optional(uint64(1)),
  vote: optional(id64(2, 'uint64')),
  commit: optional(uint64(3)),
});

const WireConfState: MessageType<ConfState> = message('raftpb.ConfState', {
  voters: unpacked(id64(1, 'uint64')),
  learners: unpacked(id64(2, 'uint64')),
  votersOutgoing: unpacked(id64(3, 'uint64')),
  learnersNext: unpacked(id64(4, 'uint64')),
  autoLeave: bool(5),
});

export function encodeConfState(confState: ConfState): Uint8Array {
  return WireConfState.encode(confState);
}

export function decodeConfState(data: Uint8Array): ConfState {
  return WireConfState.decode(data);
}

/** Who wrote a log. */
export interface WalMetadata {
  readonly memberId: string;
  readonly clusterId: string;
}

const WireMetadata: MessageType<WalMetadata> = message('etcdserverpb.Metadata', {
  memberId: id64(1, 'uint64'),
  clusterId: id64(2, 'uint64'),
});

export function encodeMetadata(metadata: WalMetadata): Uint8Array {
  return WireMetadata.encode(metadata);
}

export function decodeMetadata(data: Uint8Array): WalMetadata {
  return WireMetadata.decode(data);
}

/** Marks that a snapshot at this index was saved. */
export interface WalSnapshot {
  readonly index: number;
  readonly term: number;
}

const WireSnapshot = message('walpb.Snapshot', {
  index: optional(uint64(1)),
  term: optional(uint64(2)),
  confState: optional(bytes(3)),
});

export function encodeSnapshotMark(mark: WalSnapshot, confState: ConfState | null): Uint8Array {
  return WireSnapshot.encode({ ...mark, confState: confState === null ? null : encodeConfState(confState) });
}

export function decodeSnapshotMark(data: Uint8Array): WalSnapshot {
  const wire = WireSnapshot.decode(data);
  return { index: wire.index ?? 0, term: wire.term ?? 0 };
}

export function encodeHardState(state: HardState): Uint8Array {
  return WireHardState.encode(state);
}

export function decodeHardState(data: Uint8Array): HardState {
  const wire = WireHardState.decode(data);
  return { term: wire.term ?? 0, vote: wire.vote ?? '0000000000000000', commit: wire.commit ?? 0 };
}

/** The bytes of an entry's content: as they are, or made by the payload object that stands for them. */
export function dataBytes(data: Data): Uint8Array | null {
  if (data === null || data instanceof Uint8Array) return data;
  return (data as unknown as { readonly bytes: Uint8Array }).bytes;
}

export function decodeEntry(data: Uint8Array): Entry {
  const wire = WireEntry.decode(data);
  return {
    type: (wire.type ?? 0) as Entry['type'],
    typePresent: wire.type !== null,
    term: wire.term ?? 0,
    index: wire.index ?? 0,
    data: wire.data,
  };
}

/** A record as it was read, with the running sum after it. */
export interface DecodedRecord {
  readonly type: number;
  readonly crc: number;
  readonly data: Uint8Array;
}

/** Reads a record's message; null when the bytes are none. */
export function decodeRecord(bytes: Uint8Array): DecodedRecord | null {
  try {
    const wire = WireRecord.decode(bytes);
    return { type: wire.type ?? 0, crc: wire.crc ?? 0, data: wire.data ?? new Uint8Array(0) };
  } catch {
    return null;
  }
}

/**
 * Builds the bytes of records for one write. A frame is eight bytes of length (the top byte tells the padding), the
 * record, and zeros up to a multiple of eight. Every record carries the CRC-32C of all data in the log up to it.
 *
 * Every entry of every member passes here, so the bytes are written straight into one growing buffer.
 */
export class RecordWriter {
  crc: number;
  readonly #sums = new FastCrc32c();
  #buffer = new Uint8Array(4096);
  #size = 0;

  constructor(crc: number) {
    this.crc = crc;
  }

  add(type: number, data: Uint8Array): void {
    this.crc = this.#sums.update(this.crc, data);
    this.#begin(type, data.length);
    this.#raw(data);
    this.#pad();
  }

  /** An entry, encoded in place: type, term, index, content. */
  addEntry(entry: Entry): void {
    const content = dataBytes(entry.data);
    const length = content === null ? 0 : content.length;
    const head =
      2 +
      1 +
      varintSizeBytes(entry.term) +
      1 +
      varintSizeBytes(entry.index) +
      (content === null ? 0 : 1 + varintSizeBytes(length));
    const total = head + length;
    this.#reserve(64 + total);
    // The sum covers the entry, and stands before it: the entry is written where it belongs if the sum is as long as
    // most are, and moved if it is not.
    const begin = this.#size;
    const at = begin + HEAD_BYTES + LONG_SUM_BYTES + varintSizeBytes(total);
    this.#size = at;
    this.#byte(0x08);
    this.#byte(entry.type);
    this.#byte(0x10);
    this.#varint(entry.term);
    this.#byte(0x18);
    this.#varint(entry.index);
    if (content !== null) {
      this.#byte(0x22);
      this.#varint(length);
      this.#raw(content);
    }
    this.crc = this.#sums.update(this.crc, this.#buffer, at, at + total);
    this.#size = begin;
    this.#begin(RecordType.Entry, total);
    if (this.#size !== at) this.#buffer.copyWithin(this.#size, at, at + total);
    this.#size += total;
    this.#pad();
  }

  /** The record that links a new segment to the sum of the one before. */
  addCrc(): void {
    this.#begin(RecordType.Crc, -1);
    this.#pad();
  }

  /** What was added since the last call. */
  take(): Uint8Array {
    const out = this.#buffer.slice(0, this.#size);
    this.#size = 0;
    if (this.#buffer.length > MAX_KEPT_BYTES) this.#buffer = new Uint8Array(4096);
    return out;
  }

  /** Length field and head of a record whose data follow; −1: a record without data. */
  #begin(type: number, dataBytes: number): void {
    const data = dataBytes < 0 ? 0 : 1 + varintSizeBytes(dataBytes) + dataBytes;
    const body = 2 + 1 + varintSizeBytes(this.crc) + data;
    this.#reserve(16 + body);
    const padding = (8 - (body % 8)) % 8;
    for (let shift = 0; shift < 32; shift += 8) this.#byte((body >>> shift) & 0xff);
    this.#byte(0);
    this.#byte(0);
    this.#byte(0);
    this.#byte(padding === 0 ? 0 : 0x80 | padding);
    this.#byte(0x08);
    this.#byte(type);
    this.#byte(0x10);
    this.#varint(this.crc);
    if (dataBytes < 0) return;
    this.#byte(0x1a);
    this.#varint(dataBytes);
  }

  #pad(): void {
    while (this.#size % 8 !== 0) this.#byte(0);
  }

  #byte(value: number): void {
    this.#buffer[this.#size++] = value;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x8000_0000; rest = Math.floor(rest / 0x80)) this.#byte((rest % 0x80) | 0x80);
    for (; rest >= 0x80; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80);
    this.#byte(rest);
  }

  #raw(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#size + count));
    grown.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = grown;
  }
}

/** Head of a record but for its sum and the length of its data: length field, type, two tags. */
const HEAD_BYTES = 8 + 2 + 1 + 1;
/** A sum at or above 2^28, as fifteen of sixteen are. */
const LONG_SUM_BYTES = 5;
/** A buffer that grew beyond this is given back. */
const MAX_KEPT_BYTES = 1 << 20;
