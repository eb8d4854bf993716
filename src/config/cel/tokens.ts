/** Splits expressions into tokens; what is none is a problem, and reading goes on behind it. */
import type { CelProblem } from './ast.ts';

export interface Token {
  readonly kind: 'ident' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'punct' | 'end';
  readonly text: string;
  readonly at: number;
}

const SPACE = /(?:\s+|\/\/[^\n]*)+/y;
const STRING =
  /[bB]?(?:[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*')/y;
const NUMBER =
  /0x[0-9a-fA-F]+[uU]?|[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[uU]?/y;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const PUNCT = /&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}]/y;

/** Escapes of a text as the language knows them. */
const ESCAPE = /^\\(?:[abfnrtv?"'`\\]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/;

export function tokenize(source: string, problems: CelProblem[]): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    at += read(SPACE, source, at).length;
    const token = at < source.length ? tokenAt(source, at) : undefined;
    if (token !== undefined) {
      tokens.push(token);
      at += token.text.length;
    } else if (at < source.length) {
      const text = unreadable(source, at);
      problems.push({ message: `Syntax error: token recognition error at: '${text}'`, at });
      at += text.length;
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

function read(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? '';
}

function tokenAt(source: string, at: number): Token | undefined {
  const string = read(STRING, source, at);
  if (string !== '' && escapesAreKnown(string)) {
    return { kind: /^[bB]/.test(string) ? 'bytes' : 'string', text: string, at };
  }
  const ident = read(IDENT, source, at);
  if (ident !== '') {
    return { kind: 'ident', text: ident, at };
  }
  const number = read(NUMBER, source, at);
  if (number !== '') {
    const kind = /[uU]$/.test(number) ? 'uint' : /^0x|^[0-9]+$/.test(number) ? 'int' : 'double';
    return { kind, text: number, at };
  }
  const punct = read(PUNCT, source, at);
  return punct === '' ? undefined : { kind: 'punct', text: punct, at };
}

function escapesAreKnown(literal: string): boolean {
  return /^[bB]?[rR]/.test(literal) || wrongEscape(literal, 0) === -1;
}

/** Offset of the first character that makes an escape unknown; -1 when there is none. */
function wrongEscape(text: string, from: number): number {
  for (let at = text.indexOf('\\', from); at !== -1; at = text.indexOf('\\', at)) {
    const sequence = ESCAPE.exec(text.slice(at, at + 10))?.[0];
    if (sequence === undefined) {
      return at + 1;
    }
    at += sequence.length;
  }
  return -1;
}

/** What the tokenizer gives up on: half an operator with the character behind it, an open text, else one character. */
function unreadable(source: string, at: number): string {
  const first = String.fromCodePoint(source.codePointAt(at)!);
  if (first === '=' || first === '&' || first === '|') {
    return first + charAt(source, at + 1);
  }
  if (first !== '"' && first !== "'") {
    return first;
  }
  const wrong = wrongEscape(source, at);
  const line = /[\n\r]/.exec(source.slice(at));
  const end = Math.min(
    wrong === -1 ? source.length : wrong + charAt(source, wrong).length,
    line === null ? source.length : at + line.index + 1,
  );
  return source.slice(at, end);
}

function charAt(source: string, at: number): string {
  const code = source.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}
