import type { ConfigValue } from '../../../config/schema/types.ts';
import { objectsAt, stringsAt } from '../../../config/view.ts';
import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { ControllerError, isDefect, shared, weak } from '../../../cosi/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { Reflector } from '../../../kube/client/reflector.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import type { Task } from '../../../platform/task.ts';
import { isControlPlane } from '../../config/settings.ts';
import { errorText } from '../../errors.ts';
import { openKubeconfig, openKubeletClient } from '../../kube/connect.ts';
import type { Machine } from '../../machine.ts';
import { sortedUnique } from '../../net/addresses.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { Endpoints } from '../../resources/k8s.ts';
import { KubernetesSecrets } from '../../resources/secrets.ts';

const POLL_US = 1_000_000;
const SLICES = findResource('discovery.k8s.io/v1', 'endpointslices')!;

/** Addresses of the API servers as the cluster itself lists them; never withdrawn (reference/controllers.md B.5.1). */
export function kubernetesEndpointController(machine: Machine): Controller {
  return {
    name: 'k8s.EndpointController',
    inputs: [weak(MachineTypes, MACHINE_TYPE)],
    outputs: [shared(Endpoints)],
    *run(context) {
      for (;;) {
        yield* context.wakeUp();
        const type = context.get(MachineTypes, MACHINE_TYPE)?.spec;
        if (type === undefined) continue;
        if (isControlPlane(type)) yield* followAsAdmin(machine, context);
        else yield* followAsKubelet(machine, context);
      }
    },
  };
}

/** The admin's kubeconfig names the cluster endpoint: it has to work before the local API server runs. */
function* followAsAdmin(machine: Machine, context: ControllerContext): Task<void> {
  context.updateInputs([weak(MachineTypes, MACHINE_TYPE), weak(KubernetesSecrets, 'k8s-certs')]);
  for (;;) {
    const secrets = context.get(KubernetesSecrets, 'k8s-certs');
    if (secrets === undefined) yield* context.wakeUp();
    else yield* follow(machine, context, openKubeconfig(machine, secrets.spec.adminKubeconfig));
  }
}

function* followAsKubelet(machine: Machine, context: ControllerContext): Task<void> {
  let client = yield* openKubeletClient(machine);
  while (client === undefined) {
    yield* machine.platform.clock.sleep(POLL_US);
    client = yield* openKubeletClient(machine);
  }
  yield* follow(machine, context, client);
}

/** Until an input changes. */
function* follow(machine: Machine, context: ControllerContext, client: KubeClient): Task<void> {
  const reflector = new Reflector(client, machine.platform.clock, SLICES, 'default', {
    fieldSelector: 'metadata.name=kubernetes',
  });
  let seen = -1;
  const unsubscribe = context.wakeOn(reflector.changed);
  const task = context.scope.spawn('slices', () => reflector.run());
  try {
    for (;;) {
      yield* context.wakeUp();
      if (reflector.changed.version === seen) return;
      seen = reflector.changed.version;
      const addresses = reflector.items().flatMap((slice) => addressesOf(slice.endpoints));
      if (addresses.length > 0) context.set(Endpoints, 'kube-apiserver', { addresses: sortedUnique(addresses) });
      context.resetRestartBackoff();
    }
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new ControllerError(`error watching kubernetes endpoints: ${errorText(error)}`);
  } finally {
    task.cancel();
    unsubscribe();
    client.close();
  }
}

function addressesOf(endpoints: unknown): readonly string[] {
  return objectsAt(endpoints as ConfigValue).flatMap((endpoint) => stringsAt(endpoint, 'addresses'));
}
