import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeConfState,
  decodeEntry,
  decodeHardState,
  decodeMessage,
  type Entry,
  EntryType,
  encodeConfState,
  encodeEntry,
  encodeHardState,
  encodeMessage,
  entrySize,
  type Message,
  MessageType,
  messageSize,
  NONE,
  nodeId,
  type OpaqueData,
  WireError,
} from '../../src/raft/index.ts';
import { byTier } from '../support/tier.ts';
import { bytes, entry, message, N1, N2, N3, text } from './helper.ts';

const RUNS = byTier(1_000, 10_000, 20_000);

const number = fc.oneof(fc.nat(200), fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER));
const id = fc.oneof(fc.nat(200).map(nodeId), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(nodeId));
const data = fc.option(fc.uint8Array({ maxLength: 200 }));
const confState = fc.record({
  voters: fc.array(id, { maxLength: 3 }),
  learners: fc.array(id, { maxLength: 3 }),
  votersOutgoing: fc.array(id, { maxLength: 3 }),
  learnersNext: fc.array(id, { maxLength: 3 }),
  autoLeave: fc.boolean(),
});
const anyEntry: fc.Arbitrary<Entry> = fc
  .record({
    term: number,
    index: number,
    type: fc.constantFrom(...Object.values(EntryType)),
    typePresent: fc.boolean(),
    data,
  })
  .map((one) => (one.type === EntryType.Normal ? one : { ...one, typePresent: true }));
const hardState = fc.record({ term: number, vote: id, commit: number });
function anyMessage(depth: number): fc.Arbitrary<Message> {
  return fc.record({
    type: fc.constantFrom(...Object.values(MessageType)),
    to: id,
    from: id,
    term: number,
    logTerm: number,
    index: number,
    entries: fc.array(anyEntry, { maxLength: 3 }),
    commit: number,
    vote: id,
    snapshot: fc.option(fc.record({ index: number, term: number, confState, data })),
    reject: fc.boolean(),
    rejectHint: number,
    context: data,
    responses: depth === 0 ? fc.constant([]) : fc.array(anyMessage(depth - 1), { maxLength: 2 }),
  });
}

describe('encoding', () => {
  it('comes back as it went, with the size that was announced', () => {
    fc.assert(
      fc.property(anyMessage(1), (one) => {
        const encoded = encodeMessage(one);
        expect(encoded.length).toBe(messageSize(one));
        expect(decodeMessage(encoded)).toEqual(one);
      }),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(anyEntry, confState, hardState, (one, members, state) => {
        expect(decodeEntry(encodeEntry(one))).toEqual(one);
        expect(encodeEntry(one).length).toBe(entrySize(one));
        expect(decodeConfState(encodeConfState(members))).toEqual(members);
        expect(decodeHardState(encodeHardState(state))).toEqual(state);
      }),
      { numRuns: RUNS },
    );
  });

  it('has the bytes that etcd 3.6 writes', () => {
    const append = message(MessageType.App, N1, {
      to: N2,
      term: 3,
      logTerm: 2,
      index: 300,
      commit: 7,
      entries: [{ ...entry(3, 301, bytes('hi')), typePresent: true }],
    });
    const hex = [...encodeMessage(append)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    expect(hex).toBe(
      '08031002180120032802' + '30ac02' + '3a0b0800100318ad0222026869' + '4007' + '5000' + '5800' + '6800',
    );
    const snap = message(MessageType.Snap, N1, {
      to: N3,
      term: 1,
      snapshot: {
        index: 4,
        term: 1,
        confState: { voters: [N1, N2], learners: [N3], votersOutgoing: [], learnersNext: [], autoLeave: false },
        data: null,
      },
    });
    const snapHex = [...encodeMessage(snap)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    expect(snapHex).toBe(
      '080710031801200128003000' +
        '4000' +
        '4a10' +
        '120e' +
        '0a08' +
        '080108021003' +
        '2800' +
        '1004' +
        '1801' +
        '5000' +
        '5800' +
        '6800',
    );
  });

  it('takes objects with a codec, and refuses them without', () => {
    interface Note extends OpaqueData {
      readonly note: string;
    }
    const codec = {
      encode: (one: OpaqueData) => bytes((one as Note).note),
      decode: (raw: Uint8Array): Note => ({ note: text(raw), sizeBytes: raw.length }),
    };
    const note: Note = { note: 'hello', sizeBytes: 5 };
    const one = message(MessageType.Prop, N1, { entries: [entry(0, 0, note)] });
    expect(decodeMessage(encodeMessage(one, codec), codec)).toEqual(one);
    expect(encodeMessage(one, codec).length).toBe(messageSize(one));
    expect(() => encodeMessage(one)).toThrow(WireError);
  });
});

describe('decoding', () => {
  it('of nothing is the zero message', () => {
    expect(decodeMessage(new Uint8Array(0))).toEqual(message(MessageType.Hup, NONE));
  });

  it('skips what it does not know', () => {
    const unknown = Uint8Array.of(0xa0, 1, 5, 0xaa, 1, 1, 9, 0xad, 1, 1, 2, 3, 4, 0xa9, 1, 1, 2, 3, 4, 5, 6, 7, 8);
    const encoded = encodeMessage(message(MessageType.Beat, N1));
    expect(decodeMessage(Uint8Array.from([...unknown, ...encoded]))).toEqual(message(MessageType.Beat, N1));
  });

  it('of arbitrary bytes ends in a message or a WireError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (raw) => {
        try {
          decodeMessage(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
