import { map, repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, int32, nested, optional, string } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { serverStream, service, unary } from '../../rpc/service.ts';
import { Timestamp } from '../../rpc/well-known.ts';

/** The COSI state service as outside callers may use it: reading (reference/lifecycle-api-cli.md E.5). */

export const Metadata = message('cosi.resource.Metadata', {
  namespace: string(1),
  type: string(2),
  id: string(3),
  /** Decimal; the first version is 1. */
  version: string(4),
  owner: string(5),
  /** `running` or `tearingDown`. */
  phase: string(6),
  created: nested(7, Timestamp),
  updated: nested(8, Timestamp),
  finalizers: repeated(string(9)),
  annotations: map(11, string(1), string(2)),
  labels: map(10, string(1), string(2)),
});
export type Metadata = MessageOf<typeof Metadata>;

export const Spec = message('cosi.resource.Spec', { protoSpec: bytes(1), yamlSpec: string(2) });
export const Resource = message('cosi.resource.Resource', { metadata: nested(1, Metadata), spec: nested(2, Spec) });
export type Resource = MessageOf<typeof Resource>;

export const LabelTerm = message('cosi.resource.LabelTerm', {
  key: string(1),
  op: int32(2),
  value: repeated(string(3)),
  invert: bool(5),
});
export const LabelQuery = message('cosi.resource.LabelQuery', { terms: repeated(nested(1, LabelTerm)) });
export const IdQuery = message('cosi.resource.IDQuery', { regexp: string(1) });

export const GetRequest = message('cosi.resource.GetRequest', { namespace: string(1), type: string(2), id: string(3) });
export const GetResponse = message('cosi.resource.GetResponse', { resource: nested(1, Resource) });
export const ListOptions = message('cosi.resource.ListOptions', {
  labelQuery: repeated(nested(1, LabelQuery)),
  idQuery: nested(2, IdQuery),
});
export const ListRequest = message('cosi.resource.ListRequest', {
  namespace: string(1),
  type: string(2),
  options: nested(3, ListOptions),
});
export const ListResponse = message('cosi.resource.ListResponse', { resource: nested(1, Resource) });

export const EventType = { Created: 0, Updated: 1, Destroyed: 2, Bootstrapped: 3, Errored: 4, Noop: 5 } as const;
export const Event = message('cosi.resource.Event', {
  resource: nested(1, Resource),
  eventType: int32(2),
  old: nested(3, Resource),
  error: optional(string(4)),
  bookmark: optional(bytes(5)),
});
export const WatchOptions = message('cosi.resource.WatchOptions', {
  bootstrapContents: bool(1),
  tailEvents: int32(2),
  labelQuery: repeated(nested(3, LabelQuery)),
  idQuery: nested(4, IdQuery),
  aggregated: bool(5),
});
export const WatchRequest = message('cosi.resource.WatchRequest', {
  namespace: string(1),
  type: string(2),
  id: optional(string(3)),
  options: nested(4, WatchOptions),
  apiVersion: int32(5),
});
export const WatchResponse = message('cosi.resource.WatchResponse', { event: repeated(nested(1, Event)) });
export type WatchResponse = MessageOf<typeof WatchResponse>;

export const State = service('cosi.resource.State', {
  Get: unary(GetRequest, GetResponse),
  List: serverStream(ListRequest, ListResponse),
  Watch: serverStream(WatchRequest, WatchResponse),
});

/** The spec of a ResourceDefinition (reference/lifecycle-api-cli.md E.6). */
export const PrintColumn = message('cosi.resource.meta.PrintColumn', { name: string(1), jsonPath: string(2) });
export const ResourceDefinition = message('cosi.resource.meta.ResourceDefinitionSpec', {
  resourceType: string(1),
  displayType: string(2),
  defaultNamespace: string(3),
  aliases: repeated(string(4)),
  allAliases: repeated(string(5)),
  printColumns: repeated(nested(6, PrintColumn)),
  sensitivity: int32(7),
});
export type ResourceDefinition = MessageOf<typeof ResourceDefinition>;
