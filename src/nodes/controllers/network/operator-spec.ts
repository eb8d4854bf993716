import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { deepEqual, shared, weak } from '../../../cosi/index.ts';
import type { Task, TaskHandle } from '../../../platform/task.ts';
import type { Machine } from '../../machine.ts';
import { Dhcp4Operator } from '../../operators/dhcp4.ts';
import type { Operator } from '../../operators/operator.ts';
import { VipOperator } from '../../operators/vip.ts';
import {
  LayeredAddressSpecs,
  LayeredHostnameSpecs,
  LayeredResolverSpecs,
  LayeredRouteSpecs,
  LayeredTimeServerSpecs,
  LinkStatuses,
  type OperatorSpecSpec,
  OperatorSpecs,
} from '../../resources/network.ts';
import { routeId } from './route-config.ts';

interface Running {
  readonly spec: OperatorSpecSpec;
  readonly operator: Operator;
  readonly task: TaskHandle<void>;
}

/** Runs an operator for each merged spec whose link is up, and writes what they want (reference/network-config.md A.2). */
export function operatorSpecController(machine: Machine): Controller {
  return {
    name: 'network.OperatorSpecController',
    inputs: [weak(OperatorSpecs), weak(LinkStatuses)],
    outputs: [
      shared(LayeredAddressSpecs),
      shared(LayeredRouteSpecs),
      shared(LayeredHostnameSpecs),
      shared(LayeredResolverSpecs),
      shared(LayeredTimeServerSpecs),
    ],
    *run(context) {
      const running = new Map<string, Running>();
      for (;;) {
        yield* context.wakeUp();
        yield* reconcile(machine, context, running);
        writeOutputs(context, running);
        context.resetRestartBackoff();
      }
    },
  };
}

function* reconcile(machine: Machine, context: ControllerContext, running: Map<string, Running>): Task<void> {
  const wanted = new Map<string, OperatorSpecSpec>();
  for (const { metadata, spec } of context.list(OperatorSpecs)) {
    const link = context.get(LinkStatuses, spec.linkName);
    const up = link !== undefined && (!spec.requireUp || link.spec.operationalState !== 'down');
    if (up && metadata.phase === 'running') wanted.set(metadata.id, spec);
  }
  for (const [id, entry] of running) {
    if (deepEqual(wanted.get(id), entry.spec)) continue;
    entry.operator.stop();
    // What it wants is withdrawn while it still cleans up after itself.
    writeOutputs(context, running);
    yield* entry.task.join();
    running.delete(id);
  }
  for (const [id, spec] of wanted) {
    if (running.has(id)) continue;
    const operator = createOperator(machine, spec);
    const notify = (): void => context.queueReconcile();
    const task = context.scope.spawn(`operator/${id}`, () => operator.run(notify));
    running.set(id, { spec, operator, task });
  }
}

function createOperator(machine: Machine, spec: OperatorSpecSpec): Operator {
  if (spec.operator === 'dhcp4') return new Dhcp4Operator(machine, spec.linkName, spec.routeMetric);
  return new VipOperator(machine, spec.linkName, spec.vip);
}

function writeOutputs(context: ControllerContext, running: ReadonlyMap<string, Running>): void {
  context.startTrackingOutputs();
  for (const { operator } of running.values()) {
    const { prefix } = operator;
    const outputs = operator.outputs();
    for (const spec of outputs.addresses) {
      context.set(LayeredAddressSpecs, `${prefix}/${spec.linkName}/${spec.address}`, spec);
    }
    for (const spec of outputs.routes) {
      context.set(LayeredRouteSpecs, `${prefix}/${routeId(spec.dst, spec.gateway, spec.priority)}`, spec);
    }
    if (outputs.hostname !== null) context.set(LayeredHostnameSpecs, `${prefix}/hostname`, outputs.hostname);
    if (outputs.resolvers !== null) context.set(LayeredResolverSpecs, `${prefix}/resolvers`, outputs.resolvers);
    if (outputs.timeServers !== null) context.set(LayeredTimeServerSpecs, `${prefix}/timeservers`, outputs.timeServers);
  }
  context.cleanupOutputs(
    LayeredAddressSpecs,
    LayeredRouteSpecs,
    LayeredHostnameSpecs,
    LayeredResolverSpecs,
    LayeredTimeServerSpecs,
  );
}
