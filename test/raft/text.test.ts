import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ConfChangeTransition,
  describeConfState,
  describeEntry,
  describeHardState,
  describeMessage,
  describeReady,
  EMPTY_CONF_STATE,
  EntryType,
  encodeConfChange,
  entrySize,
  idDecimal,
  idHex,
  LOCAL_APPEND_THREAD,
  MessageType,
  messageTypeName,
  NONE,
  nodeId,
  RaftFatal,
  type Ready,
  Role,
} from '../../src/raft/index.ts';
import { quoteBytes } from '../../src/raft/quote.ts';
import { countWithin, dataSize, payloadsSize, varintSize } from '../../src/raft/size.ts';
import { WireReader, WireWriter } from '../../src/raft/wire/varint.ts';
import { bytes, entries, entry, message, N1, N2 } from './helper.ts';

describe('ids', () => {
  it('are sixteen digits outside, hex or decimal in print', () => {
    expect(nodeId(255)).toBe('00000000000000ff');
    expect(nodeId(2n ** 64n - 1n)).toBe(LOCAL_APPEND_THREAD);
    expect([NONE, N1, nodeId(255)].map(idHex)).toEqual(['0', '1', 'ff']);
    expect(idDecimal(LOCAL_APPEND_THREAD)).toBe('18446744073709551615');
    for (const bad of [-1, 2 ** 60, 0.5, 2n ** 64n]) expect(() => nodeId(bad)).toThrow(RaftFatal);
  });
});

describe('quoting', () => {
  it.each([
    [bytes('foo'), '"foo"'],
    [bytes(''), '""'],
    [bytes('"a\\'), '"\\"a\\\\"'],
    [bytes('\n\t\x00\x7f'), '"\\n\\t\\x00\\x7f"'],
    [bytes('é世'), '"é世"'],
    [bytes('\u00a0\u200b'), '"\\u00a0\\u200b"'],
    [Uint8Array.of(0xff, 0x61, 0xc3), '"\\xffa\\xc3"'],
    [Uint8Array.of(0xed, 0xa0, 0x80), '"\\xed\\xa0\\x80"'],
    [bytes('\u{1f600}'), '"\u{1f600}"'],
    [bytes('\u{e0001}'), '"\\U000e0001"'],
  ])('%j is %s', (data, expected) => {
    expect(quoteBytes(data)).toBe(expected);
  });
});

describe('sizes', () => {
  it('of varints', () => {
    for (const value of [0, 127, 128, 2 ** 28 - 1, 2 ** 28, 2 ** 35, Number.MAX_SAFE_INTEGER]) {
      const writer = new WireWriter();
      writer.varint(value);
      expect(varintSize(value)).toBe(writer.finish().length);
    }
  });

  it('of entries: presence counts', () => {
    expect(entrySize(entry(1, 1))).toBe(4);
    expect(entrySize({ ...entry(1, 1), typePresent: true })).toBe(6);
    expect(entrySize(entry(1, 1, new Uint8Array(0)))).toBe(6);
    expect(entrySize(entry(1, 300, new Uint8Array(200)))).toBe(2 + 3 + 203);
    expect(entrySize(entry(1, 1, { sizeBytes: 10 }))).toBe(entrySize(entry(1, 1, new Uint8Array(10))));
    expect([null, new Uint8Array(0), new Uint8Array(3), { sizeBytes: 7 }].map(dataSize)).toEqual([0, 0, 3, 7]);
    expect(payloadsSize([entry(1, 1), entry(1, 2, new Uint8Array(3))])).toBe(3);
  });

  it('limit a list, but never below one', () => {
    const list = entries(4, 4, 5, 6);
    expect([0, 4, 7, 8, 11, 12, 99].map((max) => countWithin(list, 0, 3, max))).toEqual([1, 1, 1, 2, 2, 3, 3]);
    expect(countWithin([], 0, 0, 99)).toBe(0);
  });
});

