import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { type ConfigLayer, LayeredOperatorSpecs, LinkStatuses } from '../../resources/network.ts';
import { configuredDevices } from './devices.ts';

const DHCP_METRIC = 1024;

/** Wants DHCP on physical links that nothing else configures, and where the config asks for it. */
export const operatorConfigController: Controller = passController({
  name: 'network.OperatorConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(LinkStatuses)],
  outputs: [shared(LayeredOperatorSpecs)],
  pass: (context) => {
    const links = context.list(LinkStatuses);
    const devices = configuredDevices(context);
    context.startTrackingOutputs();
    const want = (layer: ConfigLayer, linkName: string): void => {
      context.set(LayeredOperatorSpecs, `${layer}/dhcp4/${linkName}`, {
        operator: 'dhcp4',
        linkName,
        requireUp: true,
        routeMetric: DHCP_METRIC,
        vip: '',
        layer,
      });
    };
    for (const { link, settings } of devices) if (settings.dhcp && !settings.ignore) want('configuration', link);
    for (const link of links) {
      const name = link.metadata.id;
      if (link.spec.physical && !devices.some((device) => device.link === name)) want('default', name);
    }
    context.cleanupOutputs(LayeredOperatorSpecs);
    return undefined;
  },
});
