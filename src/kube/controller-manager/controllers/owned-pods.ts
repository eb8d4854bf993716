import { toHex, utf8Encode } from '../../../platform/bytes.ts';
import { sha256 } from '../../../platform/hash.ts';
import type { Task } from '../../../platform/task.ts';
import { KubeError } from '../../objects/errors.ts';
import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import { findResource, type ResourceType } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';

const PODS = findResource('v1', 'pods')!;

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: unknown;
  readonly template: PodTemplate;
}

/** Ten letters that name a version of a pod template. */
export function templateHash(template: PodTemplate): string {
  return toHex(sha256(utf8Encode(JSON.stringify(template)))).slice(0, 10);
}

export function ownerOf(object: KubeObject): OwnerReference {
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: object.metadata.uid!,
    controller: true,
  };
}

export function owned(objects: readonly KubeObject[], owner: KubeObject): KubeObject[] {
  return objects.filter(
    (object) => object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) === true,
  );
}

/** Counts for its owner: not on its way out, not over. */
export function isAlive(pod: KubeObject): boolean {
  const phase = (pod.status as { phase?: string } | undefined)?.phase;
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Failed' && phase !== 'Succeeded';
}

/** Creates a pod from a template; the local copy knows it at once, so that the next pass does not create another. */
export function* createPod(
  context: ControllerContext,
  owner: KubeObject,
  template: PodTemplate,
  labels: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, unknown>> = {},
): Task<void> {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace!,
      labels: { ...template.metadata?.labels, ...labels },
      ownerReferences: [ownerOf(owner)],
    },
    spec: { ...template.spec, ...extra },
  };
  context.pods.observe(yield* context.client.create(PODS, owner.metadata.namespace, pod));
}

/** Deletes a pod; one that is gone already is fine. */
export function* removePod(context: ControllerContext, pod: KubeObject, graceSeconds?: number): Task<void> {
  try {
    yield* context.client.remove(PODS, pod.metadata.namespace, pod.metadata.name, {
      uid: pod.metadata.uid!,
      ...(graceSeconds !== undefined && { graceSeconds }),
    });
  } catch (error) {
    if (!(error instanceof KubeError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
  }
}

/** Tells that the status is of this generation of the object. */
export function observedGeneration({ metadata }: KubeObject): { readonly observedGeneration?: number } {
  return metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
}

/** Posts status fields that are different. */
export function* setStatus(
  context: ControllerContext,
  type: ResourceType,
  object: KubeObject,
  status: Readonly<Record<string, unknown>>,
): Task<void> {
  const current = (object.status ?? {}) as Record<string, unknown>;
  if (Object.keys(status).every((key) => current[key] === status[key])) return;
  yield* context.client.update(type, { ...object, status: { ...current, ...status } }, 'status');
}
