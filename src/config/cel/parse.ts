/** Reads expressions, with the words of the real parser for what is none. */
import { CelError, type CelProblem, type Expr, macroOf } from './ast.ts';
import { Cursor, EXPECTED, isKeyword, isStart, RELATIONS, Stop } from './cursor.ts';
import { literalValue } from './literal.ts';
import { type Token, tokenize } from './tokens.ts';

const MAX_DEPTH = 100;
/** Chains such as `a || b || c` nest to the left, so their length is bounded too. */
const MAX_TOKENS = 2_000;

/** An expression, or all that is wrong with its text. */
export type Parsed = { readonly expr: Expr } | { readonly problems: readonly CelProblem[] };

export function parseExpression(source: string): Parsed {
  const problems: CelProblem[] = [];
  const tokens = tokenize(source, problems);
  if (tokens.length > MAX_TOKENS) {
    return { problems: [{ message: TOO_DEEP, at: tokens[MAX_TOKENS]!.at }] };
  }
  const expr = new Parser(tokens, problems).whole();
  return problems.length > 0 || expr === undefined ? { problems } : { expr };
}

/** Parses an expression. Throws CelError with the first problem. */
export function parseCel(source: string): Expr {
  const parsed = parseExpression(source);
  if ('problems' in parsed) {
    throw new CelError(parsed.problems[0]!.message, parsed.problems[0]!.at);
  }
  return parsed.expr;
}

