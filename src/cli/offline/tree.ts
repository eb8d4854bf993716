import { KNOWN_RELEASES, parseVersion } from '../../config/version.ts';
import type { Command } from '../../lab/cobra/command.ts';
import { flag } from '../../lab/cobra/flags.ts';
import { genCommand, machineConfigCommand } from '../../lab/talosctl/commands/gen.ts';
import { validateCommand, validateConfig } from '../../lab/talosctl/commands/validate.ts';
import type { Runner } from '../../lab/talosctl/run.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { envFileFlag, readEnvFiles, withPlaceholdersFilled } from './env-file.ts';
import { talconfigCommand } from './talconfig.ts';

const talosVersionFlag = flag('talos-version', 'string', '', 'the release to validate for (default v1.11.3)');

/** talosctl's offline commands, and what talosim adds to them. */
export const offlineTree: Command<Runner> = {
  use: 'talosim',
  short: "talosctl's offline commands",
  commands: [
    { ...genCommand, commands: [...genCommand.commands!.map(withEnvFile), talconfigCommand] },
    { ...machineConfigCommand, commands: machineConfigCommand.commands!.map(withEnvFile) },
    withEnvFile({
      ...validateCommand,
      flags: [...validateCommand.flags!, talosVersionFlag],
      *run(parsed, context) {
        const text = parsed.flags.text('talos-version');
        const version = text === '' ? undefined : parseVersion(text);
        if (text !== '' && version === undefined)
          throw new BadInput(
            `talosim: --talos-version ${text}: write a release such as v1.11.3; ${KNOWN_RELEASES} are known`,
          );
        return yield* validateConfig(parsed, context, version);
      },
    }),
  ],
};

/** Adds `--env-file` to a command: its files are read with their placeholders filled. */
function withEnvFile(command: Command<Runner>): Command<Runner> {
  const run = command.run!;
  return {
    ...command,
    flags: [...(command.flags ?? []), envFileFlag],
    *run(parsed, context) {
      const env = readEnvFiles(parsed.flags.list('env-file'), context.files);
      const files = env === undefined ? context.files : withPlaceholdersFilled(context.files, env);
      return yield* run(parsed, { ...context, files });
    },
  };
}
