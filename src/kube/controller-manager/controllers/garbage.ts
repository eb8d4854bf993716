import type { Task } from '../../../platform/task.ts';
import type { Reflector } from '../../client/reflector.ts';
import { onChange } from '../../component/loop.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findResource } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';
import { removePod } from './owned-pods.ts';

const REPLICA_SETS = findResource('apps/v1', 'replicasets')!;
/** gcCheckPeriod of the pod garbage collector, and how long a node must be gone. */
const PERIOD_US = 20_000_000;
const QUARANTINE_US = 40_000_000;

/** Deletes what nobody owns any more, and pods of nodes that no longer exist. */
export function* collectGarbage(context: ControllerContext): Task<never> {
  const missingSince = new Map<string, number>();
  const sources = [context.daemonSets, context.deployments, context.replicaSets, context.nodes, context.pods];
  const owners = [context.daemonSets, context.deployments, context.replicaSets, context.nodes];
  const changes = owners.map((source) => source.changed);
  return yield* onChange(context.platform.clock, changes, PERIOD_US, function* () {
    if (!sources.every((source) => source.synced)) return;
    for (const set of context.replicaSets.items()) {
      if (!isOrphan(set, owners) || (yield* stillOwned(context, set))) continue;
      yield* context.client.remove(REPLICA_SETS, set.metadata.namespace, set.metadata.name, { uid: set.metadata.uid! });
    }
    for (const pod of context.pods.items()) {
      if (pod.metadata.deletionTimestamp === undefined && isOrphan(pod, owners) && !(yield* stillOwned(context, pod)))
        yield* removePod(context, pod);
    }
    yield* removePodsOfLostNodes(context, missingSince);
  });
}

function isOrphan(object: KubeObject, owners: readonly Reflector[]): boolean {
  const references = object.metadata.ownerReferences ?? [];
  return (
    references.length > 0 &&
    references.every(({ uid }) => !owners.some((owner) => owner.items().some((known) => known.metadata.uid === uid)))
  );
}

/** Asks the API server itself before something is deleted: local copies may be behind. */
function* stillOwned(context: ControllerContext, object: KubeObject): Task<boolean> {
  for (const { apiVersion, kind, name, uid } of object.metadata.ownerReferences ?? []) {
    const type = findResource(apiVersion, `${kind.toLowerCase()}s`);
    if (type === undefined) return true;
    const owner = yield* context.client.find(type, type.namespaced ? object.metadata.namespace : undefined, name);
    if (owner?.metadata.uid === uid) return true;
  }
  return false;
}

function* removePodsOfLostNodes(context: ControllerContext, missingSince: Map<string, number>): Task<void> {
  const nowUs = context.platform.clock.monotonicUs();
  for (const pod of context.pods.items()) {
    const { nodeName = '' } = pod.spec as { nodeName?: string };
    if (nodeName === '' || context.nodes.get(nodeName) !== undefined) {
      missingSince.delete(nodeName);
      continue;
    }
    const sinceUs = missingSince.get(nodeName) ?? nowUs;
    missingSince.set(nodeName, sinceUs);
    if (nowUs - sinceUs >= QUARANTINE_US) yield* removePod(context, pod, 0);
  }
}
