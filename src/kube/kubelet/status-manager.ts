import type { Clock } from '../../platform/clock.ts';
import { deepEqual } from '../../platform/deep-equal.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import type { Reflector } from '../client/reflector.ts';
import { onChange } from '../component/loop.ts';
import { KubeError } from '../objects/errors.ts';
import { type KubeObject, objectKey } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import type { PodWorker } from './pod-worker.ts';
import { isStatic, MIRROR, type PodManager } from './pods.ts';
import type { StaticPodSource } from './static-pods.ts';

const PODS = findResource('v1', 'pods')!;
/** The kubelet's own period for statuses that could not be posted, and for those that somebody else changed. */
const PERIOD_US = 10_000_000;

export interface StatusDeps {
  readonly clock: Clock;
  readonly client: KubeClient;
  readonly bound: Reflector;
  readonly manager: PodManager;
  readonly source: StaticPodSource;
  readonly nodeName: string;
  /** Uid of the Node, which owns mirror pods. */
  readonly nodeUid: () => string | undefined;
}

/** Tells the API server how pods do: statuses, mirror pods of static ones, and the end of those that are deleted. */
export function* postStatuses(deps: StatusDeps): Task<never> {
  const { bound, manager, source } = deps;
  const sources = [bound.changed, manager.changed, source.changed];
  const posted: Posted = new WeakMap();
  return yield* onChange(
    deps.clock,
    sources,
    PERIOD_US * 3,
    function* () {
      if (!bound.synced) return;
      for (const worker of manager.workers) {
        if (isStatic(worker.pod)) yield* accepted(mirror(deps, posted, worker));
        else yield* accepted(post(deps, posted, bound.get(objectKey(worker.pod)), worker));
      }
      for (const pod of bound.items()) yield* accepted(finish(deps, pod));
    },
    PERIOD_US,
  );
}

/** What the API server refuses is tried again with the next change; no answer ends the pass. */
function* accepted(task: Task<void>): Task<void> {
  try {
    yield* task;
  } catch (error) {
    if (!(error instanceof KubeError) || error.code >= 500) throw error;
  }
}

/** What was posted last for a pod, and when. */
type Posted = WeakMap<PodWorker, { readonly uid: string | undefined; readonly body: string; readonly atUs: number }>;

/**
 * Posts a status that is not what the API has. One that somebody else overwrote waits for the period: two kubelets with
 * one name would otherwise answer each other without end.
 */
function* post(deps: StatusDeps, posted: Posted, current: KubeObject | undefined, worker: PodWorker): Task<void> {
  if (current === undefined || (!isStatic(worker.pod) && current.metadata.uid !== worker.pod.metadata.uid)) return;
  const { body } = worker.status();
  const status = { ...(current.status as object), ...body };
  if (deepEqual(current.status, status)) return;
  const { uid } = current.metadata;
  const last = posted.get(worker);
  const own = JSON.stringify(body);
  const nowUs = deps.clock.monotonicUs();
  if (last?.uid === uid && last?.body === own && nowUs - last.atUs < PERIOD_US) return;
  deps.bound.observe(yield* deps.client.update(PODS, { ...current, status }, 'status'));
  posted.set(worker, { uid, body: own, atUs: nowUs });
}

/** A static pod is shown to the API as a mirror pod; one that shows an older version, or is being deleted, goes first. */
function* mirror(deps: StatusDeps, posted: Posted, worker: PodWorker): Task<void> {
  const { pod } = worker;
  const existing = deps.bound.get(objectKey(pod));
  const { uid, ...metadata } = pod.metadata;
  if (existing !== undefined) {
    const current =
      existing.metadata.annotations?.[MIRROR] === uid && existing.metadata.deletionTimestamp === undefined;
    if (current) yield* post(deps, posted, existing, worker);
    else yield* removeNow(deps, existing);
    return;
  }
  const nodeUid = deps.nodeUid();
  // A mirror pod belongs to its Node: without having seen that one, the kubelet makes none.
  if (worker.stopping || nodeUid === undefined) return;
  const owner = { apiVersion: 'v1', kind: 'Node', name: deps.nodeName, uid: nodeUid, controller: true };
  const created: KubeObject = {
    ...pod,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [MIRROR]: uid! },
      ownerReferences: [owner],
    },
    status: worker.status().body,
  };
  deps.bound.observe(yield* deps.client.create(PODS, pod.metadata.namespace, created));
}

/** Deleted pods whose containers have ended, and mirror pods of static pods that are gone. */
function* finish(deps: StatusDeps, pod: KubeObject): Task<void> {
  const { workers } = deps.manager;
  if (pod.metadata.annotations?.[MIRROR] !== undefined) {
    if (!deps.source.fetched || workers.some((worker) => objectKey(worker.pod) === objectKey(pod))) return;
    if (deps.source.pods.some((known) => objectKey(known) === objectKey(pod))) return;
    yield* removeNow(deps, pod);
    return;
  }
  const ended = !workers.some((worker) => worker.pod.metadata.uid === pod.metadata.uid);
  if (pod.metadata.deletionTimestamp !== undefined && ended) yield* removeNow(deps, pod);
}

function* removeNow(deps: StatusDeps, pod: KubeObject): Task<void> {
  yield* deps.client.remove(PODS, pod.metadata.namespace, pod.metadata.name, {
    uid: pod.metadata.uid!,
    graceSeconds: 0,
  });
}
