import { goQuote } from '../../../platform/text/quote.ts';
import { FLAGS } from './flag-table.ts';
import { type Refusal, unfit } from './refusal.ts';
import { valueProblem } from './values.ts';

/** A command line as it was given, before it is checked as a whole. */
export interface ParsedFlags {
  readonly values: Readonly<Record<string, string>>;
  /** Names that were set by flag or environment. */
  readonly given: ReadonlySet<string>;
  /** Variables of the environment that set a flag. */
  readonly variables: readonly string[];
  /** Variables that look like etcd's and are none, as `NAME=value`. */
  readonly unknownVariables: readonly string[];
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
  return { why: 'usage', exitCode: 2, lines: [text, ...USAGE] };
}

/** Reads a command line as Go's flag package does. The environment comes later: see {@link withEnvironment}. */
export function parseFlags(args: readonly string[]): ParsedFlags | Refusal {
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
    const spec = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (spec === undefined && (name === 'h' || name === 'help')) return { why: 'usage', exitCode: 0, lines: USAGE };
    if (spec === undefined) return usageError(`flag provided but not defined: -${name}`);
    const cut = arg.indexOf('=');
    let value = cut < 0 ? null : arg.slice(cut + 1);
    if (value === null && (spec.kind === 'bool' || spec.kind === 'ignored')) value = 'true';
    if (value === null) {
      i++;
      if (i >= args.length) return usageError(`flag needs an argument: -${name}`);
      value = args[i]!;
    }
    const wrong = valueProblem(spec, value);
    if (wrong !== null) {
      const what = spec.kind === 'bool' ? 'boolean value' : 'value';
      const where = spec.kind === 'bool' ? '' : 'flag ';
      return usageError(`invalid ${what} ${goQuote(value)} for ${where}-${name}: ${wrong}`);
    }
    values[name] = value;
    given.add(name);
  }
  if (i < args.length) return unfit(`${goQuote(args[i]!)} is not a valid flag`);
  return { values, given, variables: [], unknownVariables: [] };
}

/** Fills in what the command line left open. A variable beside a flag of the same name is refused. */
export function withEnvironment(flags: ParsedFlags, env: Readonly<Record<string, string>>): ParsedFlags | Refusal {
  const values = { ...flags.values };
  const given = new Set(flags.given);
  const variables: string[] = [];
  let wrong: string | undefined;
  for (const name of Object.keys(FLAGS).sort()) {
    const variable = variableOf(name);
    const value = env[variable] ?? '';
    if (value === '' || flags.given.has(name) || name === 'version') continue;
    variables.push(variable);
    const problem = valueProblem(FLAGS[name]!, value);
    if (problem !== null) {
      wrong = `invalid value ${goQuote(value)} for ${variable}: ${problem}`;
      continue;
    }
    values[name] = value;
    given.add(name);
  }
  const unknownVariables: string[] = [];
  const byFlag = new Set([...flags.given].map(variableOf));
  for (const variable of Object.keys(env)) {
    if (variables.includes(variable)) continue;
    if (byFlag.has(variable)) return { why: 'shadowed', exitCode: 1, variable };
    if (variable.startsWith('ETCD_')) unknownVariables.push(`${variable}=${env[variable]}`);
  }
  return wrong === undefined ? { values, given, variables, unknownVariables } : unfit(wrong);
}

function variableOf(name: string): string {
  return `ETCD_${name.replaceAll('-', '_').toUpperCase()}`;
}
