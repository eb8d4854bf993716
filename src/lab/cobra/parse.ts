import { didYouMean } from '../scenario/problem.ts';
import { type Command, commandName, helpFlag, type ParsedCommand } from './command.ts';
import { type FlagSpec, FlagValues } from './flags.ts';

export type ParseResult<R> = { readonly parsed: ParsedCommand<R>; readonly error?: undefined } | UsageError<R>;

/** A line that does not fit the tree, and the command that it was read as. */
export interface UsageError<R> {
  readonly error: string;
  readonly path: string;
  readonly command: Command<R>;
  readonly specs: readonly FlagSpec[];
  /** A command that only groups others was given a word that names none of them. */
  readonly isUnknownCommand: boolean;
}

/** Parses a command line against a tree with cobra's rules: flags may stand anywhere, `--` ends them. */
export function parseCommand<R>(root: Command<R>, words: readonly string[]): ParseResult<R> {
  const found = findCommand(root, words);
  const { command, path, rest, specs } = found;
  const flags = new FlagValues(specs);
  const args: string[] = [];
  const wrong = (error: string, isUnknownCommand = false): UsageError<R> => ({
    error,
    path,
    command,
    specs,
    isUnknownCommand,
  });
  const complaint = readFlags(rest, specs, flags, args);
  if (complaint !== undefined) return wrong(complaint);
  const parsed = { command, path, args, flags, specs, help: flags.on('help') };
  if (parsed.help) return { parsed };
  const unknown = command.commands !== undefined && args.length > 0 && command.args === undefined;
  if (unknown) return wrong(unknownCommand(command, path, args[0]!), true);
  const argsComplaint = command.args?.(args, path);
  if (argsComplaint !== undefined) return wrong(argsComplaint);
  const missing = specs
    .filter((spec) => spec.required === true && !flags.changed(spec.name))
    .map((spec) => `"${spec.name}"`);
  if (missing.length > 0) return wrong(`required flag(s) ${missing.join(', ')} not set`);
  return { parsed };
}

interface Found<R> {
  readonly command: Command<R>;
  readonly path: string;
  readonly rest: readonly string[];
  readonly specs: readonly FlagSpec[];
}

/** Walks down the tree past flags; a word that names no subcommand stays an argument. */
function findCommand<R>(root: Command<R>, words: readonly string[]): Found<R> {
  let command = root;
  let path = commandName(root);
  let inherited: readonly FlagSpec[] = root.persistentFlags ?? [];
  const rest = [...words];
  let at = 0;
  while (at < rest.length) {
    const word = rest[at]!;
    if (word === '--') break;
    if (word.startsWith('-') && word !== '-') {
      at += takesNextWord(word, [...inherited, ...(command.flags ?? [])]) ? 2 : 1;
      continue;
    }
    const next = command.commands?.find((sub) => commandName(sub) === word || sub.aliases?.includes(word) === true);
    if (next === undefined) break;
    command = next;
    path += ` ${commandName(next)}`;
    inherited = [...inherited, ...(next.persistentFlags ?? [])];
    rest.splice(at, 1);
  }
  return { command, path, rest, specs: [...(command.flags ?? []), ...inherited, helpFlag(command)] };
}

function takesNextWord(word: string, specs: readonly FlagSpec[]): boolean {
  if (word.includes('=')) return false;
  if (word.startsWith('--'))
    return (
      specs.find((spec) => spec.name === word.slice(2))?.type !== 'bool' &&
      specs.some((spec) => spec.name === word.slice(2))
    );
  const last = specs.find((spec) => spec.short === word[word.length - 1]);
  return word.length === 2 && last !== undefined && last.type !== 'bool';
}

function readFlags(
  words: readonly string[],
  specs: readonly FlagSpec[],
  flags: FlagValues,
  args: string[],
): string | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') {
      args.push(...words.slice(i + 1));
      return undefined;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      continue;
    }
    const outcome = word.startsWith('--')
      ? readLong(word, words[i + 1], specs, flags)
      : readShort(word, words[i + 1], specs, flags);
    if (outcome.error !== undefined) return outcome.error;
    if (outcome.usedNext) i++;
  }
  return undefined;
}

interface Outcome {
  readonly error?: string | undefined;
  readonly usedNext: boolean;
}

function readLong(word: string, next: string | undefined, specs: readonly FlagSpec[], flags: FlagValues): Outcome {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
  const spec = specs.find((candidate) => candidate.name === name);
  if (name === '' || name.startsWith('-')) return { error: `bad flag syntax: ${word}`, usedNext: false };
  if (spec === undefined) return { error: `unknown flag: --${name}`, usedNext: false };
  if (equals >= 0) return { error: flags.set(spec, word.slice(equals + 1)), usedNext: false };
  if (spec.type === 'bool') return { error: flags.set(spec, 'true'), usedNext: false };
  if (next === undefined) return { error: `flag needs an argument: --${name}`, usedNext: false };
  return { error: flags.set(spec, next), usedNext: true };
}

function readShort(word: string, next: string | undefined, specs: readonly FlagSpec[], flags: FlagValues): Outcome {
  for (let i = 1; i < word.length; i++) {
    const letter = word[i]!;
    const spec = specs.find((candidate) => candidate.short === letter);
    if (spec === undefined) return { error: `unknown shorthand flag: '${letter}' in ${word}`, usedNext: false };
    const rest = word.slice(i + 1);
    if (rest.startsWith('=')) return { error: flags.set(spec, rest.slice(1)), usedNext: false };
    if (spec.type === 'bool') {
      const error = flags.set(spec, 'true');
      if (error !== undefined) return { error, usedNext: false };
      continue;
    }
    if (rest !== '') return { error: flags.set(spec, rest), usedNext: false };
    if (next === undefined) return { error: `flag needs an argument: '${letter}' in ${word}`, usedNext: false };
    return { error: flags.set(spec, next), usedNext: true };
  }
  return { usedNext: false };
}

function unknownCommand<R>(command: Command<R>, path: string, word: string): string {
  const near = didYouMean(word, command.commands!.filter((sub) => sub.hidden !== true).map(commandName));
  const suggestion = near === undefined ? '' : `\n\nDid you mean this?\n\t${near}\n`;
  return `unknown command "${word}" for "${path}"${suggestion}`;
}
