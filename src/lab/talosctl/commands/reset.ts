import { WipeMode } from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { INSECURE } from './insecure.ts';
import { act, WAIT } from './track.ts';

type Parsed = ParsedCommand<Runner>;

export const resetCommand: Command<Runner> = {
  use: 'reset',
  short: 'Reset a node',
  args: noArgs,
  run: reset,
  flags: [
    flag('graceful', 'bool', true, 'if true, attempt to cordon/drain node and leave etcd (if applicable)'),
    flag('reboot', 'bool', false, 'if true, reboot the node after resetting instead of shutting down'),
    flag('wipe-mode', 'string', 'all', 'disk reset mode'),
    flag(
      'system-labels-to-wipe',
      'strings',
      [],
      'if set, just wipe selected system disk partitions by label but keep other partitions intact',
    ),
    flag('user-disks-to-wipe', 'strings', [], 'if set, wipes defined devices in the list'),
    INSECURE,
    ...WAIT,
  ],
};

const WIPE_MODES: Readonly<Record<string, number>> = {
  all: WipeMode.All,
  'system-disk': WipeMode.SystemDisk,
  'user-disks': WipeMode.UserDisks,
};

function* reset(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const mode = WIPE_MODES[flags.text('wipe-mode')];
  if (mode === undefined)
    throw new CommandFailure(
      `invalid argument "${flags.text('wipe-mode')}" for "--wipe-mode" flag: possible options are: all, system-disk, user-disks`,
    );
  if (flags.on('insecure') && flags.changed('wait') && flags.on('wait'))
    throw new CommandFailure('cannot use --wait and --insecure together');
  const request = {
    graceful: flags.on('graceful'),
    reboot: flags.on('reboot'),
    systemPartitionsToWipe: flags.list('system-labels-to-wipe').map((label) => ({ label, wipe: true })),
    userDisksToWipe: flags.list('user-disks-to-wipe'),
    mode,
  };
  const until = flags.on('reboot') ? 'maintenance' : 'down';
  return yield* act(parsed, context, { name: 'reset', method: MachineService.Reset, request, until });
}
