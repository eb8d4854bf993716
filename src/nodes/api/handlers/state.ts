import * as wire from '../../../api/cosi/state.ts';
import {
  type LabelTerm,
  type ListQuery,
  type Metadata,
  type Resource,
  type ResourceKind,
  type State,
  StateError,
  Watch,
  type WatchEvent,
  type WatchOptions,
} from '../../../cosi/index.ts';
import { type CallContext, type HandlerEntry, RpcError, type StatusName } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import { secondsAndNanos } from '../../../rpc/well-known.ts';
import { type MachineConfigSpec, MachineConfigs } from '../../resources/config.ts';
import { type DefinitionSpec, READABLE_KINDS, ResourceDefinitions } from '../../resources/definition.ts';
import { NAMESPACES } from '../../resources/registry.ts';
import type { Role } from '../roles.ts';
import { specYaml } from '../yaml.ts';

/** The COSI state for callers from outside: reading only, sensitive types for os:admin (reference/lifecycle-api-cli.md E.5, E.6). */
export function stateHandlers(
  state: State,
  rolesOf: (context: CallContext) => readonly Role[],
): readonly HandlerEntry[] {
  const readable = (namespace: string, type: string, context: CallContext): ResourceKind<unknown> => {
    const kind = READABLE_KINDS.find((candidate) => candidate.type === type);
    if (kind === undefined) throw new RpcError('PermissionDenied', `resource type "${type}" is not supported`);
    if (kind.sensitive && !rolesOf(context).includes('os:admin'))
      throw new RpcError('PermissionDenied', 'not authorized');
    if (!NAMESPACES.includes(namespace)) {
      throw new RpcError('PermissionDenied', `namespace "${namespace}" is not supported`);
    }
    return kind;
  };
  return serviceHandlers(wire.State, {
    *Get(request, context) {
      const kind = readable(request.namespace, request.type, context);
      const found = state.get(kind, request.id, request.namespace);
      if (found === undefined) {
        const { type, namespace, id } = request;
        throw new RpcError('NotFound', `resource ${type}(${namespace}/${id}@undefined) doesn't exist`);
      }
      return { resource: resourceMessage(found) };
    },
    *List(stream) {
      const request = yield* stream.receive();
      if (request === undefined) return;
      const kind = readable(request.namespace, request.type, stream.context);
      const query = queryOf(request.options?.labelQuery ?? [], request.options?.idQuery ?? null);
      for (const resource of state.list(kind, query, request.namespace)) {
        stream.send({ resource: resourceMessage(resource) });
        yield* stream.drained();
      }
    },
    *Watch(stream) {
      const request = yield* stream.receive();
      if (request === undefined) return;
      readable(request.namespace, request.type, stream.context);
      const watch = openWatch(state, request);
      stream.send({ event: [] });
      for (;;) {
        const event = yield* watch.next();
        if (!stream.send({ event: [eventMessage(event)] })) return;
        if (event.kind === 'errored') return;
        yield* stream.drained();
      }
    },
  });
}

type WatchRequest = ReturnType<typeof wire.WatchRequest.of>;

function openWatch(state: State, request: WatchRequest): Watch {
  const { options } = request;
  const query = queryOf(options?.labelQuery ?? [], options?.idQuery ?? null);
  const watchOptions: WatchOptions = {
    ...(options?.bootstrapContents === true && { bootstrapContents: true }),
    ...(options !== null && options.tailEvents !== 0 && { tail: options.tailEvents }),
    ...(query !== undefined && { query }),
  };
  try {
    return new Watch(state.collection(request.namespace, request.type), request.id ?? undefined, watchOptions);
  } catch (error) {
    if (error instanceof StateError) throw new RpcError(statusOf(error), error.message);
    throw error;
  }
}

/** reference/controllers.md A.4 */
function statusOf(error: StateError): StatusName {
  switch (error.code) {
    case 'not-found':
      return 'NotFound';
    case 'unsupported':
      return 'Unimplemented';
    case 'owner-conflict':
      return 'PermissionDenied';
    case 'phase-conflict':
      return 'InvalidArgument';
    default:
      return 'FailedPrecondition';
  }
}

