import { repeated } from '../../rpc/composite-fields.ts';
import { int32, nested, string } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { envelope, Metadata } from './common.ts';

/** Who reads and writes which resources on a machine (reference/lifecycle-api-cli.md E.3, package inspect). */
export const DependencyEdgeType = {
  OutputExclusive: 0,
  InputStrong: 1,
  InputWeak: 2,
  OutputShared: 3,
  InputDestroyReady: 4,
} as const;
export const ControllerDependencyEdge = message('inspect.ControllerDependencyEdge', {
  controllerName: string(1),
  edgeType: int32(2),
  resourceNamespace: string(3),
  resourceType: string(4),
  resourceId: string(5),
});
export type ControllerDependencyEdge = MessageOf<typeof ControllerDependencyEdge>;
const ControllerRuntimeDependency = message('inspect.ControllerRuntimeDependency', {
  metadata: nested(1, Metadata),
  edges: repeated(nested(2, ControllerDependencyEdge)),
});
export const ControllerRuntimeDependenciesResponse = envelope(
  'inspect.ControllerRuntimeDependenciesResponse',
  ControllerRuntimeDependency,
);
