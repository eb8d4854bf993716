/** Evaluates checked expressions, e.g. a disk selector against the disks of a machine. */
import { CelError, type CelValue, type Expr, type Macro, macroOf } from './ast.ts';
import { CEL_UNITS } from './env.ts';
import { globMatch } from './glob.ts';
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
      const unit = CEL_UNITS[expr.name];
      const bound = bindings[expr.name] ?? (unit === undefined ? undefined : { type: 'uint' as const, value: unit });
      if (bound === undefined) {
        throw new CelError(`no such attribute: ${expr.name}`, expr.at);
      }
      return bound;
    }
    case 'select': {
      const operand = evaluate(expr.operand, bindings);
      const found = operand.type === 'object' ? operand.fields[expr.field] : undefined;
      if (found === undefined) {
        throw new CelError(`no such key: ${expr.field}`, expr.at);
      }
      return found;
    }
    case 'list':
      return { type: 'list', items: expr.items.map((item) => evaluate(item, bindings)) };
    case 'call':
      return call(expr, bindings);
  }
}

function call(expr: Extract<Expr, { kind: 'call' }>, bindings: CelBindings): CelValue {
  const [first, second, third] = expr.args;
  if (expr.name === '_&&_' || expr.name === '_||_') {
    const stopAt = expr.name === '_||_';
    const left = truth(evaluate(first!, bindings), expr.at);
    return bool(left === stopAt ? stopAt : truth(evaluate(second!, bindings), expr.at));
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

function applyMacro(macro: Macro, bindings: CelBindings, at: number): CelValue {
  const range = evaluate(macro.range, bindings);
  if (range.type !== 'list') {
    throw new CelError('no such overload', at);
  }
  const chosen = range.items.filter((item) => truth(evaluate(macro.body, { ...bindings, [macro.variable]: item }), at));
  switch (macro.name) {
    case 'exists':
      return bool(chosen.length > 0);
    case 'all':
      return bool(chosen.length === range.items.length);
    case 'exists_one':
      return bool(chosen.length === 1);
    case 'filter':
      return { type: 'list', items: chosen };
  }
}

function apply(name: string, values: readonly CelValue[], at: number): CelValue {
  const [a, b] = values;
  switch (name) {
    case '!_':
      return bool(!truth(a!, at));
    case '-_':
      return a!.type === 'double' ? { type: 'double', value: -a!.value } : { type: 'int', value: -integer(a!, at) };
    case '_==_':
      return bool(same(a!, b!));
    case '_!=_':
      return bool(!same(a!, b!));
    case '_<_':
      return bool(order(a!, b!, at) < 0);
    case '_<=_':
      return bool(order(a!, b!, at) <= 0);
    case '_>_':
      return bool(order(a!, b!, at) > 0);
    case '_>=_':
      return bool(order(a!, b!, at) >= 0);
    case '@in':
      return bool(b!.type === 'list' && b!.items.some((item) => same(a!, item)));
    case '_[_]': {
      const item = a!.type === 'list' ? a!.items[Number(integer(b!, at))] : undefined;
      if (item === undefined) {
        throw new CelError('index out of bounds', at);
      }
      return item;
    }
    case '_+_':
    case '_-_':
    case '_*_':
    case '_/_':
    case '_%_':
      return arithmetic(name, a!, b!, at);
    default:
      return callFunction(name, values, at);
  }
}

function bool(value: boolean): CelValue {
  return { type: 'bool', value };
}

function truth(value: CelValue, at: number): boolean {
  if (value.type !== 'bool') {
    throw new CelError('no such overload', at);
  }
  return value.value;
}

function integer(value: CelValue, at: number): bigint {
  if (value.type !== 'int' && value.type !== 'uint') {
    throw new CelError('no such overload', at);
  }
  return value.value;
}

function text(value: CelValue | undefined, at: number): string {
  if (value?.type !== 'string') {
    throw new CelError('no such overload', at);
  }
  return value.value;
}

function same(a: CelValue, b: CelValue): boolean {
  if (a.type === 'list' && b.type === 'list') {
    return a.items.length === b.items.length && a.items.every((item, index) => same(item, b.items[index]!));
  }
  if (a.type === 'null' || b.type === 'null') {
    return a.type === b.type;
  }
  return 'value' in a && 'value' in b && a.type === b.type && a.value === b.value;
}

function order(a: CelValue, b: CelValue, at: number): number {
  if ('value' in a && 'value' in b && a.type === b.type) {
    return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  }
  throw new CelError('no such overload', at);
}

function arithmetic(name: string, a: CelValue, b: CelValue, at: number): CelValue {
  if (a.type === 'string' && name === '_+_') {
    return { type: 'string', value: a.value + text(b, at) };
  }
  if (a.type === 'double' && b.type === 'double') {
    const value =
      name === '_+_'
        ? a.value + b.value
        : name === '_-_'
          ? a.value - b.value
          : name === '_*_'
            ? a.value * b.value
            : a.value / b.value;
    return { type: 'double', value };
  }
  if (a.type !== b.type || (a.type !== 'int' && a.type !== 'uint')) {
    throw new CelError('no such overload', at);
  }
  const value = integerResult(name, a.value, integer(b, at), at);
  const [low, high] = a.type === 'uint' ? [0n, 18446744073709551615n] : [-9223372036854775808n, 9223372036854775807n];
  if (value < low || value > high) {
    throw new CelError(`${a.type === 'uint' ? 'unsigned ' : ''}integer overflow`, at);
  }
  return { type: a.type, value };
}

function integerResult(name: string, a: bigint, b: bigint, at: number): bigint {
  switch (name) {
    case '_+_':
      return a + b;
    case '_-_':
      return a - b;
    case '_*_':
      return a * b;
    default:
      if (b === 0n) {
        throw new CelError(name === '_/_' ? 'division by zero' : 'modulus by zero', at);
      }
      return name === '_/_' ? a / b : a % b;
  }
}

function callFunction(name: string, values: readonly CelValue[], at: number): CelValue {
  const [a, b] = values;
  switch (name) {
    case 'glob':
      return bool(globMatch(text(a, at), text(b, at)));
    case 'startsWith':
      return bool(text(a, at).startsWith(text(b, at)));
    case 'endsWith':
      return bool(text(a, at).endsWith(text(b, at)));
    case 'contains':
      return bool(text(a, at).includes(text(b, at)));
    case 'matches':
      return bool(matches(text(a, at), text(b, at), at));
    case 'lowerAscii':
      return { type: 'string', value: text(a, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase()) };
    case 'upperAscii':
      return { type: 'string', value: text(a, at).replace(/[a-z]/g, (letter) => letter.toUpperCase()) };
    case 'size':
      return { type: 'int', value: BigInt(a?.type === 'list' ? a.items.length : [...text(a, at)].length) };
    default:
      return convert(name, a!, at);
  }
}

function matches(value: string, pattern: string, at: number): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    throw new CelError(`error parsing regexp: ${pattern}`, at);
  }
}

function convert(name: string, value: CelValue, at: number): CelValue {
  const shown = 'value' in value ? String(value.value) : '';
  if (name === 'string') {
    return { type: 'string', value: shown };
  }
  if (name === 'double' && shown !== '' && !Number.isNaN(Number(shown))) {
    return { type: 'double', value: Number(shown) };
  }
  if ((name === 'int' || name === 'uint') && /^-?[0-9]+(\.[0-9]+)?$/.test(shown)) {
    const whole = BigInt(shown.replace(/\..*$/, ''));
    if (name === 'int' || whole >= 0n) {
      return { type: name, value: whole };
    }
  }
  if (name === 'bool' && (shown === 'true' || shown === 'false')) {
    return bool(shown === 'true');
  }
  throw new CelError(`type conversion error from '${value.type}' to '${name}'`, at);
}
