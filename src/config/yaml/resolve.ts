/**
 * Scalar resolution of Go's yaml.v3, which lies between YAML 1.1 and 1.2: yes/no stay strings until a bool field
 * asks for them, `0644` and `0o644` are both octal, `_` separates digits, sexagesimal numbers are strings
 * (issue: "Go-style YAML scalars where they differ from YAML 1.2").
 */
import type { ScalarNode, ScalarTag } from './node.ts';

export type Resolved = Pick<ScalarNode, 'tag' | 'value'>;

const WORDS: Readonly<Record<string, Resolved>> = Object.freeze(
  Object.assign(Object.create(null), {
    '': { tag: 'null', value: null },
    '~': { tag: 'null', value: null },
    null: { tag: 'null', value: null },
    Null: { tag: 'null', value: null },
    NULL: { tag: 'null', value: null },
    true: { tag: 'bool', value: true },
    True: { tag: 'bool', value: true },
    TRUE: { tag: 'bool', value: true },
    false: { tag: 'bool', value: false },
    False: { tag: 'bool', value: false },
    FALSE: { tag: 'bool', value: false },
    '.nan': { tag: 'float', value: Number.NaN },
    '.NaN': { tag: 'float', value: Number.NaN },
    '.NAN': { tag: 'float', value: Number.NaN },
    '.inf': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '.Inf': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '.INF': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '+.inf': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '+.Inf': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '+.INF': { tag: 'float', value: Number.POSITIVE_INFINITY },
    '-.inf': { tag: 'float', value: Number.NEGATIVE_INFINITY },
    '-.Inf': { tag: 'float', value: Number.NEGATIVE_INFINITY },
    '-.INF': { tag: 'float', value: Number.NEGATIVE_INFINITY },
    '<<': { tag: 'merge', value: '<<' },
  }),
);

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const DECIMAL = /^[-+]?(0|[1-9][0-9]*)$/;
const PREFIXED = /^([-+]?)0(?:([xX])([0-9a-fA-F]+)|([bB])([01]+)|[oO]?([0-7]+))$/;
const TIMESTAMP =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ ])[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[ ]?[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?$/;

const MAX_UINT64 = 18446744073709551615n;
const MIN_INT64 = -9223372036854775808n;

/** Resolves an unquoted, untagged scalar. */
export function resolvePlain(text: string): Resolved {
  const word = WORDS[text];
  if (word !== undefined) {
    return word;
  }
  const first = text.charCodeAt(0);
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!numeric) {
    return { tag: 'str', value: text };
  }
  if (first !== 46 && TIMESTAMP.test(text) && isCalendarDate(text)) {
    return { tag: 'timestamp', value: text };
  }
  return resolveNumber(text) ?? { tag: 'str', value: text };
}

function resolveNumber(text: string): Resolved | undefined {
  const plain = text.charCodeAt(0) === 46 ? text : text.replaceAll('_', '');
  const integer = text.charCodeAt(0) === 46 ? undefined : parseInteger(plain);
  if (integer !== undefined && integer >= MIN_INT64 && integer <= MAX_UINT64) {
    return { tag: 'int', value: compact(integer) };
  }
  if (FLOAT.test(plain)) {
    const value = Number(plain);
    return Number.isFinite(value) ? { tag: 'float', value } : undefined;
  }
  return undefined;
}

/** Integer text as Go's `strconv.ParseInt(text, 0, 64)` reads it, without its range check. */
export function parseInteger(text: string): bigint | undefined {
  if (DECIMAL.test(text)) {
    return BigInt(text.startsWith('+') ? text.slice(1) : text);
  }
  const match = PREFIXED.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign, hex, hexDigits, binary, binaryDigits, octalDigits] = match;
  const magnitude =
    hex !== undefined
      ? BigInt(`0x${hexDigits}`)
      : binary !== undefined
        ? BigInt(`0b${binaryDigits}`)
        : BigInt(`0o${octalDigits}`);
  return sign === '-' ? -magnitude : magnitude;
}

/** A number where it is exact, a bigint beyond. */
export function compact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function isCalendarDate(text: string): boolean {
  const [year, month, day] = text.split(/[^0-9]/, 3).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) {
    return false;
  }
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= days[month - 1]!;
}

/** Resolves a scalar with an explicit tag, or says that the text does not fit the tag. */
export function resolveTagged(tag: string, text: string): Resolved | undefined {
  const short = tag.startsWith('tag:yaml.org,2002:') ? tag.slice('tag:yaml.org,2002:'.length) : undefined;
  switch (short) {
    case 'str':
      return { tag: 'str', value: text };
    case 'binary':
      return { tag: 'binary', value: text };
    case 'int':
    case 'float':
    case 'bool':
    case 'null':
    case 'timestamp':
      return resolveAs(short, text);
    case 'merge':
      return { tag: 'merge', value: text };
    default:
      return { tag: 'custom', value: text };
  }
}

function resolveAs(tag: ScalarTag, text: string): Resolved | undefined {
  const plain = resolvePlain(text);
  if (plain.tag === tag) {
    return plain;
  }
  if (tag === 'float' && plain.tag === 'int') {
    return { tag: 'float', value: Number(plain.value) };
  }
  return undefined;
}
