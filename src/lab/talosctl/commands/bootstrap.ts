import type { BootstrapRequest } from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { onlyOneNode, withClient } from '../client.ts';
import type { Runner } from '../run.ts';
import { recoverFrom } from './recover.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl bootstrap`: once, on one control plane. */
export const bootstrapCommand: Command<Runner> = {
  use: 'bootstrap',
  short: 'Bootstrap the etcd cluster on the specified node.',
  args: noArgs,
  run: bootstrap,
  flags: [
    flag('recover-from', 'string', '', 'recover etcd cluster from the snapshot'),
    flag(
      'recover-skip-hash-check',
      'bool',
      false,
      'skip integrity check when recovering etcd (use when recovering from data directory copy)',
    ),
  ],
};

function* bootstrap(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'bootstrap');
    const snapshot = parsed.flags.text('recover-from');
    const recovering = snapshot !== '';
    if (recovering) yield* recoverFrom(client, context, snapshot);
    const request: BootstrapRequest = {
      recoverEtcd: recovering,
      recoverSkipHashCheck: parsed.flags.on('recover-skip-hash-check'),
    };
    yield* client.unary('error executing bootstrap', MachineService.Bootstrap, request);
    return 0;
  });
}
