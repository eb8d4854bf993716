import { MachineService } from '../../../api/machine/services.ts';
import { TOOL_V1_11_3 } from '../../../config/generate/tool-release.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { act, WAIT } from './track.ts';

type Parsed = ParsedCommand<Runner>;

export const upgradeCommand: Command<Runner> = {
  use: 'upgrade',
  short: 'Upgrade Talos on the target node',
  args: noArgs,
  run: upgrade,
  flags: [
    flag('image', 'string', TOOL_V1_11_3.installImage, 'the container image to use for performing the install', {
      short: 'i',
    }),
    flag(
      'reboot-mode',
      'string',
      'default',
      'select the reboot mode during upgrade. Mode "powercycle" bypasses kexec',
      { short: 'm' },
    ),
    flag('preserve', 'bool', false, 'preserve data', { short: 'p', hidden: true }),
    flag('stage', 'bool', false, 'stage the upgrade to perform it after a reboot', { short: 's' }),
    flag(
      'force',
      'bool',
      false,
      'force the upgrade (skip checks on etcd health and members, might lead to data loss)',
      { short: 'f' },
    ),
    flag('insecure', 'bool', false, 'upgrade using the insecure (encrypted with no auth) maintenance service'),
    ...WAIT,
  ],
};

function* upgrade(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const mode = { default: 0, powercycle: 1 }[flags.text('reboot-mode')];
  if (mode === undefined) throw new CommandFailure(`invalid reboot mode: ${flags.text('reboot-mode')}`);
  const request = {
    image: flags.text('image'),
    preserve: flags.on('preserve'),
    stage: flags.on('stage'),
    force: flags.on('force'),
    rebootMode: mode,
  };
  if (flags.on('wait') || flags.on('debug'))
    return yield* act(parsed, context, { name: 'upgrade', method: MachineService.Upgrade, request, until: 'back' });
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error performing upgrade', MachineService.Upgrade, request);
    context.out(
      tabulate([['NODE', 'ACK', 'STARTED'], ...answers.map(({ node, message }) => [node, message.ack, '', ''])]),
    );
    return 0;
  });
}

export const rollbackCommand: Command<Runner> = {
  use: 'rollback',
  short: 'Rollback a node to the previous installation',
  args: noArgs,
  run: rollback,
};

function* rollback(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    yield* client.unary('error executing rollback', MachineService.Rollback, {});
    return 0;
  });
}
