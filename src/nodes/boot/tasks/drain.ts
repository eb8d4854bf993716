import { isDefect, waitFor } from '../../../cosi/index.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findResource } from '../../../kube/objects/resources.ts';
import { all, timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import { retry } from '../../../platform/retry.ts';
import type { Task } from '../../../platform/task.ts';
import { errorText, NodeError } from '../../errors.ts';
import { openKubeletClient } from '../../kube/connect.ts';
import type { Machine } from '../../machine.ts';
import { Nodenames, NodeStatuses } from '../../resources/k8s.ts';

const CORDON_LIMIT_US = 60_000_000;
const DRAIN_LIMIT_US = 300_000_000;
const EVICTION_RETRY_US = 5_000_000;
const DELETION_LIMIT_US = 60_000_000;
const DELETION_POLL_US = 1_000_000;
const GRACE_SEC = 60;
const REQUEST_US = 30_000_000;
const PODS = findResource('v1', 'pods')!;
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Waits until the Node is cordoned, then evicts its pods; a machine whose kubelet never joined has none. Not cordoned
 * within a minute is an error, a pod that stays is only a warning (reference/lifecycle-api-cli.md A.3).
 */
export function* cordonAndDrain(machine: Machine): Task<void> {
  const nodename = machine.state.get(Nodenames, 'nodename')?.spec;
  if (nodename === undefined || nodename.skipNodeRegistration) return;
  const client = yield* openKubeletClient(machine, REQUEST_US);
  if (client === undefined) return;
  try {
    yield* waitUntilCordoned(machine, nodename.nodename);
    yield* timeout(machine.platform.clock, DRAIN_LIMIT_US, drain(machine, client, nodename.nodename));
  } catch (error) {
    if (error instanceof TimeoutError) throw new NodeError('context deadline exceeded');
    throw error;
  } finally {
    client.close();
  }
}

function* waitUntilCordoned(machine: Machine, name: string): Task<void> {
  const cordoned = waitFor(machine.state, NodeStatuses, name, (status) => status?.spec.unschedulable === true);
  yield* timeout(machine.platform.clock, CORDON_LIMIT_US, cordoned);
}

function* drain(machine: Machine, client: KubeClient, name: string): Task<void> {
  const { items } = yield* client.list(PODS, undefined, { fieldSelector: `spec.nodeName=${name}` });
  yield* all(items.filter(isEvictable).map((pod) => evict(machine, client, pod)));
}

/** Mirror pods, pods of DaemonSets and pods that nothing manages stay. */
function isEvictable(pod: KubeObject): boolean {
  if (pod.metadata.annotations?.[MIRROR] !== undefined) return false;
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller !== undefined && controller.kind !== 'DaemonSet';
}

function* evict(machine: Machine, client: KubeClient, pod: KubeObject): Task<void> {
  const { name, namespace = 'default', uid } = pod.metadata;
  try {
    yield* requestEviction(machine, client, namespace, name);
    yield* timeout(machine.platform.clock, DELETION_LIMIT_US, waitUntilGone(machine, client, namespace, name, uid));
  } catch (error) {
    if (isDefect(error)) throw error;
    machine.kmsg.talos(`WARNING: failed to evict pod: ${errorText(error)}`);
  }
}

/** A disruption budget answers TooManyRequests until there is room. */
function* requestEviction(machine: Machine, client: KubeClient, namespace: string, name: string): Task<void> {
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { gracePeriodSeconds: GRACE_SEC },
  };
  const options = {
    limitUs: DRAIN_LIMIT_US,
    pauseUs: () => EVICTION_RETRY_US,
    retryable: (error: unknown) => error instanceof KubeError && error.code === 429,
  };
  yield* retry(machine.platform.clock, options, () => client.createBelow(PODS, namespace, name, 'eviction', eviction));
}

function* waitUntilGone(
  machine: Machine,
  client: KubeClient,
  namespace: string,
  name: string,
  uid: string | undefined,
): Task<void> {
  for (;;) {
    const now = yield* client.find(PODS, namespace, name);
    if (now === undefined || now.metadata.uid !== uid) return;
    yield* machine.platform.clock.sleep(DELETION_POLL_US);
  }
}
