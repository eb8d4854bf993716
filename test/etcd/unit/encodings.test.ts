import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import { KeyValue, PutRequest, PutResponse, ResponseHeader } from '../../../src/api/etcd/kv.ts';
import { StoredRevision } from '../../../src/etcd/server/backend/stored-revision.ts';
import { PeerBatch } from '../../../src/etcd/server/peers/message-codec.ts';
import { Payload } from '../../../src/etcd/server/raft/payload.ts';
import { RequestId } from '../../../src/etcd/server/raft/request-id.ts';
import { EntryType, type Message, MessageType as RaftType } from '../../../src/raft/index.ts';
import type { MessageType } from '../../../src/rpc/message.ts';
import { ReverseWriter } from '../../../src/rpc/wire.ts';

const number = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 0x7fff_ffff }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);
const id = fc.oneof(
  fc.constant('0000000000000000'),
  fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }).map((value) => value.toString(16).padStart(16, '0')),
);
const bytes = fc.uint8Array({ maxLength: 300 });
const keyValue = fc.record({
  key: bytes,
  createRevision: number,
  modRevision: number,
  version: number,
  value: bytes,
  lease: id,
});
const responseHeader = fc.record({ clusterId: id, memberId: id, revision: number, raftTerm: number });
const putRequest = fc.record({
  key: bytes,
  value: bytes,
  lease: id,
  prevKv: fc.boolean(),
  ignoreValue: fc.boolean(),
  ignoreLease: fc.boolean(),
});

/** Field by field, as the description has them, without the functions that are made of it. */
function asFieldsSay<T>(type: MessageType<T>, value: T): Uint8Array {
  const values = value as Record<string, unknown>;
  const slots = Object.entries(type.shape).sort(([, a], [, b]) => b.numbers[0]! - a.numbers[0]!);
  const sizeBytes = slots.reduce((sum, [name, field]) => sum + field.sizeBytes(values[name]), 0);
  const out = new ReverseWriter(sizeBytes);
  for (const [name, field] of slots) field.write(out, values[name]);
  return out.finish();
}

function expectAsDescribed<T>(type: MessageType<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, (value) => {
      const encoded = type.encode(value);
      expect(encoded).toEqual(asFieldsSay(type, value));
      expect(type.decode(encoded)).toEqual(value);
    }),
    { numRuns: 200 },
  );
}

describe('what every put passes is written as its description says, and read back:', () => {
  it('a key', () => expectAsDescribed(KeyValue, keyValue));
  it('a stored revision', () => expectAsDescribed(StoredRevision, fc.record({ sub: number, kv: fc.option(keyValue) })));
  it('the header of an answer', () => expectAsDescribed(ResponseHeader, responseHeader));
  it('a put', () => expectAsDescribed(PutRequest, putRequest));
  it('the answer to a put', () =>
    expectAsDescribed(PutResponse, fc.record({ header: fc.option(responseHeader), prevKv: fc.option(keyValue) })));
});

describe('an entry between members', () => {
  it('is the same whether its content is a request or the bytes of one', () => {
    const batch = (data: Payload): Uint8Array => PeerBatch.encode({ messages: [append(data)] });
    fc.assert(
      fc.property(putRequest, id, (put, requestId) => {
        const payload = Payload.ofRequest(RequestId.parse(requestId), 'put', put);
        const out = new ReverseWriter(payload.sizeBytes);
        payload.writeTo(out);
        const encoded = out.finish();
        const header = { id: requestId, username: '', authRevision: 0 };
        expect(encoded).toEqual(InternalRaftRequest.encode(InternalRaftRequest.of({ header, put })));
        const read = Payload.ofBytes(encoded);
        expect(read.request).toEqual(payload.request);
        expect(batch(read)).toEqual(batch(payload));
        const [back] = PeerBatch.decode(batch(payload)).messages;
        expect((back!.entries[0]!.data as unknown as Payload).id.text).toBe(requestId);
      }),
      { numRuns: 50 },
    );
  });
});

function append(data: Payload): Message {
  const [to, from] = ['0000000000000001', '0000000000000002'];
  return {
    ...{ type: RaftType.App, to, from, term: 3, logTerm: 2, index: 7, commit: 6, vote: '0000000000000000' },
    ...{ snapshot: null, reject: false, rejectHint: 0, context: null, responses: [] },
    entries: [{ term: 3, index: 8, type: EntryType.Normal, typePresent: true, data }],
  };
}
