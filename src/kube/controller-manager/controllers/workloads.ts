import type { Task } from '../../../platform/task.ts';
import { onChange } from '../../component/loop.ts';
import { isReady } from '../../objects/conditions.ts';
import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import { findResource, type ResourceType } from '../../objects/resources.ts';
import { tolerates } from '../../objects/taints.ts';
import type { ControllerContext } from '../context.ts';

const PODS = findResource('v1', 'pods')!;
const DAEMON_SETS = findResource('apps/v1', 'daemonsets')!;
const DEPLOYMENTS = findResource('apps/v1', 'deployments')!;
const REPLICA_SETS = findResource('apps/v1', 'replicasets')!;
const PERIOD_US = 30_000_000;

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: unknown;
  readonly template: PodTemplate;
}

/** Deployments, ReplicaSets and DaemonSets: the pods they own, and their status. */
export function* runWorkloads(context: ControllerContext): Task<never> {
  const sources = [context.daemonSets, context.deployments, context.replicaSets, context.pods, context.nodes];
  return yield* onChange(
    context.platform.clock,
    sources.map((source) => source.changed),
    PERIOD_US,
    function* () {
      if (!sources.every((source) => source.synced)) return;
      for (const deployment of context.deployments.items()) yield* syncDeployment(context, deployment);
      for (const set of context.replicaSets.items()) yield* syncReplicaSet(context, set);
      for (const set of context.daemonSets.items()) yield* syncDaemonSet(context, set);
    },
  );
}

function ownerOf(object: KubeObject): OwnerReference {
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: object.metadata.uid!,
    controller: true,
  };
}

function owned(objects: readonly KubeObject[], owner: KubeObject): KubeObject[] {
  return objects.filter(
    (object) => object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) === true,
  );
}

function alive(pod: KubeObject): boolean {
  const phase = (pod.status as { phase?: string } | undefined)?.phase;
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}

function* createPod(
  context: ControllerContext,
  owner: KubeObject,
  template: PodTemplate,
  extra: Readonly<Record<string, unknown>>,
): Task<void> {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace!,
      ...(template.metadata?.labels !== undefined && { labels: template.metadata.labels }),
      ownerReferences: [ownerOf(owner)],
    },
    spec: { ...template.spec, ...extra },
  };
  yield* context.client.create(PODS, owner.metadata.namespace, pod);
}

function* setStatus(
  context: ControllerContext,
  type: ResourceType,
  object: KubeObject,
  status: Readonly<Record<string, unknown>>,
): Task<void> {
  const current = (object.status ?? {}) as Record<string, unknown>;
  if (Object.keys(status).every((key) => current[key] === status[key])) return;
  yield* context.client.update(type, { ...object, status: { ...current, ...status } }, 'status');
}

function* syncDeployment(context: ControllerContext, deployment: KubeObject): Task<void> {
  const spec = deployment.spec as WorkloadSpec;
  const replicas = spec.replicas ?? 1;
  const [existing] = owned(context.replicaSets.items(), deployment);
  if (existing === undefined) {
    const set: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: '',
        generateName: `${deployment.metadata.name}-`,
        namespace: deployment.metadata.namespace!,
        ...(spec.template.metadata?.labels !== undefined && { labels: spec.template.metadata.labels }),
        ownerReferences: [ownerOf(deployment)],
      },
      spec: { replicas, selector: spec.selector, template: spec.template },
    };
    yield* context.client.create(REPLICA_SETS, deployment.metadata.namespace, set);
    return;
  }
  if ((existing.spec as WorkloadSpec).replicas !== replicas) {
    yield* context.client.update(REPLICA_SETS, { ...existing, spec: { ...(existing.spec as object), replicas } });
  }
  const pods = owned(context.pods.items(), existing).filter(alive);
  const ready = pods.filter(isReady).length;
  yield* setStatus(context, DEPLOYMENTS, deployment, {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: pods.length,
  });
}

function* syncReplicaSet(context: ControllerContext, set: KubeObject): Task<void> {
  const spec = set.spec as WorkloadSpec;
  const pods = owned(context.pods.items(), set).filter(alive);
  const missing = (spec.replicas ?? 1) - pods.length;
  for (let i = 0; i < missing; i++) yield* createPod(context, set, spec.template, {});
  for (const pod of pods.slice(0, Math.max(0, -missing)))
    yield* context.client.remove(PODS, pod.metadata.namespace, pod.metadata.name);
  yield* setStatus(context, REPLICA_SETS, set, { replicas: pods.length, readyReplicas: pods.filter(isReady).length });
}

/** Taints that the controller's pods tolerate whatever their template says. */
const DAEMON_TOLERATIONS: readonly object[] = Object.freeze(
  ['not-ready', 'unreachable']
    .map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect: 'NoExecute' }))
    .concat(
      ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'network-unavailable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoSchedule',
      })),
    ),
);

function* syncDaemonSet(context: ControllerContext, set: KubeObject): Task<void> {
  const spec = set.spec as WorkloadSpec;
  const tolerations = [...((spec.template.spec.tolerations ?? []) as readonly object[]), ...DAEMON_TOLERATIONS];
  const nodes = context.nodes.items().filter((node) => tolerates(node, tolerations, true));
  const pods = owned(context.pods.items(), set).filter(alive);
  const hasPod = new Set(pods.map(targetNode));
  for (const node of nodes) {
    if (hasPod.has(node.metadata.name)) continue;
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node.metadata.name] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    };
    yield* createPod(context, set, spec.template, { affinity, tolerations });
  }
  const wanted = new Set(nodes.map((node) => node.metadata.name));
  for (const pod of pods)
    if (!wanted.has(targetNode(pod))) yield* context.client.remove(PODS, pod.metadata.namespace, pod.metadata.name);
  const ready = pods.filter(isReady).length;
  yield* setStatus(context, DAEMON_SETS, set, {
    desiredNumberScheduled: nodes.length,
    currentNumberScheduled: pods.length,
    numberReady: ready,
    numberAvailable: ready,
  });
}

/** The node a daemon pod is meant for, bound or not. */
export function targetNode(pod: KubeObject): string {
  const spec = pod.spec as {
    nodeName?: string;
    affinity?: {
      nodeAffinity?: {
        requiredDuringSchedulingIgnoredDuringExecution?: {
          nodeSelectorTerms: readonly { matchFields?: readonly { values: readonly string[] }[] }[];
        };
      };
    };
  };
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec.nodeName ?? terms?.[0]?.matchFields?.[0]?.values[0] ?? '';
}
