import type { Task } from '../../platform/task.ts';
import type { Command } from '../cobra/command.ts';
import { helpCommand, helpText, usageText } from '../cobra/help.ts';
import { parseCommand } from '../cobra/parse.ts';
import type { ToolContext } from '../tools/tool.ts';
import { CommandFailure, NotSimulated, type Runner } from './run.ts';

/** talosctl prints the usage after every error whose text has one of these in it. */
const USAGE_WORDS: readonly string[] = Object.freeze(['arg(s)', 'flag', 'command']);

/** Runs one command line of a tree: usage errors and failures end with code 1, as talosctl does. */
export function* runTree(root: Command<Runner>, words: readonly string[], context: ToolContext): Task<number> {
  const help = helpCommand(root, words);
  if (help !== undefined) {
    (help.isKnown ? context.out : context.err)(help.text);
    return 0;
  }
  const result = parseCommand(root, words);
  const { command, path, specs } = result.error === undefined ? result.parsed : result;
  const fail = (text: string, isRefusal = false): number => {
    context.err(text.endsWith('\n') ? text : `${text}\n`);
    if (!isRefusal && USAGE_WORDS.some((word) => text.includes(word)))
      context.err(`\n${usageText(command, path, specs)}\n`);
    return 1;
  };
  // Only the root complains of a word that names no command; the groups below it print their help.
  if (result.error !== undefined && !(result.isUnknownCommand && command !== root)) return fail(result.error);
  if (result.error !== undefined || result.parsed.help || command.run === undefined) {
    context.out(helpText(command, path, specs));
    return 0;
  }
  try {
    return yield* command.run(result.parsed, context);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return fail(error.message, error instanceof NotSimulated);
  }
}
