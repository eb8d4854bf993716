import { type Resource, ResourceDefinition, State, WatchRequest, type WatchResponse } from '../../api/cosi/state.ts';
import { type ClientStream, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { TalosClient } from './client.ts';
import { CommandFailure } from './run.ts';
import { unsimulatedTypes } from './unsimulated-types.ts';

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

/** Which resources are meant. */
export interface ResourceReference {
  readonly namespace: string;
  /** `APIServerConfigs.kubernetes.talos.dev` */
  readonly type: string;
  /** Absent: all of the type. */
  readonly id?: string;
}

/** One resource; throws RpcError. */
export function* getResource(
  client: TalosClient,
  node: string,
  reference: Required<ResourceReference>,
): Task<Resource> {
  return (yield* client.single(State.Get, reference, node)).resource!;
}

/** Opens a watch: what there is, then every change. */
export function watchStream(
  client: TalosClient,
  node: string,
  { namespace, type, id }: ResourceReference,
): ClientStream<unknown, WatchResponse> {
  const stream = client.singleStream(State.Watch, node);
  const options = {
    bootstrapContents: id === undefined,
    tailEvents: 0,
    labelQuery: [],
    idQuery: null,
    aggregated: false,
  };
  stream.send(WatchRequest.of({ namespace, type, id: id ?? null, options, apiVersion: 1 }));
  stream.closeSend();
  return stream;
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
  // A short name that means two types in reality means none here, even where only one of them is simulated.
  const absent = unsimulatedTypes(name);
  if (matches.length + absent.length === 0)
    throw new CommandFailure(`rpc error: code = NotFound desc = resource "${name}" is not registered`);
  if (matches.length === 0 && absent.length === 1)
    throw new CommandFailure(`resources of type ${absent[0]} are not simulated`);
  if (matches.length + absent.length > 1) {
    const types = [...matches.map(({ resourceType }) => resourceType), ...absent];
    const ids = types
      .map((type) => type.toLowerCase())
      .sort()
      .join(' ');
    throw new CommandFailure(`rpc error: code = InvalidArgument desc = resource type "${name}" is ambiguous: [${ids}]`);
  }
  return matches[0]!;
}
