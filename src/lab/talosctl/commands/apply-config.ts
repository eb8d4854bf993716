import { type ApplyConfigurationRequest, ApplyMode } from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { INSECURE } from './insecure.ts';
import { patchedConfig } from './patches.ts';

type Parsed = ParsedCommand<Runner>;

const FINGERPRINTS = flag(
  'cert-fingerprint',
  'strings',
  [],
  'list of server certificate fingeprints to accept (defaults to no check)',
);

const MODES: Readonly<Record<string, number>> = {
  auto: ApplyMode.Auto,
  'no-reboot': ApplyMode.NoReboot,
  reboot: ApplyMode.Reboot,
  staged: ApplyMode.Staged,
  try: ApplyMode.Try,
};

/** `talosctl apply-config` (reference/v1.11.3.md 15.3, 15.5; lifecycle-api-cli.md F.3). */
export const applyConfigCommand: Command<Runner> = {
  use: 'apply-config',
  aliases: ['apply'],
  short: 'Apply a new configuration to a node',
  args: noArgs,
  run: applyConfig,
  flags: [
    flag('file', 'string', '', 'the filename of the updated configuration', { short: 'f' }),
    flag(
      'config-patch',
      'stringArray',
      [],
      'the list of config patches to apply to the local config file before sending it to the node',
      { short: 'p' },
    ),
    flag('mode', 'string', 'auto', 'apply config mode', { short: 'm' }),
    flag('dry-run', 'bool', false, 'check how the config change will be applied in dry-run mode'),
    flag(
      'timeout',
      'duration',
      60_000_000,
      'the config will be rolled back after specified timeout (if try mode is selected)',
    ),
    INSECURE,
    FINGERPRINTS,
  ],
};

/** The installer in a terminal: a mode of the command only, which the node never sees. */
const INTERACTIVE = 'interactive';

function modeProblem(mode: string): string | undefined {
  if (mode === INTERACTIVE)
    return 'apply-config --mode=interactive is not simulated: it draws a form; use a config file';
  if (Object.hasOwn(MODES, mode)) return undefined;
  const known = [...Object.keys(MODES), INTERACTIVE].sort();
  return `invalid argument "${mode}" for "-m, --mode" flag: possible options are: ${known.join(', ')}`;
}

function* applyConfig(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const problem = modeProblem(flags.text('mode'));
  if (problem !== undefined) throw new CommandFailure(problem);
  const mode = MODES[flags.text('mode')]!;
  const file = flags.text('file');
  if (file === '') throw new CommandFailure('no filename supplied for configuration');
  const text = context.files.readText(file);
  if (text === undefined)
    throw new CommandFailure(`failed to read configuration from "${file}": open ${file}: no such file or directory`);
  const config = patchedConfig(text, flags.list('config-patch'), context);
  const request: ApplyConfigurationRequest = {
    data: utf8Encode(config),
    mode,
    dryRun: flags.on('dry-run'),
    tryModeTimeout: secondsAndNanos(flags.number('timeout')),
  };
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error applying new configuration', MachineService.ApplyConfiguration, request);
    for (const { message } of answers) {
      for (const warning of message.warnings) context.err(`WARNING: ${warning}\n`);
      if (message.modeDetails !== '') context.err(`${message.modeDetails}\n`);
    }
    return 0;
  });
}
