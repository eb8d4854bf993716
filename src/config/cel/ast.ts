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
  | { readonly kind: 'list'; readonly items: readonly Expr[]; readonly at: number };

/** CEL tells int, uint and double apart, so numbers carry their type. */
export type CelValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'list'; readonly items: readonly CelValue[] }
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, CelValue>> }
  | { readonly type: 'null' };

/** Why an expression cannot be compiled or evaluated; `at` is an offset into its text. */
export class CelError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The message in the layout of the real compiler, which shows the place. */
export function formatCelError(error: CelError, source: string): string {
  const before = source.slice(0, error.at);
  const line = before.split('\n').length;
  const column = error.at - (before.lastIndexOf('\n') + 1);
  const text = source.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${error.message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

/** A macro call `range.name(variable, body)`. */
export interface Macro {
  readonly name: 'exists' | 'all' | 'exists_one' | 'filter';
  readonly range: Expr;
  readonly variable: string;
  readonly body: Expr;
}

/** The macro that a call stands for; undefined for other calls. */
export function macroOf(expr: Extract<Expr, { kind: 'call' }>): Macro | undefined {
  const { name, target, args } = expr;
  const [variable, body] = args;
  const isMacro = name === 'exists' || name === 'all' || name === 'exists_one' || name === 'filter';
  if (!isMacro || target === undefined || args.length !== 2 || variable?.kind !== 'ident') {
    return undefined;
  }
  return { name, range: target, variable: variable.name, body: body! };
}
