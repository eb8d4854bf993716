import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { NodeAddressFilters } from '../../resources/network.ts';

/** Tells node addresses from those of pods and services. */
export const addressFilterController: Controller = passController({
  name: 'k8s.AddressFilterController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [exclusive(NodeAddressFilters)],
  pass: (context) => {
    const settings = activeSettings(context);
    context.startTrackingOutputs();
    if (settings !== undefined) {
      const { podSubnets, serviceSubnets } = settings.cluster;
      const kubernetes = [...podSubnets, ...serviceSubnets];
      context.set(NodeAddressFilters, 'no-k8s', { includeSubnets: [], excludeSubnets: kubernetes });
      context.set(NodeAddressFilters, 'only-k8s', { includeSubnets: kubernetes, excludeSubnets: [] });
    }
    context.cleanupOutputs(NodeAddressFilters);
    return undefined;
  },
});
