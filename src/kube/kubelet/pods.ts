import type { Platform } from '../../platform/platform.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import { isTransient } from '../client/client.ts';
import type { Reflector } from '../client/reflector.ts';
import { onChange } from '../component/loop.ts';
import { KubeError } from '../objects/errors.ts';
import { type KubeObject, objectKey } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import { PodWorker, type WorkerDeps } from './pod-worker.ts';
import type { StaticPodSource } from './static-pods.ts';

const PODS = findResource('v1', 'pods')!;
const PERIOD_US = 30_000_000;
const MIRROR = 'kubernetes.io/config.mirror';

/** All pods of a node: starts and stops their workers, and tells the API how they do. */
export class PodManager {
  readonly #platform: Platform;
  readonly #static: StaticPodSource;
  readonly #deps: Omit<WorkerDeps, 'onChange'>;
  readonly #workers = new Map<string, PodWorker>();
  readonly changed = new Notifier();

  constructor(platform: Platform, source: StaticPodSource, deps: Omit<WorkerDeps, 'onChange'>) {
    this.#platform = platform;
    this.#static = source;
    this.#deps = deps;
  }

  /** Pods with their status, as the kubelet's own API lists them. */
  list(): KubeObject[] {
    return [...this.#workers.values()].map((worker) => ({ ...worker.pod, status: worker.status().body }));
  }

  /** Keeps static pods running, whether or not there is an API server. */
  *runStatic(): Task<never> {
    return yield* onChange(this.#platform.clock, [this.#static.changed], PERIOD_US, () => this.#syncStatic());
  }

  *#syncStatic(): Task<void> {
    const wanted = new Map(this.#static.pods.map((pod) => [`static ${objectKey(pod)}`, pod]));
    for (const [key, worker] of this.#workers) {
      if (key.startsWith('static ') && wanted.get(key)?.metadata.uid !== worker.pod.metadata.uid)
        yield* this.#end(key, worker);
    }
    for (const [key, pod] of wanted) this.#begin(key, pod);
  }

  /** Runs what the API server has bound to this node, and posts statuses and mirror pods. */
  *runBound(client: KubeClient, bound: Reflector): Task<never> {
    return yield* onChange(this.#platform.clock, [bound.changed, this.changed, this.#static.changed], PERIOD_US, () =>
      this.#syncBound(client, bound),
    );
  }

  *#syncBound(client: KubeClient, bound: Reflector): Task<void> {
    if (!bound.synced) return;
    const pods = bound.items().filter((pod) => pod.metadata.annotations?.[MIRROR] === undefined);
    const wanted = new Map(
      pods.filter((pod) => pod.metadata.deletionTimestamp === undefined).map((pod) => [`api ${pod.metadata.uid}`, pod]),
    );
    for (const [key, worker] of this.#workers)
      if (key.startsWith('api ') && !wanted.has(key)) yield* this.#end(key, worker);
    for (const [key, pod] of wanted) this.#begin(key, pod);
    for (const [key, worker] of this.#workers) {
      if (key.startsWith('api ')) yield* this.#post(client, bound.get(objectKey(worker.pod)), worker);
      else yield* this.#mirror(client, bound, worker);
    }
  }

  #begin(key: string, pod: KubeObject): void {
    if (this.#workers.has(key)) return;
    this.#workers.set(key, new PodWorker(pod, { ...this.#deps, onChange: () => this.changed.notify() }));
  }

  *#end(key: string, worker: PodWorker): Task<void> {
    worker.stop();
    while (!worker.stopped) yield* this.#platform.clock.sleep(500_000);
    this.#workers.delete(key);
  }

  *#post(client: KubeClient, current: KubeObject | undefined, worker: PodWorker): Task<void> {
    if (current === undefined) return;
    const { body } = worker.status();
    if (JSON.stringify(current.status) === JSON.stringify({ ...(current.status as object), ...body })) return;
    try {
      yield* client.update(PODS, { ...current, status: { ...(current.status as object), ...body } }, 'status');
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
    }
  }

  /** A static pod is shown to the API as a mirror pod. */
  *#mirror(client: KubeClient, bound: Reflector, worker: PodWorker): Task<void> {
    const { pod } = worker;
    const existing = bound.get(objectKey(pod));
    if (existing !== undefined && existing.metadata.annotations?.[MIRROR] === pod.metadata.uid) {
      yield* this.#post(client, existing, worker);
      return;
    }
    try {
      if (existing !== undefined) {
        yield* client.remove(PODS, pod.metadata.namespace, pod.metadata.name);
        return;
      }
      const { uid, ...metadata } = pod.metadata;
      const mirror: KubeObject = {
        ...pod,
        metadata: { ...metadata, annotations: { ...metadata.annotations, [MIRROR]: uid! } },
        status: worker.status().body,
      };
      yield* client.create(PODS, pod.metadata.namespace, mirror);
    } catch (error) {
      if (!(error instanceof KubeError) || isTransient(error)) throw error;
    }
  }
}