const LABEL_OPS: Readonly<Record<number, LabelTerm['op']>> = Object.freeze({ 0: 'exists', 1: 'equal', 3: 'in' });

function queryOf(
  labels: readonly ReturnType<typeof wire.LabelQuery.of>[],
  id: { readonly regexp: string } | null,
): ListQuery | undefined {
  if (labels.length === 0 && id === null) return undefined;
  const terms = labels.map((query) =>
    query.terms.map((term): LabelTerm => {
      if (term.op === 2) return { key: term.key, op: 'exists', negated: !term.invert };
      const op = LABEL_OPS[term.op];
      if (op === undefined) throw new RpcError('Unimplemented', `label operator ${term.op} is not supported`);
      return { key: term.key, op, values: term.value, negated: term.invert };
    }),
  );
  return { ...(terms.length > 0 && { labels: terms }), ...(id !== null && { idPattern: id.regexp }) };
}

/** A resource as it travels. */
export function resourceMessage(resource: Resource): wire.Resource {
  const { metadata } = resource;
  return {
    metadata: metadataMessage(metadata),
    spec: { protoSpec: protoSpec(resource), yamlSpec: yamlSpec(resource) },
  };
}

function metadataMessage(metadata: Metadata): wire.Metadata {
  return {
    namespace: metadata.namespace,
    type: metadata.type,
    id: metadata.id,
    version: String(metadata.version),
    owner: metadata.owner,
    phase: metadata.phase,
    created: secondsAndNanos(metadata.createdUs),
    updated: secondsAndNanos(metadata.updatedUs),
    finalizers: metadata.finalizers,
    annotations: metadata.annotations,
    labels: metadata.labels,
  };
}

/** Machine configs are one text, which stands as a literal block; everything else is its fields, or the field that stands for them. */
function yamlSpec(resource: Resource): string {
  const { type } = resource.metadata;
  if (type === MachineConfigs.type) return `|\n${indented((resource.spec as MachineConfigSpec).yaml)}`;
  const field = READABLE_KINDS.find((kind) => kind.type === type)?.shownField;
  return specYaml(field === undefined ? resource.spec : (resource.spec as Readonly<Record<string, unknown>>)[field]);
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}

function protoSpec(resource: Resource): Uint8Array {
  if (resource.metadata.type !== ResourceDefinitions.type) return new Uint8Array();
  const spec = resource.spec as DefinitionSpec;
  return wire.ResourceDefinition.encode({
    resourceType: spec.type,
    displayType: spec.displayType,
    defaultNamespace: spec.defaultNamespace,
    aliases: spec.aliases,
    allAliases: spec.allAliases,
    printColumns: spec.printColumns,
    sensitivity: spec.sensitivity === 'sensitive' ? 1 : 0,
  });
}

function eventMessage(event: WatchEvent): ReturnType<typeof wire.Event.of> {
  const { EventType } = wire;
  switch (event.kind) {
    case 'created':
      return wire.Event.of({ eventType: EventType.Created, resource: resourceMessage(event.resource) });
    case 'updated':
      return wire.Event.of({
        eventType: EventType.Updated,
        resource: resourceMessage(event.resource),
        old: resourceMessage(event.old),
      });
    case 'destroyed':
      return wire.Event.of({ eventType: EventType.Destroyed, resource: resourceMessage(event.resource) });
    case 'absent':
      return wire.Event.of({ eventType: EventType.Destroyed, resource: tombstone(event.pointer) });
    case 'errored':
      return wire.Event.of({ eventType: EventType.Errored, error: event.message });
    default:
      return wire.Event.of({ eventType: event.kind === 'noop' ? EventType.Noop : EventType.Bootstrapped });
  }
}

function tombstone(pointer: { readonly namespace: string; readonly type: string; readonly id: string }): wire.Resource {
  return {
    metadata: wire.Metadata.of({ ...pointer, version: 'undefined', phase: 'running' }),
    spec: { protoSpec: new Uint8Array(), yamlSpec: '' },
  };
}
