import { rfc3339 } from '../../../platform/rfc3339.ts';
import type { Task } from '../../../platform/task.ts';
import { isTransient } from '../../client/client.ts';
import { type Condition, conditionOf, conditionsOf, isReady, withCondition } from '../../objects/conditions.ts';
import { KubeError } from '../../objects/errors.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findResource } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';
import { removePod } from './owned-pods.ts';

/** --node-monitor-period and --node-monitor-grace-period of 1.34. */
const PERIOD_US = 5_000_000;
const GRACE_US = 50_000_000;
const DEFAULT_EVICTION_SECONDS = 300;

const NODES = findResource('v1', 'nodes')!;
const PODS = findResource('v1', 'pods')!;

interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly timeAdded?: string;
}

interface Observed {
  renewTime: string;
  atUs: number;
  notReadySinceUs: number | undefined;
}

/**
 * Marks nodes whose lease is not renewed, taints them, and evicts their pods when tolerations run out. Ages count from when
 * this controller last saw a change: after a change of leadership everybody has a full grace period.
 */
export function* watchNodes(context: ControllerContext): Task<never> {
  const seen = new Map<string, Observed>();
  for (const source of [context.nodes, context.leases]) yield* source.changed.until(() => source.synced);
  for (;;) {
    try {
      for (const node of context.nodes.items()) yield* monitor(context, node, seen);
    } catch (error) {
      if (!(error instanceof KubeError) && !isTransient(error)) throw error;
    }
    yield* context.platform.clock.sleep(PERIOD_US);
  }
}

function* monitor(context: ControllerContext, node: KubeObject, seen: Map<string, Observed>): Task<void> {
  const { clock } = context.platform;
  const name = node.metadata.name;
  const lease = context.leases.get(`kube-node-lease/${name}`)?.spec as { renewTime?: string } | undefined;
  const heartbeat = `${lease?.renewTime ?? ''} ${conditionOf(node, 'Ready')?.lastHeartbeatTime ?? ''}`;
  const observed = seen.get(name) ?? { renewTime: '', atUs: clock.monotonicUs(), notReadySinceUs: undefined };
  seen.set(name, observed);
  if (observed.renewTime !== heartbeat) {
    observed.renewTime = heartbeat;
    observed.atUs = clock.monotonicUs();
  }
  // The real controller asks for more than the grace period; its passes take time, so the tenth is always late enough.
  const lost = clock.monotonicUs() - observed.atUs >= GRACE_US;
  const current = lost && conditionOf(node, 'Ready')?.status !== 'Unknown' ? yield* markUnknown(context, node) : node;
  const ready = isReady(current);
  observed.notReadySinceUs = ready ? undefined : (observed.notReadySinceUs ?? clock.monotonicUs());
  yield* taint(context, current);
  if (observed.notReadySinceUs !== undefined)
    yield* evict(context, current, clock.monotonicUs() - observed.notReadySinceUs);
}

function* markUnknown(context: ControllerContext, node: KubeObject): Task<KubeObject> {
  const lastTransitionTime = rfc3339(context.platform.clock.nowUs());
  let conditions = conditionsOf(node);
  for (const { type } of conditions) {
    conditions = withCondition(conditions, {
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime,
    });
  }
  const status = { ...(node.status as object), conditions };
  const marked = yield* context.client.update(NODES, { ...node, status }, 'status');
  for (const pod of context.pods.items())
    if ((pod.spec as { nodeName?: string }).nodeName === node.metadata.name) yield* markPodNotReady(context, pod);
  return marked;
}

/** Nobody can tell any more how the pods of a lost node do: they count as not ready. */
function* markPodNotReady(context: ControllerContext, pod: KubeObject): Task<void> {
  if (!isReady(pod)) return;
  const ready: Condition = {
    type: 'Ready',
    status: 'False',
    lastTransitionTime: rfc3339(context.platform.clock.nowUs()),
  };
  const conditions = withCondition(conditionsOf(pod), ready);
  try {
    yield* context.client.update(PODS, { ...pod, status: { ...(pod.status as object), conditions } }, 'status');
  } catch (error) {
    if (!(error instanceof KubeError) || error.code >= 500) throw error;
  }
}

const KEYS = Object.freeze({ notReady: 'node.kubernetes.io/not-ready', unreachable: 'node.kubernetes.io/unreachable' });

function* taint(context: ControllerContext, node: KubeObject): Task<void> {
  const spec = (node.spec ?? {}) as { taints?: readonly Taint[] };
  const status = conditionOf(node, 'Ready')?.status;
  const key = status === 'True' ? undefined : status === 'Unknown' ? KEYS.unreachable : KEYS.notReady;
  const others = (spec.taints ?? []).filter(
    (candidate) => candidate.key !== KEYS.notReady && candidate.key !== KEYS.unreachable,
  );
  const present = (spec.taints ?? []).filter(
    (candidate) => candidate.key === KEYS.notReady || candidate.key === KEYS.unreachable,
  );
  if (
    key === undefined
      ? present.length === 0
      : present.length === 2 && present.every((candidate) => candidate.key === key)
  )
    return;
  const added =
    key === undefined
      ? []
      : [
          { key, effect: 'NoSchedule' },
          { key, effect: 'NoExecute', timeAdded: rfc3339(context.platform.clock.nowUs()) },
        ];
  yield* context.client.update(NODES, { ...node, spec: { ...spec, taints: [...others, ...added] } });
}

/** Deletes pods that do not tolerate the node's state for longer. */
function* evict(context: ControllerContext, node: KubeObject, forUs: number): Task<void> {
  const key = conditionOf(node, 'Ready')?.status === 'Unknown' ? KEYS.unreachable : KEYS.notReady;
  for (const pod of context.pods.items()) {
    const spec = pod.spec as {
      nodeName?: string;
      tolerations?: readonly { key?: string; effect?: string; tolerationSeconds?: number }[];
    };
    if (spec.nodeName !== node.metadata.name || pod.metadata.deletionTimestamp !== undefined) continue;
    if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) continue;
    const toleration = spec.tolerations?.find(
      (entry) =>
        (entry.key === undefined || entry.key === key) && (entry.effect === undefined || entry.effect === 'NoExecute'),
    );
    if (toleration !== undefined && toleration.tolerationSeconds === undefined) continue;
    const seconds = toleration === undefined ? 0 : (toleration.tolerationSeconds ?? DEFAULT_EVICTION_SECONDS);
    if (forUs >= seconds * 1_000_000) yield* removePod(context, pod);
  }
}
