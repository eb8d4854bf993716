import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, passController, shared, weak } from '../../../cosi/index.ts';
import { NetError } from '../../../platform/errors.ts';
import type { Net } from '../../../platform/net.ts';
import type { Task } from '../../../platform/task.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { Endpoints } from '../../resources/k8s.ts';

/** Addresses behind the cluster endpoint; resolved once for each change of the config (reference/controllers.md B.5.1). */
export function staticEndpointController(net: Net): Controller {
  return passController({
    name: 'k8s.StaticEndpointController',
    inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
    outputs: [shared(Endpoints)],
    pass: function* (context) {
      const settings = activeSettings(context);
      context.startTrackingOutputs();
      if (settings !== undefined) {
        const { host } = settings.cluster.endpoint;
        context.set(Endpoints, 'controlplane', { addresses: yield* resolved(net, host) });
      }
      context.cleanupOutputs(Endpoints);
    },
  });
}

function* resolved(net: Net, host: string): Task<readonly string[]> {
  try {
    return yield* net.lookup(host);
  } catch (error) {
    if (error instanceof NetError) throw new ControllerError(`error resolving "${host}": ${error.message}`);
    throw error;
  }
}
