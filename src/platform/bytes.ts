/** Text and byte helpers for layers where no runtime's encoder is reachable. */

/** UTF-8 of a string; lone surrogates become U+FFFD as in every encoder. */
export function utf8Encode(text: string): Uint8Array {
  const out = new Uint8Array(utf8SizeBytes(text));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      out[at++] = unit;
      continue;
    }
    const code = codePointAt(text, i);
    if (code > 0xffff) i++;
    at = writeCodePoint(out, at, code);
  }
  return out;
}

export function utf8SizeBytes(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    const code = codePointAt(text, i);
    if (code > 0xffff) {
      size += 2;
      i++;
    } else size += code > 0x7ff ? 2 : 1;
  }
  return size;
}

function codePointAt(text: string, index: number): number {
  const code = text.codePointAt(index)!;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

function writeCodePoint(out: Uint8Array, start: number, code: number): number {
  let at = start;
  if (code <= 0x7ff) {
    out[at++] = 0xc0 | (code >> 6);
  } else if (code <= 0xffff) {
    out[at++] = 0xe0 | (code >> 12);
    out[at++] = 0x80 | ((code >> 6) & 0x3f);
  } else {
    out[at++] = 0xf0 | (code >> 18);
    out[at++] = 0x80 | ((code >> 12) & 0x3f);
    out[at++] = 0x80 | ((code >> 6) & 0x3f);
  }
  out[at++] = 0x80 | (code & 0x3f);
  return at;
}

/** Decodes UTF-8; each invalid byte becomes U+FFFD. */
export function utf8Decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  let at = start;
  while (at < end) {
    const first = bytes[at]!;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      at++;
      continue;
    }
    const length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    const code = length === 0 || first >= 0xf5 ? -1 : decodeSequence(bytes, at, end, length);
    text += code < 0 ? '\ufffd' : String.fromCodePoint(code);
    at += code < 0 ? 1 : length;
  }
  return text;
}

const SMALLEST_BY_LENGTH = Object.freeze([0, 0, 0x80, 0x800, 0x10000]);

function decodeSequence(bytes: Uint8Array, at: number, end: number, length: number): number {
  if (at + length > end) return -1;
  let code = bytes[at]! & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i]!;
    if ((next & 0xc0) !== 0x80) return -1;
    code = (code << 6) | (next & 0x3f);
  }
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < SMALLEST_BY_LENGTH[length]! || code > 0x10ffff || surrogate ? -1 : code;
}

const HEX_DIGITS = '0123456789abcdef';

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX_DIGITS[byte >> 4]! + HEX_DIGITS[byte & 15]!;
  return text;
}

/**
 * Value of a lower-case hexadecimal digit, by its character code; any other gives any number. Without a branch: of
 * digits and letters in no order, half would be guessed wrong.
 */
export function hexDigit(code: number): number {
  return (code & 0xf) + 9 * (code >> 6);
}

/** Negative when the code is not that of a lower-case hexadecimal digit. Without a branch, like {@link hexDigit}. */
export function checkHexDigit(code: number): number {
  const figure = (code - 0x30) | (0x39 - code);
  const letter = (code - 0x61) | (0x66 - code);
  return figure & letter;
}

/** The bytes of hex digits, with a zero before them where their number is odd. */
export function fromHex(hex: string): Uint8Array {
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  const out = new Uint8Array(even.length / 2);
  for (let i = 0; i < out.length; i++) {
    out[i] = hexDigit(even.charCodeAt(i * 2)) * 16 + hexDigit(even.charCodeAt(i * 2 + 1));
  }
  return out;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic comparison as unsigned bytes: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Orders strings by UTF-16 code unit: the same in every engine and locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
