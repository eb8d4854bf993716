import type { ConfigValue } from '../../../config/schema/types.ts';
import { flagAt, objectsAt, textAt } from '../../../config/view.ts';
import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { Reflector } from '../../../kube/client/reflector.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import type { Task } from '../../../platform/task.ts';
import { nodeStatus } from '../../events.ts';
import { openKubeletClient } from '../../kube/connect.ts';
import type { Machine } from '../../machine.ts';
import { Nodenames, NodeStatuses } from '../../resources/k8s.ts';

const POLL_US = 1_000_000;
const NODES = findResource('v1', 'nodes')!;

/** The machine's own Node as the cluster has it (reference/controllers.md B.6). */
export function nodeStatusController(machine: Machine): Controller {
  return {
    name: 'k8s.NodeStatusController',
    inputs: [weak(Nodenames, 'nodename')],
    outputs: [exclusive(NodeStatuses)],
    *run(context) {
      for (;;) {
        const nodename = context.get(Nodenames, 'nodename')?.spec;
        if (nodename === undefined || nodename.skipNodeRegistration) {
          yield* context.wakeUp();
          continue;
        }
        const client = yield* openKubeletClient(machine);
        if (client === undefined) yield* machine.platform.clock.sleep(POLL_US);
        else yield* follow(machine, context, client, nodename.nodename);
      }
    },
  };
}

/** Until the name changes. */
function* follow(machine: Machine, context: ControllerContext, client: KubeClient, name: string): Task<void> {
  const reflector = new Reflector(client, machine.platform.clock, NODES, undefined, {
    fieldSelector: `metadata.name=${name}`,
  });
  const unsubscribe = context.wakeOn(reflector.changed);
  const task = context.scope.spawn('node', () => reflector.run());
  try {
    for (;;) {
      if (context.get(Nodenames, 'nodename')?.spec.nodename !== name) return;
      if (reflector.synced) write(machine, context, name, reflector.get(name));
      context.resetRestartBackoff();
      yield* context.wakeUp();
    }
  } finally {
    task.cancel();
    unsubscribe();
    client.close();
  }
}

function write(machine: Machine, context: ControllerContext, name: string, node: KubeObject | undefined): void {
  const before = context.get(NodeStatuses, name)?.spec.nodeReady;
  context.startTrackingOutputs();
  if (node !== undefined) {
    const fields = node as unknown as ConfigValue;
    const ready = objectsAt(fields, 'status', 'conditions').some(
      (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
    );
    context.set(NodeStatuses, name, {
      nodename: name,
      nodeReady: ready,
      unschedulable: flagAt(fields, 'spec', 'unschedulable') ?? false,
      labels: node.metadata.labels ?? {},
      annotations: node.metadata.annotations ?? {},
    });
    if (before !== ready) machine.platform.log.event(nodeStatus, { node: name, ready });
  }
  context.cleanupOutputs(NodeStatuses);
}
