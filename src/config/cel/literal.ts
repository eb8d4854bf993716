/** Values of literals. */
import { type CelValue, fits } from './ast.ts';
import type { Token } from './tokens.ts';

/** The value of a token; a text when it is one that says what is wrong, undefined when it is no literal. */
export function literalValue(token: Token, negative: boolean): CelValue | string | undefined {
  const sign = negative ? -1n : 1n;
  switch (token.kind) {
    case 'int': {
      const value = sign * BigInt(token.text);
      return fits('int', value) ? { type: 'int', value } : 'invalid int literal';
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1));
      return fits('uint', value) ? { type: 'uint', value } : 'invalid uint literal';
    }
    case 'double':
      return { type: 'double', value: negative ? -Number(token.text) : Number(token.text) };
    case 'string':
      return { type: 'string', value: textOf(token.text) };
    case 'bytes':
      return { type: 'bytes', value: textOf(token.text.slice(1)) };
    case 'ident':
      if (token.text === 'true' || token.text === 'false') {
        return { type: 'bool', value: token.text === 'true' };
      }
      return token.text === 'null' ? { type: 'null' } : undefined;
    default:
      return undefined;
  }
}

/** Text of a literal; a raw one (`r"…"`) has no escapes. */
function textOf(source: string): string {
  const raw = /^[rR]/.test(source);
  const quoted = raw ? source.slice(1) : source;
  const quote = /^("""|''')/.test(quoted) ? 3 : 1;
  const inner = quoted.slice(quote, -quote);
  return raw
    ? inner
    : inner.replace(/\\([xXuU][0-9a-fA-F]+|[0-3][0-7]{2}|.)/g, (_, sequence: string) => unescaped(sequence));
}

const ESCAPES: Readonly<Record<string, string>> = Object.freeze({
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
});

function unescaped(sequence: string): string {
  if (/^[0-7]{3}$/.test(sequence)) {
    return String.fromCodePoint(Number.parseInt(sequence, 8));
  }
  if (!/^[xXuU]./.test(sequence)) {
    return ESCAPES[sequence] ?? sequence;
  }
  const length = { x: 2, X: 2, u: 4, U: 8 }[sequence.charAt(0)] ?? 2;
  const code = Number.parseInt(sequence.slice(1, 1 + length), 16);
  return (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)) + sequence.slice(1 + length);
}
