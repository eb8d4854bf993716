import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, exclusive, isDefect, passController, weak } from '../../../cosi/index.ts';
import type { EtcdClient } from '../../../etcd/client/client.ts';
import { Mutex } from '../../../etcd/client/mutex.ts';
import { Session } from '../../../etcd/client/session.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findKind } from '../../../kube/objects/resources.ts';
import type { Task } from '../../../platform/task.ts';
import { errorText } from '../../errors.ts';
import { openLocalEtcd, withEtcd } from '../../etcd/client.ts';
import { manifestsApplied } from '../../events.ts';
import { openKubeconfig } from '../../kube/connect.ts';
import type { Machine } from '../../machine.ts';
import { ETCD } from '../../resources/etcd.ts';
import { ManifestStatuses, Manifests } from '../../resources/k8s-control-plane.ts';
import { Services } from '../../resources/runtime.ts';
import { KubernetesSecrets } from '../../resources/secrets.ts';

const MUTEX = 'talos:v1:manifestApplyMutex';
const UNLOCK_US = 30_000_000;

/**
 * Creates the objects of the manifests that the cluster lacks, one control plane at a time; what exists is never
 * touched (reference/controllers.md B.3.5, reference/v1.11.3.md 8.5).
 */
export function manifestApplyController(machine: Machine): Controller {
  return passController({
    name: 'k8s.ManifestApplyController',
    inputs: [weak(KubernetesSecrets, 'k8s-certs'), weak(Manifests), weak(Services, ETCD)],
    outputs: [exclusive(ManifestStatuses)],
    pass: function* (context) {
      const secrets = context.get(KubernetesSecrets, 'k8s-certs');
      if (secrets === undefined || context.get(Services, ETCD)?.spec.healthy !== true) return;
      const manifests = context.list(Manifests);
      if (manifests.length > 0) {
        const objects = inOrder(manifests.flatMap(({ spec }) => spec.items as readonly unknown[] as KubeObject[]));
        const created = yield* applyLocked(machine, secrets.spec.localhostAdminKubeconfig, objects);
        machine.platform.log.event(manifestsApplied, { created });
      }
      context.set(ManifestStatuses, 'manifests', { manifestsApplied: manifests.map(({ metadata }) => metadata.id) });
    },
  });
}

/** Namespaces and definitions of types come before what needs them, each by name; the rest stays as it is. */
function inOrder(objects: readonly KubeObject[]): readonly KubeObject[] {
  const rank = (object: KubeObject): number =>
    object.kind === 'Namespace' ? 0 : object.kind === 'CustomResourceDefinition' ? 1 : 2;
  return [...objects].sort((a, b) => {
    const order = rank(a) - rank(b);
    if (order !== 0 || rank(a) === 2) return order;
    return a.metadata.name < b.metadata.name ? -1 : 1;
  });
}

function* applyLocked(machine: Machine, kubeconfig: string, objects: readonly KubeObject[]): Task<number> {
  try {
    return yield* withEtcd(openLocalEtcd(machine), (etcd) => lockAndApply(machine, etcd, kubeconfig, objects));
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new ControllerError(errorText(error));
  }
}

/** A pass that is cut short leaves its lock to the end of its lease. */
function* lockAndApply(
  machine: Machine,
  etcd: EtcdClient,
  kubeconfig: string,
  objects: readonly KubeObject[],
): Task<number> {
  const session = yield* Session.open(etcd);
  const mutex = new Mutex(session, MUTEX);
  let created = 0;
  let failure: unknown;
  try {
    yield* mutex.lock();
    created = yield* applyAll(machine, kubeconfig, objects);
  } catch (error) {
    if (isDefect(error)) throw error;
    failure = error;
  }
  yield* release(mutex, session);
  if (failure !== undefined) throw failure;
  return created;
}

/** What cannot be given back now is given back by the end of the lease. */
function* release(mutex: Mutex, session: Session): Task<void> {
  try {
    yield* mutex.unlock({ timeoutUs: UNLOCK_US });
  } catch (error) {
    if (isDefect(error)) throw error;
  }
  try {
    yield* session.close({ timeoutUs: UNLOCK_US });
  } catch (error) {
    if (isDefect(error)) throw error;
  }
}

function* applyAll(machine: Machine, kubeconfig: string, objects: readonly KubeObject[]): Task<number> {
  const client = openKubeconfig(machine, kubeconfig);
  try {
    let created = 0;
    for (const object of objects) if (yield* createIfMissing(machine, client, object)) created++;
    return created;
  } finally {
    client.close();
  }
}

function* createIfMissing(machine: Machine, client: KubeClient, object: KubeObject): Task<boolean> {
  const { apiVersion, kind, metadata } = object;
  const type = findKind(apiVersion, kind);
  if (type === undefined) {
    throw new ControllerError(
      `error creating mapping for object ${apiVersion}/${kind}/${metadata.name}: no matches for kind "${kind}" in version "${apiVersion}"`,
    );
  }
  const namespace = type.namespaced ? (metadata.namespace ?? 'default') : undefined;
  if ((yield* client.find(type, namespace, metadata.name)) !== undefined) return false;
  try {
    yield* client.create(type, namespace, object);
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return false;
    throw error;
  }
  machine.kmsg.talos(`created ${apiVersion}/${kind}/${metadata.name}`);
  return true;
}
