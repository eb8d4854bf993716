import { parseDurationUs } from '../../../platform/text/duration.ts';
import { FLAGS, type FlagSpec } from './flag-table.ts';
import { parseUrls } from './urls.ts';

/** A command line as it was given, before it is checked as a whole. */
export interface ParsedFlags {
  readonly values: Readonly<Record<string, string>>;
  /** Names that were set by flag or environment. */
  readonly given: ReadonlySet<string>;
  /** Variables of the environment that set a flag. */
  readonly variables: readonly string[];
}

/** Why etcd would not start, with its exit code and what it prints on standard error. */
export interface Refusal {
  readonly exitCode: number;
  readonly lines: readonly string[];
}

const USAGE: readonly string[] = Object.freeze([
  'Usage:',
  '',
  '  etcd [flags]',
  '    Start an etcd server.',
  '',
  '  etcd --version',
  '    Show the version of etcd.',
  '',
  '  etcd -h | --help',
  '    Show the help information about etcd.',
]);

function usageError(text: string): Refusal {
  return { exitCode: 2, lines: [text, ...USAGE] };
}

/** Reads a command line as Go's flag package does, then the environment for what it left open. */
export function parseFlags(args: readonly string[], env: Readonly<Record<string, string>>): ParsedFlags | Refusal {
  const values: Record<string, string> = {};
  for (const name of Object.keys(FLAGS)) values[name] = FLAGS[name]!.initial;
  const given = new Set<string>();
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i]!;
    if (arg.length < 2 || arg[0] !== '-') break;
    if (arg === '--') {
      i++;
      break;
    }
    const name = arg.replace(/^--?/, '').split('=', 1)[0]!;
    if (name === '' || name.startsWith('-')) return usageError(`bad flag syntax: ${arg}`);
    if (name === 'h' || name === 'help') return { exitCode: 0, lines: USAGE };
    const spec = FLAGS[name];
    if (spec === undefined) return usageError(`flag provided but not defined: -${name}`);
    const cut = arg.indexOf('=');
    let value = cut < 0 ? null : arg.slice(cut + 1);
    if (value === null && spec.kind === 'bool') value = 'true';
    if (value === null) {
      i++;
      if (i >= args.length) return usageError(`flag needs an argument: -${name}`);
      value = args[i]!;
    }
    const wrong = checkValue(name, spec, value);
    if (wrong !== null) return usageError(wrong);
    values[name] = value;
    given.add(name);
  }
  if (i < args.length)
    return { exitCode: 1, lines: [`error verifying flags, "${args[i]}" is not a valid flag. See 'etcd --help'.`] };
  return withEnvironment(values, given, env);
}

function withEnvironment(
  values: Record<string, string>,
  given: Set<string>,
  env: Readonly<Record<string, string>>,
): ParsedFlags | Refusal {
  const variables: string[] = [];
  for (const name of Object.keys(FLAGS)) {
    const variable = `ETCD_${name.replaceAll('-', '_').toUpperCase()}`;
    const value = env[variable];
    if (value === undefined || value === '' || given.has(name)) continue;
    if (checkValue(name, FLAGS[name]!, value) !== null) {
      return { exitCode: 1, lines: [`invalid value "${value}" for ${variable}`] };
    }
    values[name] = value;
    given.add(name);
    variables.push(variable);
  }
  return { values, given, variables };
}

/** Go's words for a value that a flag cannot take; null when it can. */
function checkValue(name: string, spec: FlagSpec, value: string): string | null {
  if (spec.kind === 'bool') {
    return parseBool(value) === null ? `invalid boolean value "${value}" for -${name}: parse error` : null;
  }
  const bad = (why: string): string => `invalid value "${value}" for flag -${name}: ${why}`;
  if (spec.kind === 'uint' && !/^\d+$/.test(value)) return bad('parse error');
  if (spec.kind === 'int' && !/^[+-]?\d+$/.test(value)) return bad('parse error');
  if (spec.kind === 'duration' && parseDurationUs(value) === undefined) return bad('parse error');
  if (spec.kind !== 'urls' || value === '') return null;
  const urls = parseUrls(value);
  return typeof urls === 'string' ? bad(urls) : null;
}

/** Go's spellings of true and false. */
export function parseBool(text: string): boolean | null {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : null;
}
