import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, shared, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { LayeredResolverSpecs, ResolverSpecs, ResolverStatuses } from '../../resources/network.ts';

const DEFAULT_RESOLVERS: readonly string[] = Object.freeze(['1.1.1.1', '8.8.8.8']);

/** Wants the built-in name servers, and those of the config. */
export const resolverConfigController: Controller = passController({
  name: 'network.ResolverConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [shared(LayeredResolverSpecs)],
  pass: (context) => {
    context.startTrackingOutputs();
    const servers = activeSettings(context)?.machine.network.nameservers ?? [];
    context.set(LayeredResolverSpecs, 'default/resolvers', { dnsServers: DEFAULT_RESOLVERS, layer: 'default' });
    if (servers.length > 0) {
      context.set(LayeredResolverSpecs, 'configuration/resolvers', { dnsServers: servers, layer: 'configuration' });
    }
    context.cleanupOutputs(LayeredResolverSpecs);
    return undefined;
  },
});

/** The name servers in use. */
export const resolverSpecController: Controller = passController({
  name: 'network.ResolverSpecController',
  inputs: [weak(ResolverSpecs)],
  outputs: [exclusive(ResolverStatuses)],
  pass: (context) => {
    const wanted = context.get(ResolverSpecs, 'resolvers');
    if (wanted !== undefined) context.set(ResolverStatuses, 'resolvers', { dnsServers: wanted.spec.dnsServers });
    return undefined;
  },
});
