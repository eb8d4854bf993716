import type { Task } from '../../../platform/task.ts';
import { isReady } from '../../objects/conditions.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findResource } from '../../objects/resources.ts';
import { tolerates } from '../../objects/taints.ts';
import type { ControllerContext } from '../context.ts';
import {
  createPod,
  isAlive,
  observedGeneration,
  owned,
  removePod,
  setStatus,
  templateHash,
  type WorkloadSpec,
} from './owned-pods.ts';

const DAEMON_SETS = findResource('apps/v1', 'daemonsets')!;
const HASH_LABEL = 'controller-revision-hash';

/** Taints that the controller's pods tolerate whatever their template says. */
const DAEMON_TOLERATIONS: readonly object[] = Object.freeze([
  ...['not-ready', 'unreachable'].map((name) => tolerationOf(name, 'NoExecute')),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'network-unavailable'].map((name) =>
    tolerationOf(name, 'NoSchedule'),
  ),
]);

function tolerationOf(name: string, effect: string): object {
  return { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect };
}

/** One pod on each node whose taints it tolerates; pods of an older template are replaced one at a time. */
export function* syncDaemonSet(context: ControllerContext, set: KubeObject): Task<void> {
  const spec = set.spec as WorkloadSpec;
  const tolerations = [...((spec.template.spec.tolerations ?? []) as readonly object[]), ...DAEMON_TOLERATIONS];
  const nodes = context.nodes.items().filter((node) => tolerates(node, tolerations, true));
  const all = owned(context.pods.items(), set);
  const pods = all.filter(isAlive);
  // A pod that is still ending keeps its successor waiting.
  const hasPod = new Set(all.map(targetNode));
  const hash = templateHash(spec.template);
  for (const node of nodes) {
    if (hasPod.has(node.metadata.name)) continue;
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node.metadata.name] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
    };
    yield* createPod(context, set, spec.template, { [HASH_LABEL]: hash }, { affinity, tolerations });
  }
  const wanted = new Set(nodes.map((node) => node.metadata.name));
  for (const pod of pods) if (!wanted.has(targetNode(pod))) yield* removePod(context, pod);
  yield* replaceOne(context, pods, nodes.length, hash);
  const ready = pods.filter(isReady).length;
  yield* setStatus(context, DAEMON_SETS, set, {
    ...observedGeneration(set),
    desiredNumberScheduled: nodes.length,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: pods.filter((pod) => pod.metadata.labels?.[HASH_LABEL] === hash).length,
    numberReady: ready,
    numberAvailable: ready,
  });
}

/** maxUnavailable 1: the next pod of an older template goes once all others are ready. */
function* replaceOne(
  context: ControllerContext,
  pods: readonly KubeObject[],
  wanted: number,
  hash: string,
): Task<void> {
  const old = pods.filter((pod) => pod.metadata.labels?.[HASH_LABEL] !== hash);
  const next = old.find((pod) => !isReady(pod)) ?? old[0];
  if (next === undefined) return;
  const others = pods.filter((pod) => pod !== next && isReady(pod)).length;
  if (!isReady(next) || others >= wanted - 1) yield* removePod(context, next);
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
