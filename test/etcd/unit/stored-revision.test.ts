import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyValue } from '../../../src/api/etcd/kv.ts';
import { StoredRevision } from '../../../src/etcd/server/backend/stored-revision.ts';
import { nested, uint64 } from '../../../src/rpc/fields.ts';
import { message } from '../../../src/rpc/message.ts';
import { Reader, ReverseWriter } from '../../../src/rpc/wire.ts';

/** The same message as the general encoder has it. */
const Described = message('talosim.etcd.StoredRevision', { sub: uint64(1), kv: nested(2, KeyValue) });

const revision = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 0x7fff_ffff }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);
const keyValue = fc.record({
  key: fc.uint8Array({ maxLength: 300 }),
  createRevision: revision,
  modRevision: revision,
  version: revision,
  value: fc.uint8Array({ maxLength: 300 }),
  lease: fc.oneof(
    fc.constant('0000000000000000'),
    fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }).map((id) => id.toString(16).padStart(16, '0')),
  ),
});

describe('a stored revision', () => {
  it('is written as its description says, and read back', () => {
    const stored = fc.record({ sub: revision, kv: fc.option(keyValue) });
    fc.assert(
      fc.property(stored, (value) => {
        const out = new ReverseWriter(StoredRevision.sizeBytes(value), 8);
        StoredRevision.writeTo(out, value);
        const bytes = out.finish().slice(8);
        expect(bytes).toEqual(Described.encode(value));
        expect(StoredRevision.readFrom(new Reader(bytes))).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});
