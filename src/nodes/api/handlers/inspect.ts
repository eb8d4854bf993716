import { ControllerDependencyEdge, DependencyEdgeType } from '../../../api/machine/inspect.ts';
import { InspectService } from '../../../api/machine/services.ts';
import type { Dependency } from '../../../cosi/index.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { Machine } from '../../machine.ts';

const EDGE_TYPES: Readonly<Record<Dependency['mode'], number>> = Object.freeze({
  exclusive: DependencyEdgeType.OutputExclusive,
  shared: DependencyEdgeType.OutputShared,
  strong: DependencyEdgeType.InputStrong,
  weak: DependencyEdgeType.InputWeak,
  'destroy-ready': DependencyEdgeType.InputDestroyReady,
});

/** What the controllers of the machine read and write at this moment. */
export function inspectHandlers(machine: Machine): readonly HandlerEntry[] {
  return serviceHandlers(InspectService, {
    *ControllerRuntimeDependencies() {
      const edges = machine.controllers.dependencies().map(({ controller, mode, namespace, type, id }) =>
        ControllerDependencyEdge.of({
          controllerName: controller,
          edgeType: EDGE_TYPES[mode],
          resourceNamespace: namespace,
          resourceType: type,
          resourceId: id ?? '',
        }),
      );
      return { messages: [{ metadata: null, edges }] };
    },
  });
}