describe('varints of 64 bits', () => {
  it('come back as they went', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const writer = new WireWriter();
        writer.varint64(nodeId(value));
        expect(new WireReader(writer.finish()).id()).toBe(nodeId(value));
      }),
    );
  });
});

describe('lines', () => {
  it('name every message type', () => {
    expect(messageTypeName(MessageType.App)).toBe('MsgApp');
    expect(messageTypeName(MessageType.ForgetLeader)).toBe('MsgForgetLeader');
  });

  it('of states', () => {
    expect(describeHardState({ term: 1, vote: NONE, commit: 2 })).toBe('Term:1 Commit:2');
    expect(describeHardState({ term: 1, vote: nodeId(16), commit: 2 })).toBe('Term:1 Vote:16 Commit:2');
    expect(describeConfState({ ...EMPTY_CONF_STATE, voters: [N1, N2] })).toBe(
      'Voters:[1 2] VotersOutgoing:[] Learners:[] LearnersNext:[] AutoLeave:false',
    );
  });

  it('of entries', () => {
    expect(describeEntry(entry(1, 2, bytes('foo')))).toBe('1/2 EntryNormal "foo"');
    expect(describeEntry(entry(1, 2))).toBe('1/2 EntryNormal ""');
    expect(describeEntry(entry(1, 2, bytes('foo')), () => '')).toBe('1/2 EntryNormal');
    const leave = encodeConfChange({ version: 2, transition: ConfChangeTransition.Auto, changes: [], context: null });
    expect(describeEntry({ ...entry(1, 2, leave), type: EntryType.ConfChangeV2 })).toBe('1/2 EntryConfChangeV2');
    expect(describeEntry({ ...entry(1, 2, Uint8Array.of(8)), type: EntryType.ConfChange })).toBe(
      '1/2 EntryConfChange unexpected EOF',
    );
  });

  it('of messages, over several lines where there is much to say', () => {
    const inner = message(MessageType.AppResp, nodeId(26), { to: N1, term: 1, index: 2, reject: true, rejectHint: 1 });
    const outer = message(MessageType.StorageAppend, N1, {
      to: LOCAL_APPEND_THREAD,
      commit: 3,
      vote: N2,
      entries: entries(1, 1, 1),
      snapshot: { index: 5, term: 1, confState: EMPTY_CONF_STATE, data: null },
      responses: [inner],
    });
    expect(describeMessage(outer)).toBe(
      [
        '1->AppendThread MsgStorageAppend Term:0 Log:0/0 Commit:3 Vote:2 Entries:[',
        '  1/1 EntryNormal ""',
        '  1/2 EntryNormal ""',
        ']',
        '  Snapshot: Index:5 Term:1 ConfState:Voters:[] VotersOutgoing:[] Learners:[] LearnersNext:[] AutoLeave:false Responses:[',
        '  1a->1 MsgAppResp Term:1 Log:0/2 Rejected (Hint: 1)',
        ']',
      ].join('\n'),
    );
  });

  it('of a Ready', () => {
    const nothing: Ready = {
      softState: null,
      hardState: null,
      readStates: [],
      entries: [],
      snapshot: null,
      committedEntries: [],
      messages: [],
      mustSync: false,
    };
    expect(describeReady(nothing)).toBe('<empty Ready>');
    expect(
      describeReady({
        ...nothing,
        mustSync: true,
        softState: { lead: N1, role: Role.Leader },
        readStates: [
          { index: 3, requestContext: Uint8Array.of(1, 2) },
          { index: 4, requestContext: new Uint8Array(0) },
        ],
        snapshot: { index: 5, term: 1, confState: EMPTY_CONF_STATE, data: null },
      }),
    ).toBe(
      'Ready MustSync=true:\nLead:1 State:StateLeader\nReadStates [{3 [1 2]} {4 []}]\n' +
        'Snapshot Index:5 Term:1 ConfState:Voters:[] VotersOutgoing:[] Learners:[] LearnersNext:[] AutoLeave:false\n',
    );
  });
});
