/** Tokens one after another, with what the real parser says where others were wanted, and how it goes on. */
import type { CelProblem } from './ast.ts';
import type { Token } from './tokens.ts';

export const RELATIONS: readonly string[] = Object.freeze(['<', '<=', '>', '>=', '==', '!=']);
const OPERATORS: readonly string[] = Object.freeze([...RELATIONS, '&&', '||', '+', '*', '/', '%', '?']);
const STARTS: readonly string[] = Object.freeze(['[', '{', '(', '.', '-', '!']);
const KEYWORDS: readonly string[] = Object.freeze(['true', 'false', 'null', 'in']);

const VALUES = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** What may begin an expression, as the real parser lists it where it finds something else. */
export const EXPECTED = Object.freeze({
  expression: `{'[', '{', '(', '.', '-', '!', ${VALUES}`,
  argument: `{'[', '{', '(', ')', '.', '-', '!', ${VALUES}`,
  list: `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${VALUES}`,
  map: `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${VALUES}`,
  index: `{'[', '{', '(', '.', '-', '!', '?', ${VALUES}`,
});

/** Reading cannot go on; the problem is reported already. */
export class Stop extends Error {}

export class Cursor {
  protected position = 0;
  /** Brackets that are open. */
  protected open = 0;
  protected readonly tokens: readonly Token[];
  protected readonly problems: CelProblem[];

  constructor(tokens: readonly Token[], problems: CelProblem[]) {
    this.tokens = tokens;
    this.problems = problems;
  }

  /** A name behind a dot. */
  protected name(): Token {
    const token = this.peek();
    if (token.kind !== 'ident' || isKeyword(token)) {
      const shown = token.kind === 'end' ? '' : token.text;
      this.report(`Syntax error: no viable alternative at input '.${shown}'`, token);
      throw this.skipOperator();
    }
    this.position += 1;
    return token;
  }

  /** Makes sure that an expression begins here: what is too much is reported and left out. */
  protected begin(expected: string): void {
    const token = this.peek();
    if (isStart(token)) {
      return;
    }
    if (token.kind !== 'end' && isStart(this.peek(1))) {
      this.report(`Syntax error: extraneous input '${token.text}' expecting ${expected}`, token);
      this.position += 1;
      return;
    }
    this.report(`Syntax error: mismatched input '${token.text}' expecting ${expected}`, token);
    throw this.skipOperator();
  }

  /** Like `begin`, where a sign stands before; at the end the real parser has words of its own. */
  protected behindSign(sign: string): void {
    const token = this.peek();
    if (token.kind !== 'end') {
      this.begin(EXPECTED.expression);
      return;
    }
    if (sign === '-') {
      this.report("Syntax error: no viable alternative at input '-'", token);
    }
    const word = sign === '-' ? 'mismatched' : 'extraneous';
    this.report(`Syntax error: ${word} input '<EOF>' expecting ${EXPECTED.expression}`, token);
    throw new Stop();
  }

  /** An operator where none may be is passed over; when that was the end, it is reported too. */
  protected skipOperator(): Stop {
    const token = this.peek();
    const isOperator = OPERATORS.includes(token.text) || token.text === 'in';
    if (token.kind !== 'end' && isOperator && this.peek(1).kind === 'end') {
      this.report(`Syntax error: mismatched input '<EOF>' expecting ${EXPECTED.expression}`, this.peek(1));
    }
    return new Stop();
  }

  protected expect(text: string, inCall = false): void {
    if (!this.take(text) && this.wrong(`'${text}'`, [text], inCall)) {
      this.position += 1;
    }
  }

  /** Reports a token that is none of the wanted ones; true when one of these is next now. */
  protected wrong(expected: string, wanted: readonly string[], inCall = false): boolean {
    const token = this.peek();
    const [text] = wanted;
    const isLast = wanted.length === 1 && text !== ':' && this.open === 1;
    const isMissing = token.kind === 'end' ? isLast : text === ':' && isStart(token);
    if (token.kind !== 'end' && wanted.includes(this.peek(1).text)) {
      this.report(`Syntax error: extraneous input '${token.text}' expecting ${expected}`, token);
      this.position += 1;
      return true;
    }
    if (isMissing) {
      this.report(`Syntax error: missing '${text}' at '${token.text}'`, token);
      return false;
    }
    this.report(`Syntax error: mismatched input '${token.text}' expecting ${expected}`, token);
    while (inCall && this.peek().kind !== 'end' && this.peek().text !== ')') {
      this.position += 1;
    }
    if (!inCall || this.peek().kind === 'end') {
      throw new Stop();
    }
    return false;
  }

  protected report(message: string, { at }: Token): void {
    this.problems.push({ message, at });
  }

  protected peek(ahead = 0): Token {
    return this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)]!;
  }

  protected next(): Token {
    const token = this.peek();
    this.position += token.kind === 'end' ? 0 : 1;
    return token;
  }

  protected take(text: string): boolean {
    const token = this.peek();
    const matches = token.kind === 'punct' && token.text === text;
    this.position += matches ? 1 : 0;
    return matches;
  }
}

/** Whether a word is none of the names. */
export function isKeyword({ text }: Token): boolean {
  return KEYWORDS.includes(text);
}

export function isStart(token: Token): boolean {
  if (token.kind === 'ident') {
    return token.text !== 'in';
  }
  return token.kind === 'punct' ? STARTS.includes(token.text) : token.kind !== 'end';
}
