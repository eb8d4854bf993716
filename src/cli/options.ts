import { InvalidArgumentError } from 'commander';
import { MAX_MACHINES } from '../lab/scenario/cluster-of.ts';
import { parseDurationUs } from '../platform/text/duration.ts';

/** A duration option in microseconds. */
export function durationOption(text: string): number {
  const us = parseDurationUs(text);
  if (us === undefined || us < 0) throw new InvalidArgumentError('write a duration such as 30s, 10m or 1h30m.');
  return us;
}

export function integerOption(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('write a whole number.');
  return Number(text);
}

/** How many machines of a kind: `--control-planes 5`. */
export function machinesOption(least: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < least || count > MAX_MACHINES)
      throw new InvalidArgumentError(`write a number from ${least} to ${MAX_MACHINES}.`);
    return count;
  };
}

/** A whole number above 0. */
export function positiveOption(text: string): number {
  const value = integerOption(text);
  if (value === 0) throw new InvalidArgumentError('write a whole number above 0.');
  return value;
}

/** More would take days, and their list more memory than there is. */
const MAX_SEEDS = 1_000_000;

/** `200` means 1..200; `5..9` and `5-9` a range; both ends included. */
export function seedsOption(text: string): { readonly first: number; readonly last: number } {
  const range = /^(\d+)(?:\.\.|-)(\d+)$/.exec(text) ?? /^()(\d+)$/.exec(text);
  const [first, last] = [integerOption(range?.[1] || '1'), integerOption(range?.[2] ?? '0')];
  if (last < first) throw new InvalidArgumentError('write a number of seeds such as 200, or a range such as 1..200.');
  if (last - first >= MAX_SEEDS) throw new InvalidArgumentError(`at most ${MAX_SEEDS} seeds at a time.`);
  return { first, last };
}
