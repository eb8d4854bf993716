/** Evaluates checked expressions, e.g. a disk selector against the disks of a machine. */
import { bareName, CelError, type CelValue, type Expr, type Macro, macroOf, macroVariable } from './ast.ts';
import { CEL_UNITS } from './env.ts';
import { apply, bool, itemsOf, keyOf, truth } from './operators.ts';
import { parseCel } from './parse.ts';

export type CelBindings = Readonly<Record<string, CelValue>>;

/** Value of a boolean expression. Throws CelError where evaluation fails (missing field, overflow, wrong type). */
export function evaluateBoolean(source: string, bindings: CelBindings): boolean {
  const value = evaluate(parseCel(source), bindings);
  if (value.type !== 'bool') {
    throw new CelError(`expression output type is ${value.type}, expected bool`, 0);
  }
  return value.value;
}

/** A plain record as a CEL object: numbers become uint, the type of all sizes. */
export function celObject(
  fields: Readonly<Record<string, string | number | bigint | boolean | readonly string[]>>,
): CelValue {
  const out: Record<string, CelValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    out[name] = toCel(value);
  }
  return { type: 'object', fields: out };
}

function toCel(value: string | number | bigint | boolean | readonly string[]): CelValue {
  switch (typeof value) {
    case 'string':
      return { type: 'string', value };
    case 'boolean':
      return { type: 'bool', value };
    case 'number':
    case 'bigint':
      return { type: 'uint', value: BigInt(value) };
    default:
      return { type: 'list', items: value.map((item) => ({ type: 'string', value: item })) };
  }
}

function evaluate(expr: Expr, bindings: CelBindings): CelValue {
  switch (expr.kind) {
    case 'literal':
      return expr.value;
    case 'ident': {
      const name = bareName(expr.name);
      const unit = CEL_UNITS[name];
      const bound = bindings[name] ?? (unit === undefined ? undefined : { type: 'uint' as const, value: unit });
      if (bound === undefined) {
        throw new CelError(`no such attribute: ${expr.name}`, expr.at);
      }
      return bound;
    }
    case 'select': {
      const found = fieldOf(expr, bindings);
      if (found === undefined) {
        throw new CelError(`no such key: ${expr.field}`, expr.at);
      }
      return found;
    }
    case 'has':
      return bool(!isUnset(fieldOf(expr, bindings)));
    case 'map':
      return { type: 'object', fields: mapOf(expr, bindings) };
    case 'list':
      return { type: 'list', items: expr.items.map((item) => evaluate(item, bindings)) };
    case 'call':
      return call(expr, bindings);
  }
}

function fieldOf(expr: Extract<Expr, { kind: 'select' | 'has' }>, bindings: CelBindings): CelValue | undefined {
  const operand = evaluate(expr.operand, bindings);
  return operand.type === 'object' && Object.hasOwn(operand.fields, expr.field)
    ? operand.fields[expr.field]
    : undefined;
}

/** Fields of messages are set when they are not zero. */
function isUnset(value: CelValue | undefined): boolean {
  if (value === undefined || value.type === 'list') {
    return value === undefined || value.items.length === 0;
  }
  return 'value' in value && ['', false, 0, 0n].includes(value.value);
}

function mapOf(expr: Extract<Expr, { kind: 'map' }>, bindings: CelBindings): Record<string, CelValue> {
  const fields: Record<string, CelValue> = {};
  for (const [key, value] of expr.entries) {
    fields[keyOf(evaluate(key, bindings), key.at)] = evaluate(value, bindings);
  }
  return fields;
}

function call(expr: Extract<Expr, { kind: 'call' }>, bindings: CelBindings): CelValue {
  const [first, second, third] = expr.args;
  if (expr.name === '_&&_' || expr.name === '_||_') {
    return bool(logical(expr.name === '_||_', [first!, second!], bindings, expr.at));
  }
  if (expr.name === '_?_:_') {
    return evaluate(truth(evaluate(first!, bindings), expr.at) ? second! : third!, bindings);
  }
  const macro = macroOf(expr);
  if (macro !== undefined) {
    return applyMacro(macro, bindings, expr.at);
  }
  const target = expr.target === undefined ? [] : [evaluate(expr.target, bindings)];
  const values = [...target, ...expr.args.map((arg) => evaluate(arg, bindings))];
  return apply(expr.name, values, expr.at);
}

/** Either side decides when it can, even when the other one fails. */
function logical(decisive: boolean, sides: readonly [Expr, Expr], bindings: CelBindings, at: number): boolean {
  const [left, right] = sides;
  let failure: CelError | undefined;
  try {
    if (truth(evaluate(left, bindings), at) === decisive) {
      return decisive;
    }
  } catch (error) {
    if (!(error instanceof CelError)) {
      throw error;
    }
    failure = error;
  }
  const second = truth(evaluate(right, bindings), at);
  if (failure !== undefined && second !== decisive) {
    throw failure;
  }
  return second;
}

function applyMacro(macro: Macro, bindings: CelBindings, at: number): CelValue {
  const range = evaluate(macro.range, bindings);
  const items = itemsOf(range, at);
  const name = macroVariable(macro);
  const holds = (condition: Expr, item: CelValue): boolean =>
    truth(evaluate(condition, { ...bindings, [name]: item }), at);
  if (macro.name === 'map') {
    const { condition, body } = macro;
    const kept = condition === undefined ? items : items.filter((item) => holds(condition, item));
    return { type: 'list', items: kept.map((item) => evaluate(body, { ...bindings, [name]: item })) };
  }
  const chosen = items.filter((item) => holds(macro.body, item));
  switch (macro.name) {
    case 'exists':
      return bool(chosen.length > 0);
    case 'all':
      return bool(chosen.length === items.length);
    case 'exists_one':
      return bool(chosen.length === 1);
    case 'filter':
      return { type: 'list', items: chosen };
  }
}
