import { describe, expect, it } from 'vitest';
import {
  decodeAnswer,
  decodeQuestion,
  encodeAnswer,
  encodeQuestion,
  ResponseCode,
} from '../../src/platform/dns/message.ts';

const QUESTION = { id: 0xabcd, name: 'api.demo.example' };
const RECORDS = [
  { address: '10.0.0.10', ttlSec: 30 },
  { address: '255.0.1.254', ttlSec: 604_800 },
];

describe('DNS messages', () => {
  it('a question has the form of RFC 1035', () => {
    const message = encodeQuestion(QUESTION);
    expect(Buffer.from(message).toString('hex')).toBe(
      `abcd01000001000000000000${Buffer.from('\x03api\x04demo\x07example\x00').toString('hex')}00010001`,
    );
    expect(decodeQuestion(message)).toEqual(QUESTION);
    expect(decodeAnswer(message)).toBeUndefined();
  });

  it('an answer holds the addresses with their lives', () => {
    const answer = { ...QUESTION, code: ResponseCode.Success, records: RECORDS };
    const message = encodeAnswer(answer, 512);
    expect(decodeAnswer(message)).toEqual({ ...answer, truncated: false });
    expect(Buffer.from(message).toString('hex')).toContain('c00c000100010000001e00040a00000a');
    expect(decodeQuestion(message)).toBeUndefined();
    const none = { ...QUESTION, code: ResponseCode.NoSuchName, records: [] };
    expect(decodeAnswer(encodeAnswer(none, 512))).toEqual({ ...none, truncated: false });
  });

  it('an answer that does not fit says so and holds none', () => {
    const records = Array.from({ length: 40 }, () => RECORDS[0]!);
    const answer = { ...QUESTION, code: ResponseCode.Success, records };
    expect(decodeAnswer(encodeAnswer(answer, 512))).toEqual({ ...answer, truncated: true, records: [] });
    expect(decodeAnswer(encodeAnswer(answer, 65_535))?.records).toHaveLength(40);
  });

  it('names are compared without case; broken messages are none', () => {
    expect(decodeQuestion(encodeQuestion({ id: 1, name: 'API.Demo.example' }))?.name).toBe('api.demo.example');
    const message = encodeQuestion(QUESTION);
    for (let length = 0; length < message.length; length++)
      expect(decodeQuestion(message.subarray(0, length))).toBeUndefined();
    // IPv6 addresses are asked for elsewhere.
    const other = Uint8Array.from(message);
    other[other.length - 3] = 28;
    expect(decodeQuestion(other)).toBeUndefined();
  });
});
