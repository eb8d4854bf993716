import { concatBytes, utf8Decode, utf8Encode } from '../bytes.ts';
import { ipBytes, ipText } from '../x509/ip.ts';

/** Messages of the domain name system (RFC 1035) as far as addresses of hosts need them. */

export const DNS_PORT = 53;
/** What fits into a datagram without extensions; more is asked for again over a connection. */
export const UDP_LIMIT_BYTES = 512;

export const ResponseCode = { Success: 0, FormatError: 1, ServerFailure: 2, NoSuchName: 3 } as const;

export interface DnsQuestion {
  readonly id: number;
  /** Without the closing dot, in lower case. */
  readonly name: string;
}

export interface DnsRecord {
  readonly address: string;
  readonly ttlSec: number;
}

export interface DnsAnswer extends DnsQuestion {
  /** One of {@link ResponseCode}. */
  readonly code: number;
  /** Not all records are in it. */
  readonly truncated: boolean;
  readonly records: readonly DnsRecord[];
}

const TYPE_A = 1;
const CLASS_IN = 1;
const HEADER_BYTES = 12;
const QUESTION_TAIL_BYTES = 4;
const RECORD_BYTES = 16;
const RESPONSE = 0x8000;
const TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;
/** A pointer to the name of the question. */
const POINTER = 0xc00c;

/** Asks for the IPv4 addresses of a name. */
export function encodeQuestion({ id, name }: DnsQuestion): Uint8Array {
  return concatBytes([header(id, RECURSION_DESIRED, 0), question(name)]);
}

/** The question of a message; undefined when it is none, or asks for something else than addresses. */
export function decodeQuestion(message: Uint8Array): DnsQuestion | undefined {
  return (flagsOf(message) & RESPONSE) === 0 ? questionOf(message) : undefined;
}

/** An answer; what does not fit into `limitBytes` is left out, and the answer says so. */
export function encodeAnswer(answer: Omit<DnsAnswer, 'truncated'>, limitBytes: number): Uint8Array {
  const asked = question(answer.name);
  const room = Math.floor((limitBytes - HEADER_BYTES - asked.length) / RECORD_BYTES);
  const truncated = answer.records.length > room;
  const shown = truncated ? [] : answer.records;
  const flags = RESPONSE | RECURSION_DESIRED | RECURSION_AVAILABLE | (truncated ? TRUNCATED : 0) | answer.code;
  return concatBytes([header(answer.id, flags, shown.length), asked, ...shown.map(record)]);
}

/** An answer with its IPv4 addresses; undefined when the message is none. */
export function decodeAnswer(message: Uint8Array): DnsAnswer | undefined {
  const flags = flagsOf(message);
  const asked = (flags & RESPONSE) === 0 ? undefined : questionOf(message);
  if (asked === undefined) return undefined;
  const count = word(message, 6);
  const records: DnsRecord[] = [];
  let offset = HEADER_BYTES + question(asked.name).length;
  for (let i = 0; i < count && offset + RECORD_BYTES <= message.length; i++, offset += RECORD_BYTES)
    records.push({
      ttlSec: word(message, offset + 6) * 65_536 + word(message, offset + 8),
      address: ipText(message.slice(offset + 12, offset + RECORD_BYTES)),
    });
  return { ...asked, code: flags & 0x0f, truncated: (flags & TRUNCATED) !== 0, records };
}

function header(id: number, flags: number, answers: number): Uint8Array {
  return words([id, flags, 1, answers, 0, 0]);
}

function question(name: string): Uint8Array {
  const labels = name.split('.').map((label) => {
    const text = utf8Encode(label);
    return concatBytes([new Uint8Array([text.length]), text]);
  });
  return concatBytes([...labels, new Uint8Array([0]), words([TYPE_A, CLASS_IN])]);
}

function record({ address, ttlSec }: DnsRecord): Uint8Array {
  const fixed = words([POINTER, TYPE_A, CLASS_IN, Math.floor(ttlSec / 65_536), ttlSec % 65_536, 4]);
  return concatBytes([fixed, ipBytes(address)!]);
}

function flagsOf(message: Uint8Array): number {
  return message.length < HEADER_BYTES ? 0 : word(message, 2);
}

function questionOf(message: Uint8Array): DnsQuestion | undefined {
  if (message.length < HEADER_BYTES || word(message, 4) !== 1) return undefined;
  const labels: string[] = [];
  let offset = HEADER_BYTES;
  for (;;) {
    const length = message[offset];
    if (length === undefined || length > 63) return undefined;
    if (length === 0) break;
    labels.push(utf8Decode(message, offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  if (offset + 1 + QUESTION_TAIL_BYTES > message.length) return undefined;
  if (word(message, offset + 1) !== TYPE_A || word(message, offset + 3) !== CLASS_IN) return undefined;
  return { id: word(message, 0), name: labels.join('.').toLowerCase() };
}

function word(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! * 256 + bytes[offset + 1]!;
}

function words(values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 255]));
}
