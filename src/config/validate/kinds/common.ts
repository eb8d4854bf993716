/** What checks of document kinds have in common. */
import { parseDuration } from '../../../platform/text/duration.ts';
import { parseBytes } from '../../../platform/text/humanize.ts';
import { booleanProblem } from '../../cel/check.ts';
import type { CelEnv } from '../../cel/env.ts';
import type { ConfigObject } from '../../schema/types.ts';
import { at, textAt } from '../../view.ts';
import type { DocumentCheck, Report } from '../report.ts';

/** A check that the name is there, in the words of the kind. */
export const named = (message = 'name must be specified'): DocumentCheck => {
  return (value, report) => {
    if (textAt(value, 'name') === '') {
      report(['name'], message);
    }
  };
};

/** Runs one check after the other. */
export function all(...checks: readonly DocumentCheck[]): DocumentCheck {
  return (value, report, minor) => {
    for (const check of checks) {
      check(value, report, minor);
    }
  };
}

/** A check that a field with a text is there. */
export function needs(path: readonly string[], message: string): DocumentCheck {
  return (value, report) => {
    if (textAt(value, ...path) === '') {
      report(path, message);
    }
  };
}

/** Refuses a negative duration; `message` gets its text. */
export function durationNotNegative(
  value: ConfigObject,
  report: Report,
  path: readonly string[],
  message: (text: string) => string,
): void {
  const text = textAt(value, ...path);
  if (durationNs(text) < 0n) {
    report(path, message(text));
  }
}

/** Nanoseconds of a canonical duration; absent is 0. */
export function durationNs(text: string): bigint {
  const parsed = text === '' ? 0n : parseDuration(text);
  return typeof parsed === 'bigint' ? parsed : 0n;
}

const TEN_SECONDS_NS = 10_000_000_000n;

/** Refuses a duration below ten seconds; none is allowed. `shown` is what it is. */
export function atLeastTenSeconds(value: ConfigObject, report: Report, path: readonly string[], shown: string): void {
  const ns = durationNs(textAt(value, ...path));
  if (ns !== 0n && ns < TEN_SECONDS_NS) {
    report(path, `${shown}: minimum value is 10s`);
  }
}

/** Bytes of a size without its sign; 0 for what is none. */
export function sizeBytes(text: string): bigint {
  const bytes = parseBytes(text.replace(/^-/, ''));
  return typeof bytes === 'bigint' ? bytes : 0n;
}

/** True when the field is there, whatever it holds. */
export function isSet(value: ConfigObject, ...keys: readonly string[]): boolean {
  return at(value, ...keys) !== undefined;
}

/** The last of the ports. */
export const MAX_PORT = 65535;

interface SelectorRule {
  readonly env: CelEnv;
  /** Said of an absent selector; without it none is needed. */
  readonly missing?: string | undefined;
  /** What stands before the message of the compiler. */
  readonly invalid: string;
}

/** Refuses a selector that does not compile, or that is absent where one is needed. */
export function checkSelector(
  value: ConfigObject,
  report: Report,
  path: readonly string[],
  { env, missing, invalid }: SelectorRule,
): void {
  const match = textAt(value, ...path);
  const problem = match === '' ? undefined : booleanProblem(match, env);
  if (problem !== undefined) {
    report(path, `${invalid}: ${problem}`);
  } else if (match === '' && missing !== undefined) {
    report(path, missing);
  }
}

interface NameRule {
  /** Absent where the length is free. */
  readonly max?: number | undefined;
  readonly characters: RegExp;
  readonly allowed: string;
}

/** Refuses an empty name, a long one, and one with other characters: each in a message of its own. */
export function checkBoundedName(value: ConfigObject, report: Report, { max, characters, allowed }: NameRule): void {
  const name = textAt(value, 'name');
  if (name === '') {
    report(['name'], 'name is required');
  }
  if (max !== undefined && (name === '' || name.length > max)) {
    report(['name'], `name must be between 1 and ${max} characters long`);
  }
  if (!characters.test(name)) {
    report(['name'], `name can only contain ${allowed}`);
  }
}

/** Rule for volumes that are partitions: the prefix and the name fill a partition label. */
export const VOLUME_NAME: NameRule = Object.freeze({
  max: 34,
  characters: /^[A-Za-z0-9-]*$/,
  allowed: 'lowercase and uppercase ASCII letters, digits, and hyphens',
});
