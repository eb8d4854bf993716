import { RebootMode } from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { act, WAIT } from './track.ts';

type Parsed = ParsedCommand<Runner>;

export const rebootCommand: Command<Runner> = {
  use: 'reboot',
  short: 'Reboot a node',
  args: noArgs,
  run: reboot,
  flags: [
    flag('mode', 'string', 'default', 'select the reboot mode: "default", "powercycle" (skips kexec)', { short: 'm' }),
    ...WAIT,
  ],
};

function* reboot(parsed: Parsed, context: ToolContext): Task<number> {
  const mode = { default: RebootMode.Default, powercycle: RebootMode.PowerCycle }[parsed.flags.text('mode')];
  if (mode === undefined) throw new CommandFailure(`invalid reboot mode: ${parsed.flags.text('mode')}`);
  const request = { mode };
  return yield* act(parsed, context, { name: 'reboot', method: MachineService.Reboot, request, until: 'back' });
}

export const shutdownCommand: Command<Runner> = {
  use: 'shutdown',
  short: 'Shutdown a node',
  args: noArgs,
  run: shutdown,
  flags: [flag('force', 'bool', false, 'if true, force a node to shutdown without a cordon/drain'), ...WAIT],
};

function* shutdown(parsed: Parsed, context: ToolContext): Task<number> {
  const request = { force: parsed.flags.on('force') };
  return yield* act(parsed, context, { name: 'shutdown', method: MachineService.Shutdown, request, until: 'down' });
}
