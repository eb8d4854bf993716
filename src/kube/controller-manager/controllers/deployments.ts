import type { Task } from '../../../platform/task.ts';
import { isReady } from '../../objects/conditions.ts';
import { KubeError } from '../../objects/errors.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findResource } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';
import {
  createPod,
  isAlive,
  observedGeneration,
  owned,
  ownerOf,
  removePod,
  setStatus,
  templateHash,
  type WorkloadSpec,
} from './owned-pods.ts';

const DEPLOYMENTS = findResource('apps/v1', 'deployments')!;
const REPLICA_SETS = findResource('apps/v1', 'replicasets')!;
const HASH_LABEL = 'pod-template-hash';

/**
 * One ReplicaSet for each version of the template. A new version is brought up whole beside the old one, which goes when
 * the new one is ready (the real rollout mixes them within maxSurge and maxUnavailable).
 */
export function* syncDeployment(context: ControllerContext, deployment: KubeObject): Task<void> {
  const spec = deployment.spec as WorkloadSpec;
  const replicas = spec.replicas ?? 1;
  const name = `${deployment.metadata.name}-${templateHash(spec.template)}`;
  const sets = owned(context.replicaSets.items(), deployment);
  const current = sets.find((set) => set.metadata.name === name) ?? (yield* createSet(context, deployment, name));
  if (current === undefined) return;
  yield* scale(context, current, replicas);
  const ready = readyOf(context, current);
  for (const set of sets) if (set !== current && ready >= replicas) yield* scale(context, set, 0);
  const total = sets.reduce((sum, set) => sum + podsOf(context, set).length, 0);
  const readyTotal = sets.reduce((sum, set) => sum + readyOf(context, set), 0);
  yield* setStatus(context, DEPLOYMENTS, deployment, {
    ...observedGeneration(deployment),
    replicas: total,
    readyReplicas: readyTotal,
    availableReplicas: readyTotal,
    updatedReplicas: podsOf(context, current).length,
  });
}

function podsOf(context: ControllerContext, set: KubeObject): KubeObject[] {
  return owned(context.pods.items(), set).filter(isAlive);
}

function readyOf(context: ControllerContext, set: KubeObject): number {
  return podsOf(context, set).filter(isReady).length;
}

function* createSet(context: ControllerContext, deployment: KubeObject, name: string): Task<KubeObject | undefined> {
  const spec = deployment.spec as WorkloadSpec;
  const hash = { [HASH_LABEL]: templateHash(spec.template) };
  const labels = { ...spec.template.metadata?.labels, ...hash };
  const set: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace!,
      labels,
      ownerReferences: [ownerOf(deployment)],
    },
    spec: { replicas: spec.replicas ?? 1, selector: spec.selector, template: spec.template },
  };
  try {
    const created = yield* context.client.create(REPLICA_SETS, deployment.metadata.namespace, set);
    context.replicaSets.observe(created);
    return created;
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

function* scale(context: ControllerContext, set: KubeObject, replicas: number): Task<void> {
  if ((set.spec as WorkloadSpec).replicas === replicas) return;
  const changed = { ...set, spec: { ...(set.spec as object), replicas } };
  context.replicaSets.observe(yield* context.client.update(REPLICA_SETS, changed));
}

export function* syncReplicaSet(context: ControllerContext, set: KubeObject): Task<void> {
  const spec = set.spec as WorkloadSpec;
  const pods = podsOf(context, set);
  const missing = (spec.replicas ?? 1) - pods.length;
  const hash = set.metadata.labels?.[HASH_LABEL];
  for (let i = 0; i < missing; i++)
    yield* createPod(context, set, spec.template, hash === undefined ? {} : { [HASH_LABEL]: hash });
  // Pods that are not ready go first.
  const surplus = pods.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)));
  for (const pod of surplus.slice(0, Math.max(0, -missing))) yield* removePod(context, pod);
  yield* setStatus(context, REPLICA_SETS, set, {
    ...observedGeneration(set),
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
  });
}
