/** Distinguished Encoding Rules of ASN.1 (X.690): just what certificates and keys need. */

import { compareBytes } from '../bytes.ts';
import { CryptoError } from '../crypto.ts';

export const TAG = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nullValue: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
});

/** Tag of a context-specific constructed (explicit) element. */
export function explicitTag(number: number): number {
  return 0xa0 | number;
}

/** Tag of a context-specific primitive (implicit) element. */
export function implicitTag(number: number): number {
  return 0x80 | number;
}

/** One element: tag, length, content. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const content of contents) size += content.length;
  const lengthSize = size < 0x80 ? 1 : size < 0x100 ? 2 : size < 0x10000 ? 3 : 4;
  const out = new Uint8Array(1 + lengthSize + size);
  out[0] = tag;
  if (lengthSize === 1) {
    out[1] = size;
  } else {
    out[1] = 0x80 | (lengthSize - 1);
    for (let i = 2; i <= lengthSize; i++) out[i] = (size >>> (8 * (lengthSize - i))) & 0xff;
  }
  let offset = 1 + lengthSize;
  for (const content of contents) {
    out.set(content, offset);
    offset += content.length;
  }
  return out;
}

export function sequence(...contents: readonly Uint8Array[]): Uint8Array {
  return element(TAG.sequence, ...contents);
}

/** A SET OF: its elements sorted bytewise, as DER demands. */
export function setOf(contents: readonly Uint8Array[]): Uint8Array {
  return element(TAG.set, ...[...contents].sort(compareBytes));
}

/** A non-negative INTEGER from its big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  if (trimmed.length === 0) return element(TAG.integer, Uint8Array.of(0));
  if (trimmed[0]! >= 0x80) return element(TAG.integer, Uint8Array.of(0), trimmed);
  return element(TAG.integer, trimmed);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return element(TAG.bitString, Uint8Array.of(unusedBits), bytes);
}

/** An OBJECT IDENTIFIER from its dotted text. */
export function objectIdentifier(dotted: string): Uint8Array {
  const arcs = dotted.split('.').map(Number);
  const out: number[] = [arcs[0]! * 40 + arcs[1]!];
  for (const arc of arcs.slice(2)) {
    const groups: number[] = [arc & 0x7f];
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
    out.push(...groups);
  }
  return element(TAG.objectIdentifier, Uint8Array.from(out));
}

/** The dotted text of the content of an OBJECT IDENTIFIER. */
function dottedIdentifier(content: Uint8Array): string {
  const first = content[0] ?? 0;
  const arcs: number[] = [Math.min(2, Math.floor(first / 40)), 0];
  arcs[1] = first - arcs[0]! * 40;
  let value = 0;
  for (const byte of content.subarray(1)) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(value);
      value = 0;
    }
  }
  return arcs.join('.');
}

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content together. */
  readonly whole: Uint8Array;
}

/** Reads one element after the other. Every read throws `CryptoError` malformed-der when the bytes do not fit. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** Tag of the next element, or -1 at the end. */
  peekTag(): number {
    return this.atEnd ? -1 : this.#bytes[this.#offset]!;
  }

  next(): DerElement {
    const start = this.#offset;
    const tag = this.#byte();
    if ((tag & 0x1f) === 0x1f) throw malformed('multi-byte tag');
    let size = this.#byte();
    if (size >= 0x80) {
      const count = size & 0x7f;
      if (count === 0 || count > 3) throw malformed('length');
      size = 0;
      for (let i = 0; i < count; i++) size = size * 256 + this.#byte();
      if (size < 0x80) throw malformed('length not minimal');
    }
    const contentStart = this.#offset;
    if (contentStart + size > this.#bytes.length) throw malformed('data truncated');
    this.#offset = contentStart + size;
    return {
      tag,
      content: this.#bytes.subarray(contentStart, this.#offset),
      whole: this.#bytes.subarray(start, this.#offset),
    };
  }

  expect(tag: number, what: string): DerElement {
    const found = this.next();
    if (found.tag !== tag) throw malformed(what);
    return found;
  }

  /** The next element if it has this tag, else null. */
  optional(tag: number): DerElement | null {
    return this.peekTag() === tag ? this.next() : null;
  }

  sequence(what: string): DerReader {
    return new DerReader(this.expect(TAG.sequence, what).content);
  }

  /** Big-endian bytes of a non-negative INTEGER without its sign byte. */
  unsignedInteger(what: string): Uint8Array {
    const { content } = this.expect(TAG.integer, what);
    if (content.length === 0) throw malformed(what);
    return content[0] === 0 && content.length > 1 ? content.subarray(1) : content;
  }

  identifier(what: string): string {
    return dottedIdentifier(this.expect(TAG.objectIdentifier, what).content);
  }

  bitString(what: string): Uint8Array {
    const { content } = this.expect(TAG.bitString, what);
    if (content.length === 0) throw malformed(what);
    return content.subarray(1);
  }

  end(what: string): void {
    if (!this.atEnd) throw malformed(`${what}: trailing data`);
  }

  #byte(): number {
    if (this.atEnd) throw malformed('data truncated');
    return this.#bytes[this.#offset++]!;
  }
}

export function malformed(what: string): CryptoError {
  return new CryptoError('malformed-der', `x509: malformed ${what}`);
}
