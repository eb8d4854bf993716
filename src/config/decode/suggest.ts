/** Hints for unknown keys: a newer release, another case, a likely typo. */

import { goQuote } from '../../platform/text/quote.ts';
import { fieldsIn } from '../schema/registry.ts';
import type { StructSpec } from '../schema/types.ts';

/** What the writer probably meant, or an empty text. */
export function suggestField(spec: StructSpec, name: string, minor: number): string {
  const known = spec.byName[name];
  if (known !== undefined && known.since > minor) {
    return `known from v1.${known.since} on`;
  }
  const names = fieldsIn(spec, minor).map((field) => field.name);
  const match = closest(name, names);
  return match === undefined ? '' : `did you mean ${goQuote(match)}?`;
}

/** The candidate within two edits of the word (or equal but for case), if any. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 60) {
    return undefined;
  }
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = word.length < 4 ? 2 : 3;
  for (const candidate of candidates) {
    const distance = candidate.toLowerCase() === lower ? 0 : editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) {
    return 3;
  }
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change));
    }
    previous = row;
  }
  return previous[b.length]!;
}
