import { MachineService } from '../../../api/machine/services.ts';
import { talosconfigYaml } from '../../../config/generate/talosconfig.ts';
import { isApiRole } from '../../../config/roles.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { type Command, maximumArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { onlyOneNode, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { currentContext, openTalosconfig } from '../session.ts';
import { readTalosconfig } from '../talosconfig.ts';

const YEAR_US = 8_760 * 3_600_000_000;

/** `talosctl config new`: a control plane makes a talosconfig with the roles that are asked for (reference/lifecycle-api-cli.md F.5). */
export const configNewCommand: Command<Runner> = {
  use: 'new [<path>]',
  short: 'Generate a new client configuration file',
  args: maximumArgs(1),
  run: configNew,
  flags: [flag('roles', 'strings', ['os:admin'], 'roles'), flag('crt-ttl', 'duration', YEAR_US, 'certificate TTL')],
};

function* configNew(parsed: ParsedCommand<Runner>, context: ToolContext): Task<number> {
  const path = parsed.args[0] ?? 'talosconfig';
  const roles = parsed.flags.list('roles');
  const unknown = roles.filter((role) => !isApiRole(role));
  if (unknown.length > 0) throw new CommandFailure(`unknown roles: ${unknown.join(', ')}`);
  if (context.files.exists(path)) throw new CommandFailure(`talosconfig file already exists: "${path}"`);
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'talosconfig');
    const request = { roles, crtTtl: secondsAndNanos(parsed.flags.number('crt-ttl')) };
    const [answer] = yield* client.unary(
      'error generating config',
      MachineService.GenerateClientConfiguration,
      request,
    );
    const made = readTalosconfig(utf8Decode(answer!.message.talosconfig), path);
    if (typeof made === 'string') throw new CommandFailure(made);
    const { endpoints } = currentContext(parsed, openTalosconfig(parsed, context).config).context;
    const contexts = { ...made.contexts, [made.context]: { ...made.contexts[made.context]!, endpoints } };
    context.files.write(path, talosconfigYaml({ ...made, contexts }));
    return 0;
  });
}
