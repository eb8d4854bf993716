import type { Controller } from '../../../cosi/index.ts';
import { exclusive } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { isIpv6 } from '../../net/addresses.ts';
import { RouteStatuses } from '../../resources/network.ts';

/** Shows the kernel's routes. */
export function routeStatusController(net: MachineNet): Controller {
  return {
    name: 'network.RouteStatusController',
    inputs: [],
    outputs: [exclusive(RouteStatuses)],
    *run(context) {
      const unsubscribe = net.onChange(() => context.queueReconcile());
      try {
        for (;;) {
          yield* context.wakeUp();
          context.startTrackingOutputs();
          for (const route of net.routes()) {
            const family = isIpv6(route.destination) ? 'inet6' : 'inet4';
            const gateway = route.gateway ?? '';
            context.set(RouteStatuses, `${family}/${gateway}/${route.destination}/${route.metric}`, {
              dst: route.destination,
              gateway,
              outLinkName: route.link,
              priority: route.metric,
            });
          }
          context.cleanupOutputs(RouteStatuses);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
