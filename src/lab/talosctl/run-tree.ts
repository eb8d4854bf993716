import type { Task } from '../../platform/task.ts';
import type { Command } from '../cobra/command.ts';
import { usageText } from '../cobra/help.ts';
import { parseCommand } from '../cobra/parse.ts';
import type { ToolContext } from '../tools/tool.ts';
import { CommandFailure, type Runner } from './run.ts';

/** Runs one command line of a tree: usage errors and failures end with code 1, as talosctl does. */
export function* runTree(root: Command<Runner>, words: readonly string[], context: ToolContext): Task<number> {
  const result = parseCommand(root, words);
  if (result.error !== undefined) {
    context.err(`${result.error}\n\n`);
    return 1;
  }
  const { parsed } = result;
  const inherited = parsed.specs.filter(
    (spec) => parsed.command.flags?.includes(spec) !== true && spec.name !== 'help',
  );
  if (parsed.help || parsed.command.run === undefined) {
    context.out(`${parsed.command.short}\n\n${usageText(parsed.command, parsed.path, inherited)}`);
    return 0;
  }
  try {
    return yield* parsed.command.run(parsed, context);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    context.err(error.message.endsWith('\n') ? error.message : `${error.message}\n`);
    return 1;
  }
}
