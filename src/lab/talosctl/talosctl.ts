import type { Task } from '../../platform/task.ts';
import { usageText } from '../cobra/help.ts';
import { parseCommand } from '../cobra/parse.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { unsupportedReason } from './commands/unsupported.ts';
import { CommandFailure } from './run.ts';
import { talosctlTree } from './tree.ts';

/** talosctl on the operator's workstation: same lines, same text, same exit codes. */
export const talosctl: Tool = {
  name: 'talosctl',
  problem(words) {
    const result = parseCommand(talosctlTree, words);
    if (result.error !== undefined) return `talosctl: ${result.error.trimEnd()}`;
    const [, name = ''] = result.parsed.path.split(' ');
    const reason = unsupportedReason(name);
    return reason === undefined ? undefined : `talosctl ${name} is not simulated: ${reason}`;
  },
  run,
};

function* run(words: readonly string[], context: ToolContext): Task<number> {
  const result = parseCommand(talosctlTree, words);
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
