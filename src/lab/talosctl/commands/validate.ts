import { runValidate } from '../../../config/validate/command.ts';
import type { TalosVersion } from '../../../config/version.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { CommandFailure, type Runner } from '../run.ts';

/** `talosctl validate` (reference/lifecycle-api-cli.md F.4). */
export const validateCommand: Command<Runner> = {
  use: 'validate',
  short: 'Validate config',
  args: noArgs,
  run: (parsed, context) => validateConfig(parsed, context),
  flags: [
    flag('config', 'string', '', 'the path of the config file', { short: 'c', required: true }),
    flag('mode', 'string', '', 'the mode to validate the config for (valid values are metal, cloud, and container)', {
      short: 'm',
      required: true,
    }),
    flag('strict', 'bool', false, 'treat validation warnings as errors'),
  ],
};

/** Validates for a release, by default the one that is simulated. */
export function* validateConfig(
  parsed: ParsedCommand<Runner>,
  context: ToolContext,
  version?: TalosVersion,
): Task<number> {
  const { flags } = parsed;
  const file = flags.text('config');
  const text = context.files.readText(file);
  if (text === undefined) throw new CommandFailure(`failed to read ${file}: open ${file}: no such file or directory`);
  const result = runValidate({
    file,
    text,
    mode: flags.text('mode'),
    strict: flags.on('strict'),
    places: context.places,
    ...(version !== undefined && { version }),
  });
  if (result.stdout !== '') context.out(result.stdout);
  if (result.stderr !== '') context.err(result.stderr);
  return result.exitCode;
}
