import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, shared, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { LayeredTimeServerSpecs, TimeServerSpecs, TimeServerStatuses } from '../../resources/network.ts';

export const DEFAULT_TIME_SERVER = 'time.cloudflare.com';

/** Wants the built-in time server, and those of the config. */
export const timeServerConfigController: Controller = passController({
  name: 'network.TimeServerConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [shared(LayeredTimeServerSpecs)],
  pass: (context) => {
    context.startTrackingOutputs();
    const servers = activeSettings(context)?.machine.time.servers ?? [];
    context.set(LayeredTimeServerSpecs, 'default/timeservers', {
      timeServers: [DEFAULT_TIME_SERVER],
      layer: 'default',
    });
    if (servers.length > 0) {
      const spec = { timeServers: servers, layer: 'configuration' } as const;
      context.set(LayeredTimeServerSpecs, 'configuration/timeservers', spec);
    }
    context.cleanupOutputs(LayeredTimeServerSpecs);
    return undefined;
  },
});

/** The time servers in use. */
export const timeServerSpecController: Controller = passController({
  name: 'network.TimeServerSpecController',
  inputs: [weak(TimeServerSpecs)],
  outputs: [exclusive(TimeServerStatuses)],
  pass: (context) => {
    const wanted = context.get(TimeServerSpecs, 'timeservers');
    if (wanted !== undefined) context.set(TimeServerStatuses, 'timeservers', { timeServers: wanted.spec.timeServers });
    return undefined;
  },
});
