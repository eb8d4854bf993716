/** Type check of expressions: what the real compiler refuses at validation is refused here, in its words. */
import { bareName, type CelProblem, type Expr, formatProblems, type Macro, macroOf, macroVariable } from './ast.ts';
import { CEL_UNITS, type CelEnv, type CelType } from './env.ts';
import { callResult, typeNamed } from './functions.ts';
import { parseExpression } from './parse.ts';
import { agree, elementOf, entryOf, isAny, joined, runtimeName } from './types.ts';

type Call = Extract<Expr, { kind: 'call' }>;

/** Parses and checks an expression that must yield a bool; undefined when it does, else the compiler's message. */
export function booleanProblem(source: string, env: CelEnv): string | undefined {
  const parsed = parseExpression(source);
  if ('problems' in parsed) {
    return formatProblems(parsed.problems, source);
  }
  const checker = new Checker(env);
  const type = checker.typeOf(parsed.expr, {});
  if (checker.problems.length > 0) {
    return formatProblems(checker.problems, source);
  }
  return type === 'bool' ? undefined : `expression output type is ${runtimeName(type)}, expected bool`;
}

type Scope = Readonly<Record<string, CelType>>;

class Checker {
  readonly problems: CelProblem[] = [];
  private readonly env: CelEnv;

  constructor(env: CelEnv) {
    this.env = env;
  }

  typeOf(expr: Expr, scope: Scope): CelType {
    switch (expr.kind) {
      case 'literal':
        return expr.value.type;
      case 'ident':
        return this.identType(expr.name, expr.at, scope);
      case 'select':
        return this.fieldType(expr.operand, expr.field, expr.at, scope);
      case 'has':
        this.fieldType(expr.operand, expr.field, expr.at, scope);
        return 'bool';
      case 'list':
        return `list(${joined(expr.items.map((item) => this.typeOf(item, scope)))})`;
      case 'map': {
        const entries = expr.entries.map(
          ([key, value]) => [this.typeOf(key, scope), this.typeOf(value, scope)] as const,
        );
        return `map(${joined(entries.map(([key]) => key))}, ${joined(entries.map(([, value]) => value))})`;
      }
      case 'call':
        return this.callType(expr, scope);
    }
  }

  private report(message: string, at: number): CelType {
    this.problems.push({ message, at });
    return 'error';
  }

  private identType(shownName: string, at: number, scope: Scope): CelType {
    const name = bareName(shownName);
    const variable = Object.hasOwn(scope, name) ? scope[name] : undefined;
    const declared = Object.hasOwn(this.env.variables, name) ? this.env.variables[name] : undefined;
    const unit = this.env.hasUnits && Object.hasOwn(CEL_UNITS, name) ? 'uint' : undefined;
    const type = variable ?? declared ?? unit ?? typeNamed(name);
    return type ?? this.report(`undeclared reference to '${shownName}' (in container '')`, at);
  }

  private fieldType(operand: Expr, field: string, at: number, scope: Scope): CelType {
    const type = this.typeOf(operand, scope);
    if (isAny(type)) {
      return 'dyn';
    }
    const entry = entryOf(type);
    if (entry !== undefined) {
      return entry[1];
    }
    const fields = this.env.messages[type];
    if (fields === undefined) {
      return this.report(`type '${type}' does not support field selection`, at);
    }
    return Object.hasOwn(fields, field) ? fields[field]! : this.report(`undefined field '${field}'`, at);
  }

  private callType(expr: Call, scope: Scope): CelType {
    const macro = macroOf(expr);
    if (macro !== undefined) {
      return this.macroType(expr, macro, scope);
    }
    const types = expr.args.map((arg) => this.typeOf(arg, scope));
    if (expr.name === '_&&_' || expr.name === '_||_') {
      const fine = types.filter((type, index) => this.mustBeBool(type, expr.args[index]!));
      return fine.length === types.length ? 'bool' : 'error';
    }
    const member = expr.target !== undefined;
    const all = expr.target === undefined ? types : [this.typeOf(expr.target, scope), ...types];
    const isForeign = (expr.name === 'glob' || expr.name === 'mac') && !this.env.functions.includes(expr.name);
    const result = isForeign ? 'undeclared' : callResult(expr.name, all, member);
    if (result === 'undeclared') {
      return this.report(`undeclared reference to '${expr.name}' (in container '')`, expr.at);
    }
    return result ?? this.noOverload(expr.name, all, member, expr.at);
  }

  private noOverload(name: string, types: readonly CelType[], member: boolean, at: number): CelType {
    const [first, ...rest] = types.map(shown);
    const applied = member ? `${first}.(${rest.join(', ')})` : `(${[first, ...rest].join(', ')})`;
    return this.report(`found no matching overload for '${name}' applied to '${applied}'`, at);
  }

  private mustBeBool(type: CelType, { at }: Expr): boolean {
    if (agree('bool', type)) {
      return true;
    }
    this.report(`expected type 'bool' but found '${shown(type)}'`, at);
    return false;
  }

  /** Type of a macro: its body looks at each element of a list, or at each key of a map. */
  private macroType(expr: Call, macro: Macro, scope: Scope): CelType {
    const range = this.typeOf(macro.range, scope);
    const element = elementOf(range) ?? entryOf(range)?.[0] ?? (isAny(range) ? 'dyn' : 'error');
    if (element === 'error') {
      const message = `expression of type '${range}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.report(message, macro.range.at);
    }
    const inner = { ...scope, [macroVariable(macro)]: element };
    const condition = macro.condition === undefined ? 'bool' : this.typeOf(macro.condition, inner);
    const body = this.typeOf(macro.body, inner);
    switch (macro.name) {
      case 'exists':
      case 'all':
        this.mustBeBool(body, macro.body);
        return 'bool';
      case 'exists_one':
        this.mustChoose(body, 'int', expr.at);
        return 'bool';
      case 'filter':
        return this.mustChoose(body, `list(${element})`, expr.at);
      case 'map':
        return this.mustChoose(condition, `list(${body})`, expr.at);
    }
  }

  /** Some macros are built of a choice between values of one type, which shows when the condition is none. */
  private mustChoose(condition: CelType, type: CelType, at: number): CelType {
    if (!agree('bool', condition)) {
      this.noOverload('_?_:_', [condition, type, type], false, at);
    }
    return type;
  }
}

function shown(type: CelType): string {
  return type.replaceAll(/\berror\b/g, '!error!');
}
