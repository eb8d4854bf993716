import { invariant } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';

/**
 * An integer distribution as data: the inverse of its cumulative function at a few points, straight lines in between.
 * Each point says: `atPpm` millionths of all draws are at most `value`. The first is at 0, the last at 1,000,000.
 */
export interface Distribution {
  readonly points: readonly (readonly [atPpm: number, value: number])[];
}

const PARTS = 1_000_000;

/** Square roots of i/16 in millionths: enough for the flanks of a triangle. */
const ROOTS: readonly number[] = Object.freeze([
  0, 250_000, 353_553, 433_013, 500_000, 559_017, 612_372, 661_438, 707_107, 750_000, 790_569, 829_156, 866_025,
  901_388, 935_414, 968_246, 1_000_000,
]);

/** Always the same. */
export function fixed(value: number): Distribution {
  return {
    points: [
      [0, value],
      [PARTS, value],
    ],
  };
}

/** Every integer from `min` to `max` equally likely. */
export function uniform(min: number, max: number): Distribution {
  return {
    points: [
      [0, min],
      [PARTS, max],
    ],
  };
}

/** Most likely `mode`, falling off in straight lines to `min` and `max`. */
export function triangular(min: number, mode: number, max: number): Distribution {
  invariant(min <= mode && mode <= max && min < max, `triangle ${min} ${mode} ${max}`);
  const modePpm = Math.floor(((mode - min) * PARTS) / (max - min));
  const points: [number, number][] = [];
  for (let i = 0; i <= 16; i++) {
    points.push([Math.floor((modePpm * i) / 16), min + Math.floor(((mode - min) * ROOTS[i]!) / PARTS)]);
  }
  for (let i = 15; i >= 0; i--) {
    points.push([
      PARTS - Math.floor(((PARTS - modePpm) * i) / 16),
      max - Math.floor(((max - mode) * ROOTS[i]!) / PARTS),
    ]);
  }
  return { points };
}

/** Half of the draws between `min` and `median`, then a tail: 99 % up to `p99`, the rest up to `max`. */
export function longTail(min: number, median: number, p99: number, max: number): Distribution {
  return {
    points: [
      [0, min],
      [500_000, median],
      [900_000, median + Math.floor((p99 - median) / 3)],
      [990_000, p99],
      [PARTS, max],
    ],
  };
}

/** Draws one value. A distribution that has only one value draws nothing from the stream. */
export function draw(distribution: Distribution, random: Random): number {
  const points = distribution.points;
  const first = points[0]!;
  const last = points[points.length - 1]!;
  if (first[1] === last[1]) return first[1];
  if (points.length === 2) return random.int(first[1], last[1]);
  const ppm = random.int(0, PARTS - 1);
  let i = 1;
  while (points[i]![0] <= ppm && i < points.length - 1) i++;
  const [fromPpm, from] = points[i - 1]!;
  const [toPpm, to] = points[i]!;
  if (toPpm <= fromPpm) return to;
  return from + Math.floor(((to - from) * (ppm - fromPpm)) / (toPpm - fromPpm));
}

/** Smallest and largest value that can be drawn. */
export function rangeOf(distribution: Distribution): { readonly min: number; readonly max: number } {
  return { min: distribution.points[0]![1], max: distribution.points[distribution.points.length - 1]![1] };
}

/** Checks a distribution that came from outside; returns what is wrong with it. */
export function problemOf(distribution: Distribution): string | undefined {
  const points = distribution.points;
  if (points.length < 2) return 'needs at least two points';
  if (points[0]![0] !== 0 || points[points.length - 1]![0] !== PARTS) return 'must go from 0 to 1000000 millionths';
  for (let i = 0; i < points.length; i++) {
    const [ppm, value] = points[i]!;
    if (!Number.isSafeInteger(ppm) || !Number.isSafeInteger(value)) return `point ${i} is not made of integers`;
    const before = points[i - 1];
    if (before !== undefined && (ppm < before[0] || value < before[1])) return `point ${i} goes down`;
  }
  return undefined;
}
