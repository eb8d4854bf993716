import { crc32c } from '../../../platform/crc32c.ts';
import { type DecodedRecord, decodeRecord, RecordType } from './records.ts';

const SECTOR_BYTES = 512;

/** How the scan of a segment ended: at its end, in a record that was only partly written, or in damage. */
export type ScanEnd = 'complete' | 'torn' | 'corrupt';

export interface ScanResult {
  readonly end: ScanEnd;
  /** Bytes up to the end of the last good record. */
  readonly validBytes: number;
  /** Running sum after the last good record. */
  readonly crc: number;
}

/**
 * Reads the records of one segment and hands each to `visit`. Only in the last segment can the final record be torn: a
 * write that a crash cut short, so that it is incomplete, or whole sectors of it are zero. Everything else that does not
 * check out is damage.
 */
export function scanSegment(
  bytes: Uint8Array,
  isLast: boolean,
  crcBefore: number,
  visit: (record: DecodedRecord) => void,
): ScanResult {
  let at = 0;
  let crc = crcBefore;
  const stop = (end: ScanEnd): ScanResult => ({ end, validBytes: at, crc });
  while (at < bytes.length) {
    const frame = readFrame(bytes, at);
    if (frame === 'end') return stop('complete');
    if (frame === 'incomplete') return stop(isLast && !framesFollow(bytes, at + 8) ? 'torn' : 'corrupt');
    const record = decodeRecord(frame.body);
    const torn = (): ScanEnd => (isLast && hasZeroSector(bytes, at + 8, frame.body.length) ? 'torn' : 'corrupt');
    if (record === null) return stop(torn());
    if (record.type === RecordType.Crc) {
      // The first segment starts at sum 0; a later one must continue the sum of the one before.
      if (crc !== 0 && record.crc !== crc) return stop('corrupt');
      crc = record.crc;
    } else {
      const sum = crc32c(record.data, crc);
      if (sum !== record.crc) return stop(torn());
      crc = sum;
    }
    visit(record);
    at += frame.sizeBytes;
  }
  return stop('complete');
}

/**
 * Whether records follow a frame that claims to reach beyond the file. A write that was cut short is the last thing in it;
 * a frame with more behind it was whole once, and its length is damaged.
 */
function framesFollow(bytes: Uint8Array, from: number): boolean {
  for (let start = from; start + 8 < bytes.length; start += 8) {
    let at = start;
    while (at < bytes.length) {
      const frame = readFrame(bytes, at);
      if (typeof frame === 'string' || !isPlausible(decodeRecord(frame.body))) break;
      at += frame.sizeBytes;
    }
    if (at === bytes.length) return true;
  }
  return false;
}

function isPlausible(record: DecodedRecord | null): boolean {
  return record !== null && record.type >= RecordType.Metadata && record.type <= RecordType.Snapshot;
}

interface Frame {
  readonly body: Uint8Array;
  readonly sizeBytes: number;
}

function readFrame(bytes: Uint8Array, at: number): Frame | 'end' | 'incomplete' {
  if (at + 8 > bytes.length) return allZero(bytes, at, bytes.length) ? 'end' : 'incomplete';
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8);
  const length = view.getUint32(0, true) + (view.getUint32(4, true) & 0xffffff) * 0x1_0000_0000;
  const top = bytes[at + 7]!;
  const padding = (top & 0x80) !== 0 ? top & 0x07 : 0;
  // A zero length is the untouched rest of a file.
  if (length === 0) return 'end';
  const sizeBytes = 8 + length + padding;
  if (at + sizeBytes > bytes.length) return 'incomplete';
  return { body: bytes.subarray(at + 8, at + 8 + length), sizeBytes };
}

/** Whether a sector-aligned piece of these bytes is all zero: the sign of a write that reached the medium in part. */
function hasZeroSector(bytes: Uint8Array, from: number, lengthBytes: number): boolean {
  const end = from + lengthBytes;
  let start = from;
  while (start < end) {
    const next = Math.min(end, (Math.floor(start / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (allZero(bytes, start, next)) return true;
    start = next;
  }
  return false;
}

function allZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}
