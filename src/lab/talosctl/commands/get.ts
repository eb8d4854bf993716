import type { Resource, ResourceDefinition } from '../../../api/cosi/state.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, type ParsedCommand, rangeArgs } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { multiError, type TalosClient, withClient } from '../client.ts';
import { header, objectText, row, type Shown, yamlText } from '../resource-text.ts';
import { getResource, listResources, resolveType } from '../resources.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { INSECURE } from './insecure.ts';
import { watchResources } from './watch.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl get` (reference/lifecycle-api-cli.md E.6, F.3). */
export const getCommand: Command<Runner> = {
  use: 'get <type> [<id>]',
  aliases: ['g'],
  short: 'Get a specific resource or list of resources',
  args: rangeArgs(1, 2),
  run: get,
  flags: [
    flag('namespace', 'string', '', 'resource namespace (default is to use default namespace per resource)'),
    flag('output', 'string', 'table', 'output mode (json, table, yaml, jsonpath)', { short: 'o' }),
    flag('watch', 'bool', false, 'watch resource changes', { short: 'w' }),
    INSECURE,
  ],
};

function* get(parsed: Parsed, context: ToolContext): Task<number> {
  const output = parsed.flags.text('output');
  if (!['table', 'yaml', 'json'].includes(output) && !output.startsWith('jsonpath='))
    throw new CommandFailure(`output mode "${output}" is not supported`);
  return yield* withClient(parsed, context, function* (client) {
    const definition = yield* resolveType(client, parsed.args[0]!);
    const namespace = parsed.flags.text('namespace') || definition.defaultNamespace;
    if (parsed.flags.on('watch'))
      return yield* watchResources(client, context, output, { definition, namespace, id: parsed.args[1] });
    const found: Shown[] = [];
    const errors: string[] = [];
    for (const node of client.nodes) {
      try {
        for (const resource of yield* fetch(client, node, definition, namespace, parsed.args[1]))
          found.push({ node, resource });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        errors.push(error.describe());
      }
    }
    print(context, output, definition, found);
    if (errors.length > 0) throw new CommandFailure(multiError(errors).trimEnd());
    return 0;
  });
}

function* fetch(
  client: TalosClient,
  node: string,
  definition: ResourceDefinition,
  namespace: string,
  id: string | undefined,
): Task<readonly Resource[]> {
  const type = definition.resourceType;
  if (id !== undefined) return [yield* getResource(client, node, { namespace, type, id })];
  return yield* listResources(client, node, type, namespace);
}

function print(context: ToolContext, output: string, definition: ResourceDefinition, found: readonly Shown[]): void {
  if (output === 'table')
    context.out(tabulate([header(definition, []), ...found.map((item) => row(definition, item))]));
  else if (output === 'yaml') context.out(found.map(yamlText).join('---\n'));
  else for (const item of found) context.out(objectText(output, item));
}
