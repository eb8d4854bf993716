import type { FlagSpec, FlagValues } from './flags.ts';

/** Checks positional arguments; returns cobra's complaint. */
export type ArgsRule = (args: readonly string[], path: string) => string | undefined;

/** A node of a command tree, as spf13/cobra has it. `R` is what runs a command. */
export interface Command<R> {
  /** Usage line, the command's name first: `remove-member <member ID>`. */
  readonly use: string;
  readonly short: string;
  readonly aliases?: readonly string[];
  readonly flags?: readonly FlagSpec[];
  /** Flags of this command and all below. */
  readonly persistentFlags?: readonly FlagSpec[];
  readonly args?: ArgsRule;
  readonly run?: R;
  readonly commands?: readonly Command<R>[];
  readonly hidden?: boolean;
}

export interface ParsedCommand<R> {
  readonly command: Command<R>;
  /** `talosctl etcd members`. */
  readonly path: string;
  readonly args: readonly string[];
  readonly flags: FlagValues;
  readonly specs: readonly FlagSpec[];
  readonly help: boolean;
}

export function commandName<R>(command: Command<R>): string {
  return command.use.split(' ', 1)[0]!;
}

/** The flag that every command has. */
export function helpFlag<R>(command: Command<R>): FlagSpec {
  return {
    name: 'help',
    short: 'h',
    type: 'bool',
    default: false,
    usage: `help for ${commandName(command)}`,
  };
}

export const noArgs: ArgsRule = (args, path) =>
  args.length > 0 ? `unknown command "${args[0]}" for "${path}"` : undefined;

export function exactArgs(count: number): ArgsRule {
  return (args) => (args.length === count ? undefined : `accepts ${count} arg(s), received ${args.length}`);
}

export function rangeArgs(min: number, max: number): ArgsRule {
  return (args) =>
    args.length >= min && args.length <= max
      ? undefined
      : `accepts between ${min} and ${max} arg(s), received ${args.length}`;
}

export function minimumArgs(min: number): ArgsRule {
  return (args) => (args.length >= min ? undefined : `requires at least ${min} arg(s), only received ${args.length}`);
}

export function maximumArgs(max: number): ArgsRule {
  return (args) => (args.length <= max ? undefined : `accepts at most ${max} arg(s), received ${args.length}`);
}
