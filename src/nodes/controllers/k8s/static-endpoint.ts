import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, passController, shared, weak } from '../../../cosi/index.ts';
import { ipBytes } from '../../../platform/x509/ip.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { Endpoints } from '../../resources/k8s.ts';
import type { Surroundings } from '../../surroundings.ts';

/** Addresses behind the cluster endpoint; resolved once for each change of the config (reference/controllers.md B.5.1). */
export function staticEndpointController(surroundings: Surroundings): Controller {
  return passController({
    name: 'k8s.StaticEndpointController',
    inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
    outputs: [shared(Endpoints)],
    pass: (context) => {
      const settings = activeSettings(context);
      context.startTrackingOutputs();
      if (settings !== undefined) {
        const { host } = settings.cluster.endpoint;
        const addresses = ipBytes(host) !== null ? [host] : surroundings.resolve(host);
        if (addresses.length === 0)
          throw new ControllerError(`error resolving "${host}": lookup ${host}: no such host`);
        context.set(Endpoints, 'controlplane', { addresses });
      }
      context.cleanupOutputs(Endpoints);
      return undefined;
    },
  });
}
