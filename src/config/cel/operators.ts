/** Values of operators and functions. */
import { utf8SizeBytes } from '../../platform/bytes.ts';
import { CelError, type CelValue, fits } from './ast.ts';
import { globMatch } from './glob.ts';

export function apply(name: string, values: readonly CelValue[], at: number): CelValue {
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
      return bool(itemsOf(b!, at).some((item) => same(a!, item)));
    case '_[_]': {
      const item = a!.type === 'object' ? a!.fields[keyOf(b!, at)] : itemsOf(a!, at)[Number(integer(b!, at))];
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

export function bool(value: boolean): CelValue {
  return { type: 'bool', value };
}

export function truth(value: CelValue, at: number): boolean {
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
  if (a.type === 'object' && b.type === 'object') {
    const [left, right] = [a.fields, b.fields];
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && same(left[key]!, right[key]!))
    );
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
  if (name === '_+_' && (a.type === 'string' || a.type === 'bytes') && a.type === b.type) {
    return { type: a.type, value: a.value + b.value };
  }
  if (name === '_+_' && a.type === 'list' && b.type === 'list') {
    return { type: 'list', items: [...a.items, ...b.items] };
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
  if (!fits(a.type, value)) {
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
    case 'dyn':
      return a!;
    case 'size':
      return { type: 'int', value: BigInt(sizeOf(a!, at)) };
    default:
      return convert(name, a!, at);
  }
}

function sizeOf(value: CelValue, at: number): number {
  switch (value.type) {
    case 'string':
      return [...value.value].length;
    case 'bytes':
      return utf8SizeBytes(value.value);
    default:
      return itemsOf(value, at).length;
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

export function keyOf(key: CelValue, at: number): string {
  if (!('value' in key)) {
    throw new CelError('unsupported key type', at);
  }
  return String(key.value);
}

/** Elements of a list or keys of a map. */
export function itemsOf(range: CelValue, at: number): readonly CelValue[] {
  if (range.type === 'list') {
    return range.items;
  }
  if (range.type === 'object') {
    return Object.keys(range.fields).map((value) => ({ type: 'string', value }));
  }
  throw new CelError('no such overload', at);
}
