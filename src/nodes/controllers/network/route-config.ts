import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { isIpv6 } from '../../net/addresses.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { LayeredRouteSpecs, LinkStatuses } from '../../resources/network.ts';
import { configuredDevices } from './devices.ts';

/** Wants the routes of the config. */
export const routeConfigController: Controller = passController({
  name: 'network.RouteConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(LinkStatuses)],
  outputs: [shared(LayeredRouteSpecs)],
  pass: (context) => {
    const devices = configuredDevices(context);
    context.startTrackingOutputs();
    for (const { link, settings } of devices) {
      if (settings.ignore) continue;
      for (const { network, gateway, metric } of settings.routes) {
        const dst = network === '' ? (isIpv6(gateway) ? '::/0' : '0.0.0.0/0') : network;
        context.set(LayeredRouteSpecs, `configuration/${routeId(dst, gateway, metric)}`, {
          dst,
          gateway,
          outLinkName: link,
          priority: metric,
          layer: 'configuration',
        });
      }
    }
    context.cleanupOutputs(LayeredRouteSpecs);
    return undefined;
  },
});

export function routeId(dst: string, gateway: string, priority: number): string {
  return `${isIpv6(dst) ? 'inet6' : 'inet4'}/${gateway}/${dst}/${priority}`;
}
