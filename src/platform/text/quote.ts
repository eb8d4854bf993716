/** Go's `%q`: a double-quoted string with Go escapes. */

const SHORT: Readonly<Record<number, string>> = Object.freeze({
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
});

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** Quotes a text as Go prints it in messages. */
export function goQuote(text: string): string {
  let out = '"';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const short = SHORT[code];
    if (short !== undefined) {
      out += short;
    } else if (!UNPRINTABLE.test(character)) {
      out += character;
    } else if (code < 0x80) {
      out += `\\x${code.toString(16).padStart(2, '0')}`;
    } else {
      out += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    }
  }
  return `${out}"`;
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function goQuoteList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
