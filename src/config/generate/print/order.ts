/** Order of map keys in Go's YAML encoders: numbers inside keys count as numbers, letters come after other characters. */

/** Compares two keys; negative when `a` comes first. */
export function compareKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  let afterDigit = false;
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const x = left[i]!;
    const y = right[i]!;
    if (x === y) {
      afterDigit = isDigit(x);
      continue;
    }
    const xLetter = isLetter(x);
    const yLetter = isLetter(y);
    if (xLetter && yLetter) return codeOf(x) - codeOf(y);
    if (xLetter || yLetter) return xLetter === afterDigit ? -1 : 1;
    return compareNumbers(left, right, i);
  }
  return left.length - right.length;
}

/** Compares the numbers that start at `start`, or the characters there when there are none. */
function compareNumbers(left: readonly string[], right: readonly string[], start: number): number {
  const carry = (left[start] === '0' || right[start] === '0') && nonZeroDigitBefore(left, start) ? 1 : 0;
  const x = readNumber(left, start, carry);
  const y = readNumber(right, start, carry);
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  if (x.end !== y.end) return x.end - y.end;
  return codeOf(left[start]!) - codeOf(right[start]!);
}

function nonZeroDigitBefore(key: readonly string[], start: number): boolean {
  for (let i = start - 1; i >= 0 && isDigit(key[i]!); i--) if (key[i] !== '0') return true;
  return false;
}

function readNumber(key: readonly string[], start: number, carry: number): { value: bigint; end: number } {
  let value = BigInt(carry);
  let end = start;
  while (end < key.length && isDigit(key[end]!)) value = value * 10n + BigInt(codeOf(key[end++]!) - 48);
  return { value, end };
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
}
