import { crc32c } from '../../../platform/crc32c.ts';
import type { ConfState, Data, Entry, HardState } from '../../../raft/index.ts';
import { unpacked } from '../../../rpc/composite-fields.ts';
import { bool, bytes, id64, int32, int64, optional, uint32, uint64 } from '../../../rpc/fields.ts';
import { type MessageType, message } from '../../../rpc/message.ts';

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

export function encodeEntry(entry: Entry): Uint8Array {
  return WireEntry.encode({ type: entry.type, term: entry.term, index: entry.index, data: dataBytes(entry.data) });
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
 */
export class RecordWriter {
  crc: number;
  readonly #frames: Uint8Array[] = [];
  #sizeBytes = 0;

  constructor(crc: number) {
    this.crc = crc;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(type: number, data: Uint8Array): void {
    this.crc = crc32c(data, this.crc);
    this.#frame({ type, crc: this.crc, data });
  }

  /** The record that links a new segment to the sum of the one before. */
  addCrc(): void {
    this.#frame({ type: RecordType.Crc, crc: this.crc, data: null });
  }

  /** What was added since the last call, as one array. */
  take(): Uint8Array {
    const out = new Uint8Array(this.#sizeBytes);
    let at = 0;
    for (const frame of this.#frames) {
      out.set(frame, at);
      at += frame.length;
    }
    this.#frames.length = 0;
    this.#sizeBytes = 0;
    return out;
  }

  #frame(record: WireRecord): void {
    const body = WireRecord.encode(record);
    const padding = (8 - (body.length % 8)) % 8;
    const frame = new Uint8Array(8 + body.length + padding);
    const view = new DataView(frame.buffer);
    view.setUint32(0, body.length, true);
    if (padding !== 0) frame[7] = 0x80 | padding;
    frame.set(body, 8);
    this.#frames.push(frame);
    this.#sizeBytes += frame.length;
  }
}
