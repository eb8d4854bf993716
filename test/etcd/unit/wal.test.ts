import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FastCrc32c } from '../../../src/etcd/server/wal/crc.ts';
import { scanSegment } from '../../../src/etcd/server/wal/reader.ts';
import {
  decodeEntry,
  decodeHardState,
  encodeHardState,
  encodeMetadata,
  RecordType,
  RecordWriter,
} from '../../../src/etcd/server/wal/records.ts';
import { parseSegmentFile, segmentFile } from '../../../src/etcd/server/wal/segments.ts';
import { toHex } from '../../../src/platform/bytes.ts';
import { crc32c } from '../../../src/platform/crc32c.ts';
import type { Entry } from '../../../src/raft/index.ts';

const METADATA = { memberId: '00000000000000a1', clusterId: '00000000000000c1' };

function entry(index: number, bytes: Uint8Array | null = new Uint8Array(40).fill(index)): Entry {
  return { term: 2, index, type: 0, typePresent: true, data: bytes };
}

function segment(entries: readonly Entry[]): Uint8Array {
  const writer = new RecordWriter(0);
  writer.addCrc();
  writer.add(RecordType.Metadata, encodeMetadata(METADATA));
  for (const one of entries) writer.addEntry(one);
  writer.add(RecordType.State, encodeHardState({ term: 2, vote: METADATA.memberId, commit: entries.length }));
  return writer.take();
}

function scan(bytes: Uint8Array, isLast = true): { end: string; validBytes: number; indexes: number[] } {
  const indexes: number[] = [];
  const result = scanSegment(bytes, isLast, 0, (record) => {
    if (record.type === RecordType.Entry) indexes.push(decodeEntry(record.data).index);
  });
  return { end: result.end, validBytes: result.validBytes, indexes };
}

describe('a segment of the log', () => {
  it('is written as the real one: length, type, sum, data, padded to eight bytes', () => {
    const writer = new RecordWriter(0);
    writer.addCrc();
    writer.addEntry({ term: 1, index: 1, type: 0, typePresent: true, data: Uint8Array.of(0x61) });
    expect(toHex(writer.take())).toBe(
      '04000000000000840804100000000000130000000000008508021' + '0fed4e7ce0c1a0908001001180122016100' + '00000000',
    );
  });

  it('gives back what was written', () => {
    const content = fc.option(fc.uint8Array({ maxLength: 2000 }), { nil: null });
    fc.assert(
      fc.property(fc.array(content, { maxLength: 20 }), (contents) => {
        const entries = contents.map((bytes, i) => entry(i + 1, bytes));
        const read: Entry[] = [];
        let state: unknown = null;
        const result = scanSegment(segment(entries), true, 0, (record) => {
          if (record.type === RecordType.Entry) read.push(decodeEntry(record.data));
          if (record.type === RecordType.State) state = decodeHardState(record.data);
        });
        expect(result.end).toBe('complete');
        expect(read).toEqual(entries);
        expect(state).toEqual({ term: 2, vote: METADATA.memberId, commit: entries.length });
      }),
      { numRuns: 60 },
    );
  });

  it('that ends in the middle of its last record is torn, and keeps all records before', () => {
    const whole = segment([entry(1), entry(2), entry(3)]);
    const stateBytes = 8 + 24;
    for (let cut = whole.length - stateBytes + 1; cut < whole.length; cut++) {
      const { end, indexes } = scan(whole.slice(0, cut));
      expect(['torn', 'complete']).toContain(end);
      expect(indexes).toEqual([1, 2, 3]);
    }
    expect(scan(whole.slice(0, whole.length - 8)).end).toBe('torn');
    expect(scan(whole.slice(0, whole.length - 8), false).end).toBe('corrupt');
  });

  it('whose last record has a sector of zeros is torn; one with other damage is corrupt', () => {
    const whole = segment([entry(1), entry(2, new Uint8Array(3000).fill(7))]);
    const holed = whole.slice();
    holed.fill(0, 1024, 1536);
    expect(scan(holed)).toMatchObject({ end: 'torn', indexes: [1] });
    expect(scan(holed, false).end).toBe('corrupt');
    const flipped = whole.slice();
    flipped[1200] = 8;
    expect(scan(flipped)).toMatchObject({ end: 'corrupt', indexes: [1] });
  });

  it('with any byte of an entry changed never gives that entry back', () => {
    const whole = segment([entry(1), entry(2), entry(3), entry(4)]);
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.slice();
      damaged[at] = damaged[at]! ^ 0x5a;
      const read: Entry[] = [];
      scanSegment(damaged, true, 0, (record) => {
        if (record.type === RecordType.Entry) read.push(decodeEntry(record.data));
      });
      for (const one of read) expect(one).toEqual(entry(one.index));
    }
  });

  it('with a damaged length is not taken for one that was cut short', () => {
    const whole = segment([entry(1), entry(2), entry(3), entry(4)]);
    let at = 0;
    const view = new DataView(whole.buffer);
    for (let record = 0; record < 3; record++) at += 8 + Math.ceil(view.getUint32(at, true) / 8) * 8;
    const damaged = whole.slice();
    damaged[at + 2] = 0x7f;
    expect(scan(damaged).end).toBe('corrupt');
  });

  it('must continue the sum of the one before', () => {
    const first = new RecordWriter(0);
    first.addCrc();
    first.addEntry(entry(1));
    first.take();
    const second = new RecordWriter(first.crc);
    second.addCrc();
    second.addEntry(entry(2));
    const bytes = second.take();
    expect(scanSegment(bytes, true, first.crc, () => {}).end).toBe('complete');
    expect(scanSegment(bytes, true, first.crc ^ 1, () => {}).end).toBe('corrupt');
  });

  it('is named by number and first index', () => {
    expect(segmentFile({ sequence: 1, index: 255 })).toBe('0000000000000001-00000000000000ff.wal');
    expect(parseSegmentFile('0000000000000001-00000000000000ff.wal')).toEqual({ sequence: 1, index: 255 });
    expect(parseSegmentFile('1.tmp')).toBeNull();
  });
});

describe('the fast sum', () => {
  it('is the slow sum', () => {
    const fast = new FastCrc32c();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), (bytes, from) => {
        const start = Math.min(from, bytes.length);
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        expect(fast.update(0, view, start)).toBe(crc32c(bytes.subarray(start)));
        expect(fast.update(77, view)).toBe(crc32c(bytes, 77));
      }),
    );
  });
});
