import { parseCommand } from '../cobra/parse.ts';
import type { Tool } from '../tools/tool.ts';
import { unsupportedReason } from './commands/unsupported.ts';
import { runTree } from './run-tree.ts';
import { talosctlTree } from './tree.ts';

/** talosctl on the operator's workstation: same lines, same text, same exit codes. */
export const talosctl: Tool = {
  name: 'talosctl',
  problem(words) {
    if (words[0] === 'help') return undefined;
    const result = parseCommand(talosctlTree, words);
    if (result.error !== undefined) return `talosctl: ${result.error.trimEnd()}`;
    const [, name = ''] = result.parsed.path.split(' ');
    const reason = unsupportedReason(name);
    return reason === undefined ? undefined : `talosctl ${name} is not simulated: ${reason}`;
  },
  run: (words, context) => runTree(talosctlTree, words, context),
};
