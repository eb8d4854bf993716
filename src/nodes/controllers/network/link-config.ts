import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { type ConfigLayer, LayeredLinkSpecs, LinkStatuses } from '../../resources/network.ts';
import { configuredDevices } from './devices.ts';

/** Wants links up: the physical ones by default, the configured ones with their settings. */
export const linkConfigController: Controller = passController({
  name: 'network.LinkConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(LinkStatuses)],
  outputs: [shared(LayeredLinkSpecs)],
  pass: (context) => {
    const links = context.list(LinkStatuses);
    const devices = configuredDevices(context);
    context.startTrackingOutputs();
    const want = (layer: ConfigLayer, name: string, mtu: number): void => {
      context.set(LayeredLinkSpecs, `${layer}/${name}`, { name, up: true, mtu, layer });
    };
    for (const { link, settings } of devices) if (!settings.ignore) want('configuration', link, settings.mtuBytes);
    for (const link of links) {
      const name = link.metadata.id;
      const mentioned = devices.some((device) => device.link === name);
      if (name === 'lo' || (link.spec.physical && !mentioned)) want('default', name, 0);
    }
    context.cleanupOutputs(LayeredLinkSpecs);
    return undefined;
  },
});
