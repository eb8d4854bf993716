import { Bug } from '../../../platform/errors.ts';
import { type ConfState, type Data, type Entry, entrySize, type HardState } from '../../../raft/index.ts';
import { unpacked } from '../../../rpc/composite-fields.ts';
import { bool, bytes, id64, int32, int64, optional, uint32, uint64 } from '../../../rpc/fields.ts';
import { type MessageType, message } from '../../../rpc/message.ts';
import { DELIMITED, ReverseWriter, VARINT, varintSizeBytes } from '../../../rpc/wire.ts';
import { endDelimited } from '../../../rpc/written-out.ts';
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

/** A payload object, which stands for the bytes of an entry's content. */
interface Writable {
  writeTo(out: ReverseWriter): void;
}

/** Writes an entry's content: as it is, or as the payload object that stands for it encodes itself. */
function writeData(out: ReverseWriter, data: NonNullable<Data>): void {
  if (data instanceof Uint8Array) out.raw(data);
  else (data as unknown as Writable).writeTo(out);
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
 * Every entry of every member passes here, so records are encoded straight into one growing buffer.
 */
export class RecordWriter {
  crc: number;
  readonly #sums = new FastCrc32c();
  /** Single messages are written backwards, each where it belongs in the buffer. */
  #out = new ReverseWriter(KEPT_BYTES);
  #view = new DataView(this.#out.bytes.buffer);
  #size = 0;

  constructor(crc: number) {
    this.crc = crc;
  }

  add(type: number, data: Uint8Array): void {
    const start = this.#reserve(data.length);
    this.#out.at = start + data.length;
    this.#out.raw(data);
    this.#finish(type, start, data.length);
  }

  addEntry(entry: Entry): void {
    const sizeBytes = entrySize(entry) + (entry.typePresent ? 0 : TYPE_BYTES);
    const start = this.#reserve(sizeBytes);
    this.#out.at = start + sizeBytes;
    writeEntry(this.#out, entry, true);
    this.#finish(RecordType.Entry, start, sizeBytes);
  }

  /** The record that links a new segment to the sum of the one before. */
  addCrc(): void {
    this.#reserve(0);
    this.#out.at = this.#size + LENGTH_BYTES + headBytes(this.crc);
    this.#frame(RecordType.Crc, this.#out.at);
  }

  /** What was added since the last call. */
  take(): Uint8Array {
    const out = this.#out.bytes.slice(0, this.#size);
    this.#size = 0;
    if (this.#out.bytes.length > MAX_KEPT_BYTES) this.#resize(KEPT_BYTES);
    return out;
  }

  /**
   * Makes room for a record. Returns where its data are to be written: the sum over them comes before them, so they are
   * put where they belong if the sum is as long as most are, and moved if it is not.
   */
  #reserve(dataBytes: number): number {
    const start = this.#size + LENGTH_BYTES + headBytes(LONG_SUM) + dataHeadBytes(dataBytes);
    const needed = start + dataBytes + 8;
    if (needed > this.#out.bytes.length) this.#resize(Math.max(needed, this.#out.bytes.length * 2));
    return start;
  }

  #resize(capacityBytes: number): void {
    const kept = this.#out.bytes.subarray(0, this.#size);
    this.#out = new ReverseWriter(capacityBytes);
    this.#out.bytes.set(kept);
    this.#view = new DataView(this.#out.bytes.buffer);
  }

  /** Puts a record around the data that were just written from `reserved` on. */
  #finish(type: number, reserved: number, dataBytes: number): void {
    const out = this.#out;
    if (out.at !== reserved) throw new Bug(`encoded size is off by ${out.at - reserved} bytes`);
    this.crc = this.#sums.update(this.crc, this.#view, reserved, reserved + dataBytes);
    const start = this.#size + LENGTH_BYTES + headBytes(this.crc) + dataHeadBytes(dataBytes);
    if (start !== reserved) out.bytes.copyWithin(start, reserved, reserved + dataBytes);
    out.at = start;
    out.varint(dataBytes);
    out.tag(3, DELIMITED);
    this.#frame(type, start + dataBytes);
  }

  /** Writes sum and type before what is there, the length before that, and the padding after `end`. */
  #frame(type: number, end: number): void {
    const out = this.#out;
    out.varint(this.crc);
    out.tag(2, VARINT);
    out.varint(type);
    out.tag(1, VARINT);
    const sizeBytes = end - out.at;
    const padding = (8 - (sizeBytes % 8)) % 8;
    out.fixed32(padding === 0 ? 0 : (0x80 | padding) << 24);
    out.fixed32(sizeBytes);
    this.#size = end + padding;
    for (let i = end; i < this.#size; i++) out.bytes[i] = 0;
  }
}

/** Term and index are always there; so is the type in a log, while in a message it may be absent. */
export function writeEntry(out: ReverseWriter, { type, term, index, data }: Entry, withType: boolean): void {
  if (data !== null) {
    const end = out.at;
    writeData(out, data);
    endDelimited(out, 4, end);
  }
  out.varint(index);
  out.tag(3, VARINT);
  out.varint(term);
  out.tag(2, VARINT);
  if (!withType) return;
  out.varint(type);
  out.tag(1, VARINT);
}

/** Type and sum of a record. */
function headBytes(crc: number): number {
  return 2 + 1 + varintSizeBytes(crc);
}

/** What stands before the data of a record. */
function dataHeadBytes(dataBytes: number): number {
  return 1 + varintSizeBytes(dataBytes);
}

/** What an entry's type takes. */
const TYPE_BYTES = 2;
/** Length field of a frame. */
const LENGTH_BYTES = 8;
/** As long as any, like fifteen sums of sixteen. */
const LONG_SUM = 0xffff_ffff;
const KEPT_BYTES = 4096;
/** A buffer that grew beyond this is given back. */
const MAX_KEPT_BYTES = 1024 * 1024;