const TOO_DEEP = 'expression recursion limit exceeded';
const RESERVED: readonly string[] = Object.freeze(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

class Parser extends Cursor {
  whole(): Expr | undefined {
    try {
      const expr = this.expression(0);
      const token = this.peek();
      if (token.kind !== 'end') {
        const word = this.peek(1).kind === 'end' ? 'extraneous' : 'mismatched';
        this.report(`Syntax error: ${word} input '${token.text}' expecting <EOF>`, token);
      }
      return expr;
    } catch (error) {
      if (error instanceof Stop) {
        return undefined;
      }
      throw error;
    }
  }

  private expression(depth: number, expected: string = EXPECTED.expression): Expr {
    this.guard(depth);
    this.begin(expected);
    const condition = this.or(depth);
    const mark = this.peek();
    if (!this.take('?')) {
      return condition;
    }
    const yes = this.or(depth + 1);
    this.expect(':');
    const no = this.expression(depth + 1);
    return { kind: 'call', name: '_?_:_', target: undefined, args: [condition, yes, no], at: mark.at };
  }

  private or(depth: number): Expr {
    return this.chain(['||'], () => this.and(depth));
  }

  private and(depth: number): Expr {
    return this.chain(['&&'], () => this.relation(depth));
  }

  private relation(depth: number): Expr {
    let left = this.sum(depth);
    for (;;) {
      const token = this.peek();
      const isIn = token.kind === 'ident' && token.text === 'in';
      if (!isIn && !(token.kind === 'punct' && RELATIONS.includes(token.text))) {
        return left;
      }
      this.position += 1;
      const args = [left, this.sum(depth)];
      left = { kind: 'call', name: isIn ? '@in' : `_${token.text}_`, target: undefined, args, at: token.at };
    }
  }

  private sum(depth: number): Expr {
    return this.chain(['+', '-'], () => this.product(depth));
  }

  private product(depth: number): Expr {
    return this.chain(['*', '/', '%'], () => this.unary(depth));
  }

  private chain(operators: readonly string[], next: () => Expr): Expr {
    let left = next();
    for (;;) {
      const token = this.peek();
      if (token.kind !== 'punct' || !operators.includes(token.text)) {
        return left;
      }
      this.position += 1;
      left = { kind: 'call', name: `_${token.text}_`, target: undefined, args: [left, next()], at: token.at };
    }
  }

  /** One kind of sign, any number of times: two of them undo each other. */
  private unary(depth: number): Expr {
    this.begin(EXPECTED.expression);
    const token = this.peek();
    const sign = token.kind === 'punct' && (token.text === '!' || token.text === '-') ? token.text : '';
    if (sign === '') {
      return this.member(this.primary(depth), depth);
    }
    let count = 0;
    while (this.take(sign)) {
      count += 1;
    }
    this.behindSign(sign);
    if (sign === '-' && count === 1 && isNumber(this.peek())) {
      return this.member(this.primary(depth, token), depth);
    }
    const operand = this.member(this.primary(depth, this.minus(sign)), depth);
    return count % 2 === 0
      ? operand
      : { kind: 'call', name: `${sign}_`, target: undefined, args: [operand], at: token.at };
  }

  /** A minus behind other signs belongs to a number; no other sign may stand there. */
  private minus(sign: string): Token | undefined {
    const token = this.peek();
    if (token.text === '-' && token.kind === 'punct' && isNumber(this.peek(1))) {
      return this.next();
    }
    if (token.kind === 'punct' && (token.text === '!' || token.text === '-')) {
      this.report(`Syntax error: no viable alternative at input '${sign}${token.text}'`, token);
      throw new Stop();
    }
    return undefined;
  }

  private member(start: Expr, depth: number): Expr {
    let expr = start;
    for (;;) {
      const token = this.peek();
      if (this.take('.')) {
        const name = this.name();
        const open = this.peek();
        expr = this.take('(')
          ? this.call(name.text, expr, open, depth)
          : { kind: 'select', operand: expr, field: name.text, at: token.at };
      } else if (this.take('[')) {
        this.open += 1;
        const index = this.expression(depth + 1, EXPECTED.index);
        this.expect(']');
        this.open -= 1;
        expr = { kind: 'call', name: '_[_]', target: undefined, args: [expr, index], at: token.at };
      } else {
        return expr;
      }
    }
  }

  private primary(depth: number, minus?: Token): Expr {
    const token = this.next();
    if (token.kind === 'punct') {
      return this.bracket(token, depth);
    }
    if (token.kind === 'ident' && !isKeyword(token)) {
      return this.named(token, depth);
    }
    const value = literalValue(token, minus !== undefined);
    if (value === undefined) {
      throw new Stop();
    }
    const at = minus?.at ?? token.at;
    if (typeof value === 'string') {
      this.problems.push({ message: value, at });
      return { kind: 'literal', value: { type: 'null' }, at };
    }
    return { kind: 'literal', value, at };
  }

  private bracket(token: Token, depth: number): Expr {
    if (token.text === '.') {
      return this.named({ ...this.name(), text: `.${this.peek(-1).text}` }, depth);
    }
    this.open += 1;
    let expr: Expr;
    if (token.text === '(') {
      expr = this.expression(depth + 1);
      this.expect(')');
    } else if (token.text === '[') {
      expr = { kind: 'list', items: this.entries(']', () => this.expression(depth + 1, EXPECTED.list)), at: token.at };
    } else {
      expr = { kind: 'map', entries: this.entries('}', () => this.entry(depth)), at: token.at };
    }
    this.open -= 1;
    return expr;
  }

  private entry(depth: number): readonly [Expr, Expr] {
    const key = this.expression(depth + 1, EXPECTED.map);
    this.expect(':');
    return [key, this.expression(depth + 1)];
  }

  /** A name by itself or one of a function; a dot before it means that nothing is its container. */
  private named(token: Token, depth: number): Expr {
    const open = this.peek();
    if (this.take('(')) {
      return this.call(token.text, undefined, open, depth);
    }
    if (RESERVED.includes(token.text)) {
      this.report(`reserved identifier: ${token.text}`, token);
    }
    return { kind: 'ident', name: token.text, at: token.at };
  }

  private call(name: string, target: Expr | undefined, open: Token, depth: number): Expr {
    const args: Expr[] = [];
    this.open += 1;
    if (!this.take(')')) {
      args.push(this.expression(depth + 1, EXPECTED.argument));
      while (this.take(',')) {
        args.push(this.expression(depth + 1));
      }
      this.expect(')', true);
    }
    this.open -= 1;
    const call = { kind: 'call' as const, name, target, args, at: open.at };
    const [first] = args;
    if (target === undefined && name === 'has' && args.length === 1) {
      if (first?.kind === 'select') {
        return { kind: 'has', operand: first.operand, field: first.field, at: open.at };
      }
      this.problems.push({ message: 'invalid argument to has() macro', at: first!.at });
    }
    if (macroOf(call) !== undefined && first?.kind !== 'ident') {
      const message = name === 'map' ? 'argument is not an identifier' : 'argument must be a simple name';
      this.problems.push({ message, at: first!.at });
    }
    return call;
  }

  /** What stands between the brackets of a list or a map; a comma may end it. */
  private entries<T>(close: string, entry: () => T): T[] {
    const items: T[] = [];
    while (!this.take(close)) {
      items.push(entry());
      if (this.take(',')) {
        if (this.peek().text !== close && !isStart(this.peek())) {
          this.wrong(`'${close}'`, [close]);
        }
      } else if (this.peek().text !== close) {
        this.wrong(`{'${close}', ','}`, [close, ',']);
      }
    }
    return items;
  }

  private guard(depth: number): void {
    if (depth > MAX_DEPTH) {
      this.report(TOO_DEEP, this.peek());
      throw new Stop();
    }
  }
}

function isNumber({ kind }: Token): boolean {
  return kind === 'int' || kind === 'double';
}
