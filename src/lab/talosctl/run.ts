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

/** Runs a command whose line was accepted. */
export type Runner = (parsed: ParsedCommand<Runner>, context: ToolContext) => Task<number>;
