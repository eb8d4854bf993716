import { type Resource, ResourceDefinition, State } from '../../api/cosi/state.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { TalosClient } from './client.ts';
import { CommandFailure } from './run.ts';

/** A type of resources as a node knows it. */
export interface ResourceTypeEntry {
  /** The type in lower case. */
  readonly id: string;
  readonly definition: ResourceDefinition;
}

/** Every type that a node has; throws RpcError. */
export function* resourceTypes(client: TalosClient, node: string): Task<readonly ResourceTypeEntry[]> {
  const found = yield* listResources(client, node, 'ResourceDefinitions.meta.cosi.dev', 'meta');
  return found.map(({ metadata, spec }) => ({
    id: metadata!.id,
    definition: ResourceDefinition.decode(spec!.protoSpec),
  }));
}

/** The resources of a type in a namespace, by id; throws RpcError. */
export function* listResources(
  client: TalosClient,
  node: string,
  type: string,
  namespace: string,
): Task<readonly Resource[]> {
  const stream = client.singleStream(State.List, node);
  stream.send({ namespace, type, options: null });
  stream.closeSend();
  const found: Resource[] = [];
  for (let item = yield* stream.receive(); item !== undefined; item = yield* stream.receive())
    found.push(item.resource!);
  return found;
}

/** Finds the resource type that a name or alias means, as the first node knows them. */
export function* resolveType(client: TalosClient, name: string): Task<ResourceDefinition> {
  const wanted = name.toLowerCase();
  const matches: ResourceDefinition[] = [];
  try {
    for (const { id, definition } of yield* resourceTypes(client, client.nodes[0]!)) {
      const names = [id, ...definition.allAliases];
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
