import { Document } from 'yaml';
import { unifiedDiff } from '../../../config/text/diff.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import type { KubeObject } from '../../../kube/objects/object.ts';
import { findKind, type ResourceType } from '../../../kube/objects/resources.ts';
import { SECOND_US } from '../../../platform/clock.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import type { Task } from '../../../platform/task.ts';
import { specOf } from '../resource-text.ts';
import { listResources } from '../resources.ts';
import { CommandFailure } from '../run.ts';
import { everyTenSeconds, isRetryable } from './go-retry.ts';
import { waitForRollouts } from './rollout.ts';
import { apiErrorText, type Upgrade } from './run.ts';

const OBJECT_LIMIT_US = 180 * SECOND_US;

/** Fields that the API server fills in. */
const SERVER_FIELDS: readonly string[] = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'finalizers',
  'selfLink',
  'ownerReferences',
];

/** What came of one object of the manifests. */
interface Outcome {
  /** What changes, as a diff; empty when nothing does. */
  readonly diff: string;
  /** The object as the API server has it now; undefined when it was left alone. */
  readonly applied: KubeObject | undefined;
}

/**
 * Brings the objects of the bootstrap manifests to what the first control plane renders: creates and updates, deletes
 * nothing (reference/v1.11.3.md 14).
 */
export function* syncManifests(upgrade: Upgrade, kube: KubeClient): Task<void> {
  const { cluster, options } = upgrade;
  const [node = ''] = cluster.talos.nodes;
  const found = yield* listResources(cluster.talos, node, 'Manifests.kubernetes.talos.dev', 'controlplane');
  const objects = found.flatMap((resource) => specOf(resource) as readonly KubeObject[]);
  cluster.log('updating manifests');
  const updated: KubeObject[] = [];
  for (const object of objects) {
    const { diff, applied } = yield* syncPatiently(upgrade, kube, object);
    cluster.log(` > processing manifest ${pathOf(object)}`);
    if (diff === '') {
      cluster.log(' < no changes');
      continue;
    }
    cluster.log(diff);
    cluster.log(applied === undefined ? ' < dry run, change skipped' : ' < applied successfully');
    if (applied !== undefined) updated.push(applied);
  }
  if (options.dryRun) return;
  cluster.log('waiting for all manifests to be applied');
  yield* waitForRollouts(cluster, kube, updated);
}

function* syncPatiently(upgrade: Upgrade, kube: KubeClient, object: KubeObject): Task<Outcome> {
  const { clock } = upgrade.cluster.context.platform;
  const mayMend = (error: unknown): boolean => {
    if (!isRetryable(error) && !(error instanceof KubeError && error.reason === 'Conflict')) return false;
    const [date = '', time = ''] = rfc3339(clock.nowUs()).slice(0, -1).split('T');
    upgrade.cluster.context.err(`${date.replaceAll('-', '/')} ${time} retrying error: ${apiErrorText(error)}\n`);
    return true;
  };
  return yield* everyTenSeconds(clock, OBJECT_LIMIT_US, () => syncOne(upgrade, kube, object), mayMend);
}

function* syncOne({ options }: Upgrade, kube: KubeClient, object: KubeObject): Task<Outcome> {
  const type = typeOf(object);
  const namespace = type.namespaced ? object.metadata.namespace : undefined;
  const current = yield* kube.find(type, namespace, object.metadata.name);
  if (current === undefined) {
    const diff = diffOf(object, undefined, object);
    return { diff, applied: options.dryRun ? undefined : yield* kube.create(type, namespace, object) };
  }
  const { resourceVersion } = current.metadata;
  const wanted = { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersion! } };
  const diff = diffOf(object, shown(current), shown(yield* kube.dryUpdate(type, wanted)));
  return { diff, applied: options.dryRun || diff === '' ? undefined : yield* kube.update(type, wanted) };
}

function typeOf({ apiVersion, kind, metadata }: KubeObject): ResourceType {
  const type = findKind(apiVersion, kind);
  if (type !== undefined) return type;
  throw new CommandFailure(
    `error creating mapping for object ${metadata.name}: no matches for kind "${kind}" in version "${apiVersion}"`,
  );
}

/** `apps/v1.DaemonSet/kube-system/kube-proxy` */
export function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  return `${apiVersion}.${kind}/${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** Without what the API server and Kubernetes itself add. */
function shown(object: KubeObject): KubeObject {
  const { annotations, name, ...rest } = object.metadata;
  const fields = Object.entries(rest).filter(([field]) => !SERVER_FIELDS.includes(field));
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !key.includes('kubernetes.io/'));
  const metadata = {
    name,
    ...Object.fromEntries(fields),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
  const { secrets: _injected, ...withoutSecrets } = object;
  return { ...((object.kind === 'ServiceAccount' ? withoutSecrets : object) as KubeObject), metadata };
}

function diffOf(object: KubeObject, before: KubeObject | undefined, after: KubeObject): string {
  const path = pathOf(object);
  return unifiedDiff(before === undefined ? '' : yamlOf(before), yamlOf(after), [`a/${path}`, `b/${path}`]);
}

function yamlOf(object: KubeObject): string {
  return new Document(object, { sortMapEntries: true, aliasDuplicateObjects: false }).toString({
    indentSeq: false,
    lineWidth: 0,
  });
}
