import { CelError, type CelValue, type Expr } from './ast.ts';

type Token = {
  readonly kind: 'ident' | 'int' | 'uint' | 'double' | 'string' | 'punct' | 'end';
  readonly text: string;
  readonly at: number;
};

const TOKEN =
  /\s+|\/\/[^\n]*|([rR](?:"[^"\n]*"|'[^'\n]*')|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([A-Za-z_][A-Za-z0-9_]*)|(0x[0-9a-fA-F]+[uU]?|[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[uU]?)|(&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]])/y;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (match === null) {
      throw new CelError(`Syntax error: token recognition error at: '${source.charAt(at)}'`, at);
    }
    const [text, string, ident, number, punct] = match;
    if (ident !== undefined) {
      tokens.push({ kind: 'ident', text, at });
    } else if (number !== undefined) {
      const kind = /[uU]$/.test(text) ? 'uint' : /^0x|^[0-9]+$/.test(text) ? 'int' : 'double';
      tokens.push({ kind, text, at });
    } else if (string !== undefined) {
      tokens.push({ kind: 'string', text, at });
    } else if (punct !== undefined) {
      tokens.push({ kind: 'punct', text, at });
    }
    at += text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

const MAX_DEPTH = 100;
/** Chains such as `a || b || c` nest to the left, so their length is bounded too. */
const MAX_TOKENS = 2_000;

/** Parses an expression. Throws CelError. */
export function parseCel(source: string): Expr {
  const tokens = tokenize(source);
  if (tokens.length > MAX_TOKENS) {
    throw new CelError('expression recursion limit exceeded', tokens[MAX_TOKENS]!.at);
  }
  const parser = new Parser(tokens);
  const expr = parser.expression(0);
  parser.end();
  return expr;
}

const RELATIONS: readonly string[] = Object.freeze(['<', '<=', '>', '>=', '==', '!=']);

class Parser {
  private position = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  expression(depth: number): Expr {
    if (depth > MAX_DEPTH) {
      throw new CelError('expression recursion limit exceeded', this.peek().at);
    }
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

  end(): void {
    const token = this.peek();
    if (token.kind !== 'end') {
      throw this.unexpected(token);
    }
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
      const right = this.sum(depth);
      left = {
        kind: 'call',
        name: isIn ? '@in' : `_${token.text}_`,
        target: undefined,
        args: [left, right],
        at: token.at,
      };
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

  private unary(depth: number): Expr {
    const token = this.peek();
    if (depth > MAX_DEPTH) {
      throw new CelError('expression recursion limit exceeded', token.at);
    }
    if (token.kind === 'punct' && (token.text === '!' || token.text === '-')) {
      this.position += 1;
      const operand = this.unary(depth + 1);
      if (token.text === '-' && operand.kind === 'literal' && operand.value.type === 'int') {
        return { kind: 'literal', value: { type: 'int', value: -operand.value.value }, at: token.at };
      }
      return { kind: 'call', name: `${token.text}_`, target: undefined, args: [operand], at: token.at };
    }
    return this.member(depth);
  }

  private member(depth: number): Expr {
    let expr = this.primary(depth);
    for (;;) {
      const token = this.peek();
      if (this.take('.')) {
        const name = this.next();
        if (name.kind !== 'ident') {
          throw this.unexpected(name);
        }
        expr = this.take('(')
          ? { kind: 'call', name: name.text, target: expr, args: this.list(')', depth), at: token.at }
          : { kind: 'select', operand: expr, field: name.text, at: token.at };
      } else if (this.take('[')) {
        const index = this.expression(depth + 1);
        this.expect(']');
        expr = { kind: 'call', name: '_[_]', target: undefined, args: [expr, index], at: token.at };
      } else {
        return expr;
      }
    }
  }

  private primary(depth: number): Expr {
    const token = this.next();
    if (token.kind === 'punct' && token.text === '(') {
      const inner = this.expression(depth + 1);
      this.expect(')');
      return inner;
    }
    if (token.kind === 'punct' && token.text === '[') {
      return { kind: 'list', items: this.list(']', depth), at: token.at };
    }
    if (token.kind === 'ident' && !['true', 'false', 'null', 'in'].includes(token.text)) {
      return this.take('(')
        ? { kind: 'call', name: token.text, target: undefined, args: this.list(')', depth), at: token.at }
        : { kind: 'ident', name: token.text, at: token.at };
    }
    const value = literal(token);
    if (value === undefined) {
      throw this.unexpected(token);
    }
    return { kind: 'literal', value, at: token.at };
  }

  private list(close: string, depth: number): Expr[] {
    const items: Expr[] = [];
    if (this.take(close)) {
      return items;
    }
    do {
      items.push(this.expression(depth + 1));
    } while (this.take(','));
    this.expect(close);
    return items;
  }

  private peek(): Token {
    return this.tokens[this.position]!;
  }

  private next(): Token {
    const token = this.peek();
    this.position += token.kind === 'end' ? 0 : 1;
    return token;
  }

  private take(text: string): boolean {
    const token = this.peek();
    const matches = token.kind === 'punct' && token.text === text;
    this.position += matches ? 1 : 0;
    return matches;
  }

  private expect(text: string): void {
    if (!this.take(text)) {
      throw this.unexpected(this.peek());
    }
  }

  private unexpected(token: Token): CelError {
    const shown = token.kind === 'end' ? '<EOF>' : token.text;
    return new CelError(`Syntax error: mismatched input '${shown}'`, token.at);
  }
}

function literal(token: Token): CelValue | undefined {
  switch (token.kind) {
    case 'int':
      return { type: 'int', value: BigInt(token.text) };
    case 'uint':
      return { type: 'uint', value: BigInt(token.text.slice(0, -1)) };
    case 'double':
      return { type: 'double', value: Number(token.text) };
    case 'string':
      return { type: 'string', value: stringValue(token.text) };
    case 'ident':
      if (token.text === 'true' || token.text === 'false') {
        return { type: 'bool', value: token.text === 'true' };
      }
      return token.text === 'null' ? { type: 'null' } : undefined;
    default:
      return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = Object.freeze({ n: '\n', t: '\t', r: '\r' });

/** Text of a literal; a raw one (`r"…"`) has no escapes. */
function stringValue(source: string): string {
  return /^[rR]/.test(source) ? source.slice(2, -1) : unescapeText(source.slice(1, -1));
}

function unescapeText(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
