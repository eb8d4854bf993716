/** Type check of expressions: what the real compiler refuses at validation is refused here. */
import { CelError, type Expr, formatCelError, type Macro, macroOf } from './ast.ts';
import { CEL_UNITS, type CelEnv, type CelMessage, type CelType } from './env.ts';
import { parseCel } from './parse.ts';

type Found = CelType | CelMessage;

/** Parses and checks an expression that must yield a bool; undefined when it does, else the compiler's message. */
export function booleanProblem(source: string, env: CelEnv): string | undefined {
  try {
    const type = typeOf(parseCel(source), env);
    return type === 'bool' ? undefined : `expression output type is ${shown(type)}, expected bool`;
  } catch (error) {
    if (error instanceof CelError) {
      return formatCelError(error, source);
    }
    throw error;
  }
}

function shown(type: Found): string {
  return typeof type === 'string' ? type : type.name;
}

function typeOf(expr: Expr, env: CelEnv): Found {
  switch (expr.kind) {
    case 'literal':
      return expr.value.type === 'list' || expr.value.type === 'object' ? 'dyn' : expr.value.type;
    case 'ident':
      return identType(expr.name, env, expr.at);
    case 'select':
      return fieldType(typeOf(expr.operand, env), expr.field, expr.at);
    case 'list': {
      const types = expr.items.map((item) => typeOf(item, env));
      return types.length > 0 && types.every((type) => type === 'string') ? 'list(string)' : 'list(dyn)';
    }
    case 'call':
      return callType(expr, env);
  }
}

function identType(name: string, env: CelEnv, at: number): Found {
  const variable = env.variables[name];
  if (variable !== undefined) {
    return variable;
  }
  if (CEL_UNITS[name] !== undefined) {
    return 'uint';
  }
  throw new CelError(`undeclared reference to '${name}' (in container '')`, at);
}

function fieldType(operand: Found, field: string, at: number): CelType {
  if (operand === 'dyn') {
    return 'dyn';
  }
  if (typeof operand === 'string') {
    throw new CelError(`type '${operand}' does not support field selection`, at);
  }
  const found = operand.fields[field];
  if (found === undefined) {
    throw new CelError(`undefined field '${field}'`, at);
  }
  return found;
}

/** Type of a macro: its body is a condition on each element of the list. */
function macroType(expr: Extract<Expr, { kind: 'call' }>, macro: Macro, env: CelEnv): CelType {
  const range = typeOf(macro.range, env);
  if (range !== 'list(string)' && range !== 'list(dyn)' && range !== 'dyn') {
    throw new CelError(`expression of type '${shown(range)}' cannot be range of a comprehension`, expr.at);
  }
  const element: CelType = range === 'list(string)' ? 'string' : 'dyn';
  const body = typeOf(macro.body, { variables: { ...env.variables, [macro.variable]: element } });
  if (body !== 'bool' && body !== 'dyn') {
    throw new CelError(`expected type 'bool' but found '${shown(body)}'`, expr.at);
  }
  return macro.name === 'filter' ? (range as CelType) : 'bool';
}

const NUMERIC: readonly Found[] = Object.freeze(['int', 'uint', 'double']);

/** Result type per overload: argument types joined by commas; `T` stands for one and the same type. */
function callType(expr: Extract<Expr, { kind: 'call' }>, env: CelEnv): CelType {
  const macro = macroOf(expr);
  if (macro !== undefined) {
    return macroType(expr, macro, env);
  }
  const target = expr.target === undefined ? [] : [typeOf(expr.target, env)];
  const types = [...target, ...expr.args.map((arg) => typeOf(arg, env))];
  const result = overload(expr.name, types, expr.target !== undefined);
  if (result === 'undeclared') {
    throw new CelError(`undeclared reference to '${expr.name}' (in container '')`, expr.at);
  }
  if (result === undefined) {
    const list = types.map(shown);
    const applied = expr.target === undefined ? `(${list.join(', ')})` : `${list[0]}.(${list.slice(1).join(', ')})`;
    throw new CelError(`found no matching overload for '${expr.name}' applied to '${applied}'`, expr.at);
  }
  return result;
}

function overload(name: string, types: readonly Found[], member: boolean): CelType | 'undeclared' | undefined {
  const [first, second, third] = types;
  const agree = first === second || first === 'dyn' || second === 'dyn';
  const dynamic = types.some((type) => type === 'dyn');
  switch (name) {
    case '_&&_':
    case '_||_':
      return [first, second].every((type) => type === 'bool' || type === 'dyn') ? 'bool' : undefined;
    case '!_':
      return first === 'bool' || first === 'dyn' ? 'bool' : undefined;
    case '-_':
      return first === 'int' || first === 'double' ? first : undefined;
    case '_==_':
    case '_!=_':
      return agree ? 'bool' : undefined;
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return agree && (isNumeric(first) || first === 'string' || first === 'bool' || dynamic) ? 'bool' : undefined;
    case '_+_':
      return agree && (isNumeric(first) || first === 'string') ? (first as CelType) : dynamic ? 'dyn' : undefined;
    case '_-_':
    case '_*_':
    case '_/_':
    case '_%_':
      return agree && isNumeric(first) && !(name === '_%_' && first === 'double') ? (first as CelType) : undefined;
    case '_?_:_':
      return first === 'bool' && second === third ? (second as CelType) : undefined;
    case '_[_]':
      return first === 'list(string)' && second === 'int' ? 'string' : first === 'list(dyn)' ? 'dyn' : undefined;
    case '@in':
      return (second === 'list(string)' && first === 'string') || second === 'list(dyn)' ? 'bool' : undefined;
    default:
      return functionType(name, types, member);
  }
}

function isNumeric(type: Found | undefined): boolean {
  return type !== undefined && NUMERIC.includes(type);
}

const STRING_TESTS: readonly string[] = Object.freeze(['startsWith', 'endsWith', 'contains', 'matches']);

function functionType(name: string, types: readonly Found[], member: boolean): CelType | 'undeclared' | undefined {
  const strings = types.every((type) => type === 'string');
  if (member && STRING_TESTS.includes(name)) {
    return strings && types.length === 2 ? 'bool' : undefined;
  }
  if (member && (name === 'lowerAscii' || name === 'upperAscii')) {
    return strings && types.length === 1 ? 'string' : undefined;
  }
  if (name === 'glob' && !member) {
    return strings && types.length === 2 ? 'bool' : undefined;
  }
  if (name === 'size') {
    const sized = types[0] === 'string' || types[0] === 'list(string)' || types[0] === 'list(dyn)';
    return types.length === 1 && sized ? 'int' : undefined;
  }
  if (!member && ['int', 'uint', 'double', 'string', 'bool'].includes(name)) {
    return types.length === 1 && typeof types[0] === 'string' ? (name as CelType) : undefined;
  }
  return 'undeclared';
}
