import { GROUPS, REFUSED, VERBS } from './commands.ts';
import { CtlExit, ExitCode } from './context.ts';
import type { FlagSpecs } from './flags.ts';
import { GLOBAL_FLAGS } from './globals.ts';
import { helpFlag, type Subject } from './help.ts';
import type { Described, Verb } from './verb.ts';

/** What the words of a line name, and the words without it. */
export interface Found {
  readonly subject: Subject;
  /** Absent of etcdctl itself and of a group: they can only be told of. */
  readonly verb?: Verb;
  readonly rest: readonly string[];
  /** Every flag that may stand on the line. */
  readonly specs: FlagSpecs;
  /** A word that should name a command below a group, and does not: cobra shows the group's help for it. */
  readonly strange?: string;
}

const ROOT: Described = Object.freeze({
  use: '',
  short: 'A simple command line client for etcd3.',
  flags: GLOBAL_FLAGS,
});
const NONE: FlagSpecs = Object.freeze({});

/** Finds the command of a line. CtlExit for one that there is not, or that is refused. */
export function findCommand(words: readonly string[]): Found {
  const first = nextName(words, 0, GLOBAL_FLAGS);
  if (first === undefined)
    return found({ name: '', described: ROOT, inherited: NONE, commands: commandsBelow('') }, words);
  const name = words[first]!;
  const rest = words.toSpliced(first, 1);
  if (REFUSED[name] !== undefined) throw new CtlExit(ExitCode.Error, `etcdctl ${name}: ${REFUSED[name]}`);
  const single = VERBS[name];
  if (single !== undefined) return found(verbSubject(name, single, GLOBAL_FLAGS), rest, single);
  const group = GROUPS[name];
  if (group !== undefined) return findInGroup(name, group, rest, first);
  throw new CtlExit(ExitCode.Error, `unknown command "${name}" for "etcdctl"\nRun 'etcdctl --help' for usage.`);
}

function findInGroup(name: string, group: Described, words: readonly string[], from: number): Found {
  const second = nextName(words, from, { ...GLOBAL_FLAGS, ...group.flags });
  const verbName = `${name} ${second === undefined ? '' : words[second]}`;
  const verb = VERBS[verbName];
  if (verb !== undefined) {
    return found(verbSubject(verbName, verb, { ...GLOBAL_FLAGS, ...group.flags }), words.toSpliced(second!, 1), verb);
  }
  const subject = { name, described: group, inherited: GLOBAL_FLAGS, commands: commandsBelow(`${name} `) };
  const told = found(subject, words);
  return second === undefined ? told : { ...told, strange: words[second]! };
}

function verbSubject(name: string, described: Described, inherited: FlagSpecs): Subject {
  return { name, described, inherited, commands: [] };
}

function found(subject: Subject, rest: readonly string[], verb?: Verb): Found {
  const specs = { ...subject.inherited, ...subject.described.flags, help: helpFlag(subject.name) };
  return verb === undefined ? { subject, rest, specs } : { subject, rest, specs, verb };
}

function commandsBelow(prefix: string): Subject['commands'] {
  return Object.keys(VERBS)
    .filter((name) => name.startsWith(prefix))
    .map((name) => [name.slice(prefix.length), VERBS[name]!.short]);
}

/** Which word is the next that is no flag, nor the value of one. */
function nextName(words: readonly string[], from: number, specs: FlagSpecs): number | undefined {
  for (let i = from; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') return undefined;
    if (!word.startsWith('-')) return i;
    if (takesNextWord(word, specs)) i++;
  }
  return undefined;
}

function takesNextWord(word: string, specs: FlagSpecs): boolean {
  if (word.includes('=')) return false;
  if (word.startsWith('--')) {
    const spec = specs[word.slice(2)];
    return spec !== undefined && spec.kind !== 'bool';
  }
  return Object.values(specs).some(({ short, kind }) => word === `-${short}` && kind !== 'bool');
}
