import { parseBool } from '../../platform/text/boolean.ts';
import { parseDuration, parseDurationUs } from '../../platform/text/duration.ts';
import { parseInteger } from '../../platform/text/integer.ts';
import { CtlExit, ExitCode } from './context.ts';

/** A flag as a command declares it: its kind and what it is when not given. */
export interface FlagSpec {
  readonly kind: 'bool' | 'text' | 'list' | 'int' | 'duration';
  readonly initial: string;
  /** What help says of it. */
  readonly usage: string;
  /** One letter that stands for it. */
  readonly short?: string;
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

export function boolFlag(usage: string, initial = false, short?: string): FlagSpec {
  return flag('bool', usage, String(initial), short);
}

export function textFlag(usage: string, initial = '', short?: string): FlagSpec {
  return flag('text', usage, initial, short);
}

/** Texts separated by commas. */
export function listFlag(usage: string, initial: string): FlagSpec {
  return flag('list', usage, initial);
}

export function intFlag(usage: string, initial = 0): FlagSpec {
  return flag('int', usage, String(initial));
}

export function durationFlag(usage: string, initial: string): FlagSpec {
  return flag('duration', usage, initial);
}

function flag(kind: FlagSpec['kind'], usage: string, initial: string, short?: string): FlagSpec {
  return { kind, initial, usage, ...(short === undefined ? {} : { short }) };
}

/** Values of a command's flags. */
export class Flags {
  readonly #values: Readonly<Record<string, string>>;
  readonly given: ReadonlySet<string>;

  constructor(values: Readonly<Record<string, string>>, given: ReadonlySet<string>) {
    this.#values = values;
    this.given = given;
  }

  text(name: string): string {
    return this.#values[name] ?? '';
  }

  bool(name: string): boolean {
    return parseBool(this.#values[name] ?? '') ?? false;
  }

  int(name: string): number {
    return Number(parseInteger(this.#values[name] ?? '0', 'int'));
  }

  /** Microseconds. */
  duration(name: string): number {
    return parseDurationUs(this.#values[name] ?? '0') ?? 0;
  }
}

/** Words of a command line, told apart. */
export interface Words {
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Which argument is the first behind `--`; undefined when there is no `--`. */
  readonly dashAt: number | undefined;
}

/** Splits words into flags and arguments, as pflag does: flags may stand anywhere, `--` ends them. */
export function parseWords(words: readonly string[], specs: FlagSpecs, env: Readonly<Record<string, string>>): Words {
  const values: Record<string, string> = {};
  for (const name of Object.keys(specs)) values[name] = specs[name]!.initial;
  const given = new Set<string>();
  const args: string[] = [];
  let dashAt: number | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') {
      dashAt = args.length;
      args.push(...words.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      continue;
    }
    const cut = word.indexOf('=');
    const name = nameOf(word, cut, specs);
    const spec = specs[name]!;
    let value = cut >= 0 ? word.slice(cut + 1) : undefined;
    if (value === undefined && spec.kind === 'bool') value = 'true';
    if (value === undefined && !word.startsWith('--') && word.length > 2) value = word.slice(2);
    if (value === undefined) {
      i++;
      value = words[i];
      if (value === undefined) throw new CtlExit(ExitCode.Error, `flag needs an argument: ${word}`);
    }
    checkValue(name, spec, value);
    values[name] = value;
    given.add(name);
  }
  for (const name of Object.keys(specs)) {
    const value = env[`ETCDCTL_${name.replaceAll('-', '_').toUpperCase()}`];
    if (value !== undefined && value !== '' && !given.has(name)) values[name] = value;
  }
  return { args, flags: new Flags(values, given), dashAt };
}

function nameOf(word: string, cut: number, specs: FlagSpecs): string {
  if (word.startsWith('--')) {
    const name = word.slice(2, cut < 0 ? undefined : cut);
    if (specs[name] === undefined) throw new CtlExit(ExitCode.Error, `unknown flag: --${name}`);
    return name;
  }
  const letter = word[1]!;
  for (const name of Object.keys(specs)) if (specs[name]!.short === letter) return name;
  throw new CtlExit(ExitCode.Error, `unknown shorthand flag: '${letter}' in ${word}`);
}

function checkValue(name: string, spec: FlagSpec, value: string): void {
  const bad = (why: string): never => {
    throw new CtlExit(ExitCode.Error, `invalid argument "${value}" for "--${name}" flag: ${why}`);
  };
  if (spec.kind === 'bool' && parseBool(value) === null) {
    bad(`strconv.ParseBool: parsing "${value}": invalid syntax`);
  }
  const number = spec.kind === 'int' ? parseInteger(value, 'int') : 0n;
  if (typeof number === 'string') bad(`strconv.ParseInt: parsing "${value}": ${number}`);
  const duration = spec.kind === 'duration' ? parseDuration(value) : 0n;
  if (typeof duration === 'string') bad(duration);
}
