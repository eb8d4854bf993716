import type { Task } from '../../platform/task.ts';
import type { ParsedCommand } from '../cobra/command.ts';
import type { ToolContext } from '../tools/tool.ts';

/** A failed command: the text after which talosctl exits with code 1. */
export class CommandFailure extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'CommandFailure';
  }
}

/** What the real tool would do and this one refuses: there is no usage that would help. */
export class NotSimulated extends CommandFailure {}

/** Runs a command whose line was accepted. */
export type Runner = (parsed: ParsedCommand<Runner>, context: ToolContext) => Task<number>;
