import type { KubeClient } from '../../kube/client/client.ts';
import { isReady } from '../../kube/objects/conditions.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import { findResource } from '../../kube/objects/resources.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';

const NODES = findResource('v1', 'nodes')!;
const PODS = findResource('v1', 'pods')!;

/** The cluster's Kubernetes, as an administrator sees it. Each question opens a connection of its own. */
export class KubernetesView {
  readonly #open: () => Task<KubeClient>;

  constructor(open: () => Task<KubeClient>) {
    this.#open = open;
  }

  nodes(): Task<readonly KubeObject[]> {
    return this.#with(function* (client) {
      return (yield* client.list(NODES)).items;
    });
  }

  /** Pods in kube-system. */
  pods(labelSelector: string): Task<readonly KubeObject[]> {
    return this.#with(function* (client) {
      return (yield* client.list(PODS, 'kube-system', { labelSelector })).items;
    });
  }

  /** Wanted number of pods of a DaemonSet or Deployment with a label; undefined without such an object. */
  wanted(resource: 'daemonsets' | 'deployments', labelSelector: string): Task<number | undefined> {
    const type = findResource('apps/v1', resource)!;
    return this.#with(function* (client) {
      const [found] = (yield* client.list(type, 'kube-system', { labelSelector })).items;
      if (found === undefined) return undefined;
      const { spec, status } = found as unknown as {
        spec?: { replicas?: number };
        status?: { desiredNumberScheduled?: number };
      };
      return (resource === 'daemonsets' ? status?.desiredNumberScheduled : (spec?.replicas ?? 1)) ?? 0;
    });
  }

  *#with<T>(body: (client: KubeClient) => Task<T>): Task<T> {
    const client = yield* this.#open();
    try {
      return yield* body(client);
    } finally {
      client.close();
    }
  }
}

/** Pods that still matter, `wanted` of them Ready; NodeError says what is missing. */
export function assertPodsReady(pods: readonly KubeObject[], wanted: number, labelSelector: string): void {
  const where = `for namespace "kube-system" and label selector "${labelSelector}"`;
  const alive = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !hasEnded(pod));
  if (alive.length === 0) throw new NodeError(`no pods found ${where}`);
  const unready = alive.filter((pod) => !isReady(pod)).map((pod) => pod.metadata.name);
  if (unready.length === alive.length) throw new NodeError(`no ready pods found ${where}`);
  if (unready.length > 0) throw new NodeError(`some pods are not ready: [${unready.join(' ')}]`);
  if (alive.length !== wanted) throw new NodeError(`expected ${wanted} ready pods, got ${alive.length}`);
}

function hasEnded(pod: KubeObject): boolean {
  const status = pod.status as
    | { phase?: string; containerStatuses?: readonly { state?: { terminated?: unknown } }[] }
    | undefined;
  const containers = status?.containerStatuses ?? [];
  return (
    status?.phase === 'Failed' ||
    (containers.length > 0 && containers.every((container) => container.state?.terminated !== undefined))
  );
}
