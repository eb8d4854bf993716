/** Functions and operators of the language with the types that they take: its standard library, and Talos' own two. */
import type { CelType } from './env.ts';
import { agree, elementOf, entryOf, isAny, moreGeneral } from './types.ts';

interface Overload {
  /** Called as `target.name(…)`; the target is then the first of the types. */
  readonly member: boolean;
  /** Types; `A` and `B` stand for any. */
  readonly args: readonly CelType[];
  readonly result: CelType;
}

const each = (words: string, row: (word: string) => string): string[] => words.split(' ').map(row);

const COMPARED = each('bool int uint double string bytes timestamp duration', (type) => `${type} ${type} : bool`);
const PRODUCTS = each('int uint double', (type) => `${type} ${type} : ${type}`);
const SIZED = Object.freeze(['string', 'bytes', 'list(A)', 'map(A,B)']);
const TEXT_TEST = Object.freeze(['. string string : bool']);
const OF_DATE = Object.freeze(['. timestamp : int', '. timestamp string : int']);
const OF_TIME = Object.freeze([...OF_DATE, '. duration : int']);

/** Types that are taken and, behind the colon, what comes of it; a dot first makes it a function of its first type. */
const TABLE: Readonly<Record<string, readonly string[]>> = Object.freeze({
  '!_': ['bool : bool'],
  '-_': ['int : int', 'double : double'],
  '_?_:_': ['bool A A : A'],
  '_==_': ['A A : bool'],
  '_!=_': ['A A : bool'],
  '_<_': COMPARED,
  '_<=_': COMPARED,
  '_>_': COMPARED,
  '_>=_': COMPARED,
  '_+_': [
    ...each('int uint double string bytes list(A) duration', (type) => `${type} ${type} : ${type}`),
    'duration timestamp : timestamp',
    'timestamp duration : timestamp',
  ],
  '_-_': [
    ...PRODUCTS,
    'duration duration : duration',
    'timestamp timestamp : duration',
    'timestamp duration : timestamp',
  ],
  '_*_': PRODUCTS,
  '_/_': PRODUCTS,
  '_%_': PRODUCTS.slice(0, 2),
  '@in': ['A list(A) : bool', 'A map(A,B) : bool'],
  '_[_]': ['list(A) int : A', 'map(A,B) A : B'],
  size: SIZED.flatMap((type) => [`${type} : int`, `. ${type} : int`]),
  matches: ['string string : bool', ...TEXT_TEST],
  contains: TEXT_TEST,
  startsWith: TEXT_TEST,
  endsWith: TEXT_TEST,
  bool: each('bool string', (type) => `${type} : bool`),
  bytes: each('bytes string', (type) => `${type} : bytes`),
  double: each('double int string uint', (type) => `${type} : double`),
  duration: each('duration int string', (type) => `${type} : duration`),
  dyn: ['A : dyn'],
  int: each('int double duration string timestamp uint', (type) => `${type} : int`),
  string: each('string bool bytes double duration int timestamp uint', (type) => `${type} : string`),
  timestamp: each('timestamp int string', (type) => `${type} : timestamp`),
  uint: each('uint double int string', (type) => `${type} : uint`),
  type: ['A : type(A)'],
  getFullYear: OF_DATE,
  getMonth: OF_DATE,
  getDayOfYear: OF_DATE,
  getDayOfMonth: OF_DATE,
  getDate: OF_DATE,
  getDayOfWeek: OF_DATE,
  getHours: OF_TIME,
  getMinutes: OF_TIME,
  getSeconds: OF_TIME,
  getMilliseconds: OF_TIME,
  glob: ['string string : bool'],
  mac: ['bytes : string'],
});

function overloadOf(row: string): Overload {
  const [left = '', result = ''] = row.split(' : ');
  const member = left.startsWith('. ');
  const args = (member ? left.slice(2) : left).split(' ').map((type) => type.replace(',', ', '));
  return { member, args, result };
}

const NAMES_OF_TYPES = Object.freeze([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
]);

/** The type of a name that stands for a type; undefined for others. */
export function typeNamed(name: string): CelType | undefined {
  if (!NAMES_OF_TYPES.includes(name)) {
    return undefined;
  }
  return `type(${{ list: 'list(dyn)', map: 'map(dyn, dyn)', null_type: 'null', type: 'type' }[name] ?? name})`;
}

/** What a call yields: undefined when no overload takes these types, `undeclared` when there is no such function. */
export function callResult(
  name: string,
  types: readonly CelType[],
  member: boolean,
): CelType | 'undeclared' | undefined {
  const rows = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (rows === undefined) {
    return 'undeclared';
  }
  const results = rows
    .map(overloadOf)
    .filter((overload) => overload.member === member && overload.args.length === types.length)
    .map((overload) => resultOf(overload, types))
    .filter((result) => result !== undefined);
  return results.length > 1 && results.some((result) => result !== results[0]) ? 'dyn' : results[0];
}

function resultOf({ args, result }: Overload, types: readonly CelType[]): CelType | undefined {
  const bound: Record<string, CelType> = {};
  if (!args.every((arg, index) => accepts(arg, types[index]!, bound))) {
    return undefined;
  }
  return result.replace(/\b[AB]\b/, (name) => bound[name] ?? 'dyn');
}

/** Whether a type fits a parameter; what `A` and `B` stand for is found on the way. */
function accepts(parameter: CelType, type: CelType, bound: Record<string, CelType>): boolean {
  if (parameter === 'A' || parameter === 'B') {
    const known = bound[parameter];
    if (known !== undefined && !agree(known, type)) {
      return false;
    }
    bound[parameter] = known === undefined || known === 'error' ? type : moreGeneral(known, type);
    return true;
  }
  if (isAny(type)) {
    return true;
  }
  const [item, ofItem] = [elementOf(type), elementOf(parameter)];
  if (ofItem !== undefined) {
    return item !== undefined && accepts(ofItem, item, bound);
  }
  const [entry, ofEntry] = [entryOf(type), entryOf(parameter)];
  if (ofEntry !== undefined) {
    return entry !== undefined && accepts(ofEntry[0], entry[0], bound) && accepts(ofEntry[1], entry[1], bound);
  }
  return agree(parameter, type);
}
