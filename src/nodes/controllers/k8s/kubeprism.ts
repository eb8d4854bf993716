import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { ControllerError, exclusive, weak } from '../../../cosi/index.ts';
import { NetError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { kubePrismHealth, kubePrismUpstream } from '../../events.ts';
import { LoadBalancer } from '../../kubeprism/load-balancer.ts';
import type { Machine } from '../../machine.ts';
import { type KubePrismConfigSpec, KubePrismConfigs, KubePrismStatuses } from '../../resources/k8s.ts';

const CONFIG = 'k8s-loadbalancer-config';
const STATUS = 'k8s-loadbalancer';
const TICK_US = 5_000_000;

/** Runs the load balancer in front of the Kubernetes API servers (reference/network-config.md B). */
export function kubePrismController(machine: Machine): Controller {
  return {
    name: 'k8s.KubePrismController',
    inputs: [weak(KubePrismConfigs, CONFIG)],
    outputs: [exclusive(KubePrismStatuses)],
    *run(context) {
      let running: { readonly config: KubePrismConfigSpec; readonly balancer: LoadBalancer } | undefined;
      context.scope.spawn('tick', function* () {
        for (;;) {
          yield* machine.platform.clock.sleep(TICK_US);
          if (running !== undefined) context.queueReconcile();
        }
      });
      for (;;) {
        yield* context.wakeUp();
        const config = context.get(KubePrismConfigs, CONFIG)?.spec;
        if (running !== undefined && (config?.host !== running.config.host || config.port !== running.config.port)) {
          running.balancer.stop();
          running = undefined;
        }
        if (config === undefined) {
          context.destroy(KubePrismStatuses, STATUS);
          continue;
        }
        running ??= { config, balancer: yield* start(machine, context, config) };
        running.balancer.setEndpoints(config.endpoints);
        report(machine, context, config, running.balancer);
        context.resetRestartBackoff();
      }
    },
  };
}

function* start(machine: Machine, context: ControllerContext, config: KubePrismConfigSpec): Task<LoadBalancer> {
  const balancer = new LoadBalancer({
    platform: machine.platform,
    scope: context.scope.child('balancer'),
    onUsable: ({ key }, usable) => machine.platform.log.event(kubePrismUpstream, { upstream: key, usable }),
  });
  try {
    yield* balancer.start(config.host, config.port);
  } catch (error) {
    if (error instanceof NetError) throw new ControllerError(`failed to start loadbalancer: ${error.message}`);
    throw error;
  }
  machine.kmsg.talos('KubePrism is enabled');
  return balancer;
}

/** Asking for the health is a pick like any other and moves the turn on (quirk). */
function report(
  machine: Machine,
  context: ControllerContext,
  config: KubePrismConfigSpec,
  balancer: LoadBalancer,
): void {
  const healthy = balancer.list.pick() !== undefined;
  const before = context.get(KubePrismStatuses, STATUS)?.spec.healthy;
  if (before === healthy) return;
  context.set(KubePrismStatuses, STATUS, { host: `${config.host}:${config.port}`, healthy });
  machine.platform.log.event(kubePrismHealth, { healthy });
}
