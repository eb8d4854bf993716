import type { Controller } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { RouteStatuses } from '../../resources/network.ts';
import { kernelController } from './kernel-status.ts';
import { routeId } from './route-config.ts';

/** Shows the kernel's routes. */
export function routeStatusController(net: MachineNet): Controller {
  return kernelController('network.RouteStatusController', RouteStatuses, net, (context) => {
    for (const route of net.routes()) {
      const gateway = route.gateway ?? '';
      context.set(RouteStatuses, routeId(route.destination, gateway, route.metric), {
        dst: route.destination,
        gateway,
        outLinkName: route.link,
        priority: route.metric,
      });
    }
  });
}
