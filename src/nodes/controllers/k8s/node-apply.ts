import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { ControllerError, isDefect, passController, weak } from '../../../cosi/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import { retry } from '../../../platform/retry.ts';
import type { Task } from '../../../platform/task.ts';
import { isControlPlane } from '../../config/settings.ts';
import { errorText } from '../../errors.ts';
import { openKubeconfig, openKubeletClient } from '../../kube/connect.ts';
import { applyToNode, type NodeWishes } from '../../kube/node-patch.ts';
import type { Machine } from '../../machine.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import {
  NodeAnnotationSpecs,
  NodeCordonedSpecs,
  NodeLabelSpecs,
  Nodenames,
  NodeStatuses,
  NodeTaintSpecs,
} from '../../resources/k8s.ts';
import { KubernetesSecrets } from '../../resources/secrets.ts';

const LIMIT_US = 10_000_000;
const PAUSE_US = 100_000;
const REQUEST_US = 30_000_000;
const NODES = findResource('v1', 'nodes')!;

/** Puts labels, annotations, taints and the cordon on the Node (reference/controllers.md B.6). */
export function nodeApplyController(machine: Machine): Controller {
  return passController({
    name: 'k8s.NodeApplyController',
    inputs: [
      weak(NodeAnnotationSpecs),
      weak(NodeLabelSpecs),
      weak(NodeTaintSpecs),
      weak(NodeCordonedSpecs),
      weak(NodeStatuses),
      weak(KubernetesSecrets, 'k8s-certs'),
      weak(Nodenames, 'nodename'),
      weak(MachineTypes, MACHINE_TYPE),
    ],
    outputs: [],
    pass: function* (context) {
      const nodename = context.get(Nodenames, 'nodename')?.spec;
      if (nodename === undefined || nodename.skipNodeRegistration) return;
      const client = yield* openClient(machine, context);
      if (client === undefined) return;
      try {
        yield* apply(machine, client, nodename.nodename, wishes(context));
      } catch (error) {
        if (isDefect(error)) throw error;
        throw new ControllerError(`error syncing node "${nodename.nodename}": ${errorText(error)}`);
      } finally {
        client.close();
      }
    },
  });
}

/** Control planes act as admin through the local endpoint, workers as their kubelet. */
function* openClient(machine: Machine, context: ControllerContext): Task<KubeClient | undefined> {
  const type = context.get(MachineTypes, MACHINE_TYPE)?.spec;
  if (type === undefined) return undefined;
  if (!isControlPlane(type)) return yield* openKubeletClient(machine, REQUEST_US);
  const secrets = context.get(KubernetesSecrets, 'k8s-certs')?.spec;
  return secrets === undefined ? undefined : openKubeconfig(machine, secrets.localhostAdminKubeconfig, REQUEST_US);
}

function wishes(context: ControllerContext): NodeWishes {
  const pairs = (list: readonly { readonly spec: { readonly key: string; readonly value: string } }[]) =>
    Object.fromEntries(list.map(({ spec }) => [spec.key, spec.value]));
  return {
    labels: pairs(context.list(NodeLabelSpecs)),
    annotations: pairs(context.list(NodeAnnotationSpecs)),
    taints: context.list(NodeTaintSpecs).map(({ spec }) => spec),
    cordoned: context.get(NodeCordonedSpecs, 'cordoned') !== undefined,
  };
}

function* apply(machine: Machine, client: KubeClient, name: string, wanted: NodeWishes): Task<void> {
  const options = {
    limitUs: LIMIT_US,
    pauseUs: () => PAUSE_US,
    retryable: (error: unknown) =>
      error instanceof KubeError && (error.reason === 'Conflict' || error.reason === 'Forbidden'),
  };
  yield* retry(machine.platform.clock, options, function* () {
    const node: KubeObject = yield* client.get(NODES, undefined, name);
    const updated = applyToNode(node, wanted);
    // Talos updates also without a difference; a request that changes nothing is left out here.
    if (updated !== node) yield* client.update(NODES, updated);
  });
}
