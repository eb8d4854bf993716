import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { isControlPlane } from '../../config/settings.ts';
import { Members } from '../../resources/cluster.ts';
import { Endpoints } from '../../resources/k8s.ts';

/** Addresses of the control planes that discovery knows. */
export const endpointController: Controller = passController({
  name: 'cluster.EndpointController',
  inputs: [weak(Members)],
  outputs: [shared(Endpoints)],
  pass: (context) => {
    const controlPlanes = context.list(Members).filter(({ spec }) => isControlPlane(spec.machineType));
    context.set(Endpoints, 'discovery', { addresses: controlPlanes.flatMap(({ spec }) => spec.addresses) });
    return undefined;
  },
});
