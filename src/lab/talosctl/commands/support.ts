import { zipSync } from 'fflate';
import { utf8Encode } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { type TalosClient, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { currentContext, openTalosconfig } from '../session.ts';
import { kubernetesCollectors, nodeCollectors } from '../support-bundle.ts';

const DEFAULT_FILE = 'support.zip';

/** `talosctl support`: what there is to know of nodes, in one archive (reference/lifecycle-api-cli.md F.6, reference/v1.11.3.md 15.3). */
export const supportCommand: Command<Runner> = {
  use: 'support',
  short: 'Dump debug information about the cluster',
  args: noArgs,
  run: support,
  flags: [
    flag('output', 'string', '', 'output file to write support archive to', { short: 'O' }),
    flag('num-workers', 'int', 1, 'number of workers per node', { short: 'w' }),
    flag('verbose', 'bool', false, 'verbose output', { short: 'v' }),
  ],
};

function* support(parsed: ParsedCommand<Runner>, context: ToolContext): Task<number> {
  const path = parsed.flags.text('output') || DEFAULT_FILE;
  const configured = currentContext(parsed, openTalosconfig(parsed, context).config).context.nodes ?? [];
  if (parsed.flags.list('nodes').length === 0 && configured.length === 0)
    throw new CommandFailure('please provide at least a single node to gather the debug information from');
  if (context.files.exists(path))
    throw new CommandFailure(`${path} already exists, and nobody is there to confirm that it may be overwritten`);
  return yield* withClient(parsed, context, function* (client) {
    const entries: Record<string, Uint8Array> = {};
    const errors: string[][] = [];
    const take = (name: string, text: string): void => {
      entries[name] = utf8Encode(text);
      if (parsed.flags.on('verbose')) context.err(`${name}\n`);
    };
    for (const { source, collect } of collectors(client, context)) {
      try {
        for (const [name, text] of yield* collect()) take(name, text);
      } catch (error) {
        if (!(error instanceof RpcError || error instanceof CommandFailure)) throw error;
        errors.push([source, error instanceof RpcError ? error.describe() : error.message]);
      }
    }
    context.files.write(path, zipSync(entries, { mtime: Math.floor(context.platform.clock.nowUs() / 1000) }));
    if (errors.length > 0) context.err(`Processed with errors:\n${tabulate([['SOURCE', 'ERROR'], ...errors])}`);
    context.err(`Support bundle is written to ${path}\n`);
    return 0;
  });
}

function collectors(client: TalosClient, context: ToolContext) {
  const perNode = client.nodes.flatMap((node) => nodeCollectors(client, context, node));
  return [...perNode, ...kubernetesCollectors(client, context, client.nodes[0]!)];
}
