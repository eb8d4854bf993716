/** Syntax tree of the expression language (CEL) that selects disks and volumes (reference/network-config.md E.4). */

export type Expr =
  | { readonly kind: 'literal'; readonly value: CelValue; readonly at: number }
  | { readonly kind: 'ident'; readonly name: string; readonly at: number }
  | { readonly kind: 'select'; readonly operand: Expr; readonly field: string; readonly at: number }
  | {
      readonly kind: 'call';
      /** Operator names are CEL's own, e.g. `_&&_`, `!_`, `@in`. */
      readonly name: string;
      readonly target: Expr | undefined;
      readonly args: readonly Expr[];
      readonly at: number;
    }
  | { readonly kind: 'list'; readonly items: readonly Expr[]; readonly at: number }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Expr, Expr])[]; readonly at: number }
  /** `has(operand.field)`. */
  | { readonly kind: 'has'; readonly operand: Expr; readonly field: string; readonly at: number };

/** CEL tells int, uint and double apart, so numbers carry their type. */
export type CelValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string' | 'bytes'; readonly value: string }
  | { readonly type: 'list'; readonly items: readonly CelValue[] }
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, CelValue>> }
  | { readonly type: 'null' };

/** Whether a whole number fits the 64 bits of its type. */
export function fits(type: 'int' | 'uint', value: bigint): boolean {
  return (type === 'int' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)) === value;
}

/** What is wrong with an expression; `at` is an offset into its text. */
export interface CelProblem {
  readonly message: string;
  readonly at: number;
}

/** Why an expression cannot be compiled or evaluated; `at` is an offset into its text. */
export class CelError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The messages in the layout of the real compiler, by place, each with its line. */
export function formatProblems(problems: readonly CelProblem[], source: string): string {
  return problems
    .toSorted((a, b) => a.at - b.at)
    .map((problem) => formatProblem(problem, source))
    .join('\n');
}

function formatProblem({ message, at }: CelProblem, source: string): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  if (source === '') {
    return `ERROR: <input>:1:0: ${message}`;
  }
  const text = source.split('\n')[line - 1] ?? '';
  const indent = [...before.slice(before.lastIndexOf('\n') + 1)];
  const dots = indent.map((character) => (character > '\u007f' ? '\uff0e' : '.')).join('');
  const mark = (source.codePointAt(at) ?? 0) > 0x7f ? '\uff3e' : '^';
  const where = `ERROR: <input>:${line}:${indent.length + 1}: ${message}`;
  return `${where}\n | ${text.replaceAll('\t', ' ')}\n | ${dots}${mark}`;
}

const MACROS = ['exists', 'all', 'exists_one', 'filter', 'map'] as const;

/** A macro call `range.name(variable, body)`; `map` may have a condition before its body. */
export interface Macro {
  readonly name: (typeof MACROS)[number];
  readonly range: Expr;
  /** The first argument, which must be a name. */
  readonly variable: Expr;
  readonly condition: Expr | undefined;
  readonly body: Expr;
}

/** The macro that a call stands for; undefined for other calls. */
export function macroOf(expr: Extract<Expr, { kind: 'call' }>): Macro | undefined {
  const { target, args } = expr;
  const name = MACROS.find((macro) => macro === expr.name);
  const [variable] = args;
  if (name === undefined || target === undefined || variable === undefined) {
    return undefined;
  }
  const hasCondition = name === 'map' && args.length === 3;
  if (args.length !== 2 && !hasCondition) {
    return undefined;
  }
  return { name, range: target, variable, condition: hasCondition ? args[1] : undefined, body: args.at(-1)! };
}

/** The name that a macro binds; empty when the parser refused it. */
export function macroVariable({ variable }: Macro): string {
  return variable.kind === 'ident' ? variable.name : '';
}

/** A name without the dot that may stand before it. */
export function bareName(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name;
}
