import { parse } from 'yaml';
import { type Resource, ResourceDefinition, State } from '../../../api/cosi/state.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { microseconds } from '../../../rpc/well-known.ts';
import { type Command, type ParsedCommand, rangeArgs } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { evaluateJsonPath } from '../../cobra/jsonpath.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { multiError, type TalosClient, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { INSECURE } from './insecure.ts';

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
    const found: { node: string; resource: Resource }[] = [];
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

/** Finds the resource type that a name or alias means, as the first node knows them. */
export function* resolveType(client: TalosClient, name: string): Task<ResourceDefinition> {
  const wanted = name.toLowerCase();
  const matches: ResourceDefinition[] = [];
  try {
    const stream = client.singleStream(State.List, client.nodes[0]!);
    stream.send({ namespace: 'meta', type: 'ResourceDefinitions.meta.cosi.dev', options: null });
    stream.closeSend();
    for (let item = yield* stream.receive(); item !== undefined; item = yield* stream.receive()) {
      const definition = ResourceDefinition.decode(item.resource!.spec!.protoSpec);
      const names = [item.resource!.metadata!.id, ...definition.allAliases];
      if (names.some((candidate) => candidate.toLowerCase() === wanted)) matches.push(definition);
    }
  } catch (error) {
    if (error instanceof RpcError) throw new CommandFailure(error.describe());
    throw error;
  }
  if (matches.length === 0)
    throw new CommandFailure(`rpc error: code = NotFound desc = resource "${name}" is not registered`);
  if (matches.length > 1) {
    const ids = matches.map((definition) => definition.resourceType.toLowerCase()).join(' ');
    throw new CommandFailure(`rpc error: code = InvalidArgument desc = resource type "${name}" is ambiguous: [${ids}]`);
  }
  return matches[0]!;
}

function* fetch(
  client: TalosClient,
  node: string,
  definition: ResourceDefinition,
  namespace: string,
  id: string | undefined,
): Task<Resource[]> {
  const type = definition.resourceType;
  if (id !== undefined) return [(yield* client.single(State.Get, { namespace, type, id }, node)).resource!];
  const stream = client.singleStream(State.List, node);
  stream.send({ namespace, type, options: null });
  stream.closeSend();
  const found: Resource[] = [];
  for (let item = yield* stream.receive(); item !== undefined; item = yield* stream.receive())
    found.push(item.resource!);
  return found;
}

function print(
  context: ToolContext,
  output: string,
  definition: ResourceDefinition,
  found: readonly { node: string; resource: Resource }[],
): void {
  if (output === 'table') context.out(table(definition, found));
  else if (output === 'yaml') context.out(found.map(({ node, resource }) => yamlText(node, resource)).join('---\n'));
  else if (output === 'json')
    for (const { node, resource } of found)
      context.out(`${JSON.stringify(jsonObject(node, resource), undefined, 4)}\n`);
  else
    for (const { node, resource } of found)
      context.out(`${evaluateJsonPath(output.slice('jsonpath='.length), jsonObject(node, resource))}\n`);
}

/** Columns of a type are JSON paths into its spec. */
export function table(definition: ResourceDefinition, found: readonly { node: string; resource: Resource }[]): string {
  const header = [
    'NODE',
    'NAMESPACE',
    'TYPE',
    'ID',
    'VERSION',
    ...definition.printColumns.map((column) => column.name.toUpperCase()),
  ];
  const rows = found.map(({ node, resource }) => {
    const metadata = resource.metadata!;
    const spec: unknown = resource.spec!.yamlSpec === '' ? {} : parse(resource.spec!.yamlSpec);
    const cells = definition.printColumns.map((column) => evaluateJsonPath(column.jsonPath, spec));
    return [node, metadata.namespace, definition.displayType, metadata.id, metadata.version, ...cells];
  });
  return found.length === 0 ? tabulate([header]) : tabulate([header, ...rows]);
}

type Stamp = { readonly seconds: number; readonly nanos: number } | null;

function stamp(time: Stamp): string {
  return time === null ? '' : rfc3339(microseconds(time));
}

function yamlText(node: string, resource: Resource): string {
  const metadata = resource.metadata!;
  const lines = [
    `node: ${node}`,
    'metadata:',
    `    namespace: ${metadata.namespace}`,
    `    type: ${metadata.type}`,
    `    id: ${metadata.id}`,
    `    version: ${metadata.version}`,
    `    owner:${metadata.owner === '' ? '' : ` ${metadata.owner}`}`,
    `    phase: ${metadata.phase}`,
    `    created: ${stamp(metadata.created)}`,
    `    updated: ${stamp(metadata.updated)}`,
  ];
  if (Object.keys(metadata.labels).length > 0)
    lines.push('    labels:', ...Object.keys(metadata.labels).map((key) => `        ${key}: ${metadata.labels[key]}`));
  if (metadata.finalizers.length > 0)
    lines.push('    finalizers:', ...metadata.finalizers.map((name) => `        - ${name}`));
  const spec = resource.spec!.yamlSpec.trimEnd();
  lines.push(
    spec === '' || spec === '{}'
      ? 'spec: {}'
      : `spec:\n${spec
          .split('\n')
          .map((line) => `    ${line}`)
          .join('\n')}`,
  );
  return `${lines.join('\n')}\n`;
}

function jsonObject(node: string, resource: Resource): object {
  const metadata = resource.metadata!;
  const spec: unknown = resource.spec!.yamlSpec === '' ? {} : parse(resource.spec!.yamlSpec);
  return {
    metadata: {
      created: stamp(metadata.created),
      ...(metadata.finalizers.length > 0 && { finalizers: metadata.finalizers }),
      id: metadata.id,
      ...(Object.keys(metadata.labels).length > 0 && { labels: metadata.labels }),
      namespace: metadata.namespace,
      owner: metadata.owner,
      phase: metadata.phase,
      type: metadata.type,
      updated: stamp(metadata.updated),
      version: Number(metadata.version),
    },
    node,
    spec,
  };
}
