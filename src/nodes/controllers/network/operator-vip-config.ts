import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { LayeredOperatorSpecs, LinkStatuses } from '../../resources/network.ts';
import { configuredDevices } from './devices.ts';

/** Wants a VIP operator for each link with a shared address. */
export const operatorVipConfigController: Controller = passController({
  name: 'network.OperatorVIPConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(LinkStatuses)],
  outputs: [shared(LayeredOperatorSpecs)],
  pass: (context) => {
    const devices = configuredDevices(context);
    context.startTrackingOutputs();
    for (const { link, settings } of devices) {
      if (settings.ignore || settings.vip === '') continue;
      context.set(LayeredOperatorSpecs, `configuration/vip/${link}`, {
        operator: 'vip',
        linkName: link,
        requireUp: true,
        routeMetric: 0,
        vip: settings.vip,
        layer: 'configuration',
      });
    }
    context.cleanupOutputs(LayeredOperatorSpecs);
    return undefined;
  },
});
