/** Order of map keys in yaml.v3: letters by code point, digit runs by number, other characters before letters. */

/** Negative when `a` comes first. */
export function compareKeys(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return comesFirst([...a], [...b]) ? -1 : 1;
}

const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;

function comesFirst(a: readonly string[], b: readonly string[]): boolean {
  let digits = false;
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const left = a[i]!;
    const right = b[i]!;
    if (left === right) {
      digits = DIGIT.test(left);
      continue;
    }
    const leftLetter = LETTER.test(left);
    const rightLetter = LETTER.test(right);
    if (leftLetter && rightLetter) {
      return left < right;
    }
    if (leftLetter || rightLetter) {
      return digits ? leftLetter : rightLetter;
    }
    return numberFirst(a, b, i);
  }
  return a.length < b.length;
}

function numberFirst(a: readonly string[], b: readonly string[], at: number): boolean {
  let start = 0;
  if (a[at] === '0' || b[at] === '0') {
    for (let j = at - 1; j >= 0 && DIGIT.test(a[j]!); j -= 1) {
      if (a[j] !== '0') {
        start = 1;
        break;
      }
    }
  }
  const [leftValue, leftEnd] = digitRun(a, at, start);
  const [rightValue, rightEnd] = digitRun(b, at, start);
  if (leftValue !== rightValue) {
    return leftValue < rightValue;
  }
  return leftEnd === rightEnd ? a[at]! < b[at]! : leftEnd < rightEnd;
}

function digitRun(text: readonly string[], from: number, start: number): readonly [value: number, end: number] {
  let value = start;
  let at = from;
  for (; at < text.length && DIGIT.test(text[at]!); at += 1) {
    value = value * 10 + (text[at]!.codePointAt(0)! - 48);
  }
  return [value, at];
}
