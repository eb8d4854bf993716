/** Integers as Go's `strconv` reads them. */

/** What a number may be: Go's `int64`, `uint64` or `uint32`. */
export type IntegerKind = 'int' | 'uint' | 'uint32';

export type IntegerProblem = 'invalid syntax' | 'value out of range';

const MIN: Readonly<Record<IntegerKind, bigint>> = Object.freeze({ int: -(1n << 63n), uint: 0n, uint32: 0n });
const MAX: Readonly<Record<IntegerKind, bigint>> = Object.freeze({
  int: (1n << 63n) - 1n,
  uint: (1n << 64n) - 1n,
  uint32: (1n << 32n) - 1n,
});

/** Digits of each base, with single underscores between them or behind the prefix. */
const SPELLINGS: readonly RegExp[] = Object.freeze([
  /^0[xX](?:_?[0-9a-fA-F])+$/,
  /^0[bB](?:_?[01])+$/,
  /^0[oO](?:_?[0-7])+$/,
  /^0(?:_?[0-7])*$/,
  /^[1-9](?:_?[0-9])*$/,
]);

/** A number in the base that its prefix tells (`0x`, `0b`, `0o`, `0`), as flags take it; what is wrong otherwise. */
export function parseInteger(text: string, kind: IntegerKind): bigint | IntegerProblem {
  const sign = kind === 'int' ? /^[+-]/.exec(text)?.[0] : undefined;
  const digits = sign === undefined ? text : text.slice(1);
  if (!SPELLINGS.some((spelling) => spelling.test(digits))) return 'invalid syntax';
  const plain = digits.replaceAll('_', '');
  const magnitude = BigInt(/^0[0-7]+$/.test(plain) ? `0o${plain.slice(1)}` : plain);
  const value = sign === '-' ? -magnitude : magnitude;
  return value < MIN[kind] || value > MAX[kind] ? 'value out of range' : value;
}
