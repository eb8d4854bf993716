/** Text forms of bytes, as etcd's tools print them. */

const SHORT_ESCAPES: Readonly<Record<string, string>> = Object.freeze({
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
});
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The bytes as a double-quoted string: UTF-8 where it is printable, escapes elsewhere. */
export function quoteBytes(bytes: Uint8Array): string {
  let text = '"';
  for (let at = 0; at < bytes.length; ) {
    const { rune, size } = decodeRune(bytes, at);
    text += rune < 0 ? `\\x${hex(bytes[at]!, 2)}` : quoteRune(rune);
    at += size;
  }
  return `${text}"`;
}

function quoteRune(rune: number): string {
  const char = String.fromCodePoint(rune);
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  if (PRINTABLE.test(char)) return char;
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`;
  return rune > 0xffff ? `\\U${hex(rune, 8)}` : `\\u${hex(rune, 4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** One UTF-8 sequence; rune -1 and size 1 where the bytes are not valid. */
function decodeRune(bytes: Uint8Array, at: number): { rune: number; size: number } {
  const first = bytes[at]!;
  if (first < 0x80) return { rune: first, size: 1 };
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const invalid = { rune: -1, size: 1 };
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return invalid;
  let rune = first & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const next = bytes[at + i]!;
    if ((next & 0xc0) !== 0x80) return invalid;
    rune = (rune << 6) | (next & 0x3f);
  }
  const tooLong = rune < (size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000);
  const surrogate = rune >= 0xd800 && rune <= 0xdfff;
  return tooLong || surrogate || rune > 0x10ffff ? invalid : { rune, size };
}
