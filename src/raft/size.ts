import type { Data, Entry } from './types.ts';

/** Bytes a protobuf varint takes. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  if (value < 0x10000000) return 4;
  let size = 4;
  for (let rest = Math.floor(value / 0x10000000); rest > 0; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Payload size: the length of the data, 0 when absent (reference/raft.md A3.1). */
export function dataSize(data: Data): number {
  if (data === null) return 0;
  return data instanceof Uint8Array ? data.length : data.sizeBytes;
}

/** Encoded size of an entry, presence of its type and data included (A3.1). */
export function entrySize(entry: Entry): number {
  let size = 2 + varintSize(entry.term) + varintSize(entry.index);
  if (entry.typePresent) size += 2;
  if (entry.data !== null) {
    const length = dataSize(entry.data);
    size += 1 + varintSize(length) + length;
  }
  return size;
}

export function entriesSize(entries: readonly Entry[]): number {
  let size = 0;
  for (let i = 0; i < entries.length; i++) size += entrySize(entries[i]!);
  return size;
}

export function payloadsSize(entries: readonly Entry[]): number {
  let size = 0;
  for (let i = 0; i < entries.length; i++) size += dataSize(entries[i]!.data);
  return size;
}

/**
 * How many of `entries[from..to)` fit into `maxBytes` of encoded size. The first one always counts, whatever
 * its size.
 */
export function countWithin(entries: readonly Entry[], from: number, to: number, maxBytes: number): number {
  if (to <= from) return 0;
  let size = entrySize(entries[from]!);
  let i = from + 1;
  for (; i < to; i++) {
    size += entrySize(entries[i]!);
    if (size > maxBytes) break;
  }
  return i - from;
}
