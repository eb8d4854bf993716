import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { withLength } from '../../net/addresses.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { type ConfigLayer, LayeredAddressSpecs, LinkStatuses } from '../../resources/network.ts';
import { configuredDevices } from './devices.ts';

/** Wants the loopback address and the static addresses of the config. */
export const addressConfigController: Controller = passController({
  name: 'network.AddressConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG), weak(LinkStatuses)],
  outputs: [shared(LayeredAddressSpecs)],
  pass: (context) => {
    const devices = configuredDevices(context);
    context.startTrackingOutputs();
    const want = (layer: ConfigLayer, linkName: string, address: string): void => {
      const spec = { address, linkName, announceWithARP: false, layer };
      context.set(LayeredAddressSpecs, `${layer}/${linkName}/${address}`, spec);
    };
    want('default', 'lo', '127.0.0.1/8');
    for (const { link, settings } of devices) {
      if (settings.ignore) continue;
      for (const address of settings.addresses) want('configuration', link, withLength(address));
    }
    context.cleanupOutputs(LayeredAddressSpecs);
    return undefined;
  },
});
