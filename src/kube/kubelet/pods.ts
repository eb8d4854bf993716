import type { Platform } from '../../platform/platform.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { Reflector } from '../client/reflector.ts';
import { onChange } from '../component/loop.ts';
import { type KubeObject, objectKey } from '../objects/object.ts';
import type { KubeletConsole } from './console.ts';
import { stopContainer } from './container-runner.ts';
import type { PodNetwork } from './pod-network.ts';
import type { PodRecords } from './pod-records.ts';
import { podSpecOf } from './pod-spec.ts';
import { PodWorker, type WorkerDeps } from './pod-worker.ts';
import { CONFIG_HASH, type StaticPodSource } from './static-pods.ts';

export const MIRROR = 'kubernetes.io/config.mirror';
const PERIOD_US = 30_000_000;

export interface ManagerDeps
  extends Pick<WorkerDeps, 'platform' | 'containers' | 'nodeName' | 'hostAddress' | 'lookup'> {
  readonly network: PodNetwork;
  readonly records: PodRecords;
  readonly console: KubeletConsole;
}

/** All pods of a node: static ones at once, those of the API server once it has been heard; each by a worker of its own. */
export class PodManager {
  readonly #platform: Platform;
  readonly #static: StaticPodSource;
  readonly #deps: ManagerDeps;
  /** By uid. */
  readonly #workers = new Map<string, PodWorker>();
  #bound: Reflector | undefined;
  /** Notified when something that {@link workers} or their statuses say is different. */
  readonly changed = new Notifier();

  constructor(source: StaticPodSource, deps: ManagerDeps) {
    this.#platform = deps.platform;
    this.#static = source;
    this.#deps = deps;
  }

  get workers(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** Pods with their status, as the kubelet's own API lists them. */
  list(): KubeObject[] {
    return this.workers.map((worker) => ({ ...worker.pod, status: worker.status().body }));
  }

  /** From now on pods that the API server has bound to this node run too. */
  follow(bound: Reflector): void {
    this.#bound = bound;
    bound.changed.listen(() => this.changed.notify());
    this.changed.notify();
  }

  /** Starts and stops workers, for ever, whether or not there is an API server. */
  *run(): Task<never> {
    return yield* onChange(this.#platform.clock, [this.#static.changed, this.changed], PERIOD_US, () => this.#sync());
  }

  *#sync(): Task<void> {
    const wanted = this.#wanted();
    for (const [uid, worker] of this.#workers) {
      if (wanted.has(uid)) continue;
      if (!worker.stopping) worker.stop();
      if (!worker.stopped) continue;
      this.#workers.delete(uid);
      this.#tell('SyncLoop REMOVE', worker.pod);
      this.#deps.network.release(worker.address);
      yield* this.#deps.records.remove(uid);
      this.changed.notify();
    }
    for (const [uid, pod] of wanted) if (!this.#workers.has(uid) && !this.#nameTaken(pod)) this.#begin(uid, pod);
    if (this.#static.fetched && this.#bound?.synced === true) yield* this.#removeLeftovers(wanted);
  }

  /** Pods that ought to run, by uid. Without word from the API server its pods stay as they are. */
  #wanted(): Map<string, KubeObject> {
    const wanted = new Map(this.#static.pods.map((pod) => [pod.metadata.uid!, pod]));
    if (this.#bound?.synced !== true) {
      for (const [uid, worker] of this.#workers) if (!isStatic(worker.pod)) wanted.set(uid, worker.pod);
      return wanted;
    }
    for (const pod of this.#bound.items()) {
      if (pod.metadata.annotations?.[MIRROR] !== undefined || pod.metadata.deletionTimestamp !== undefined) continue;
      const phase = (pod.status as { phase?: string } | undefined)?.phase;
      const over = (phase === 'Succeeded' || phase === 'Failed') && !this.#workers.has(pod.metadata.uid!);
      if (!over) wanted.set(pod.metadata.uid!, pod);
    }
    return wanted;
  }

  /** A static pod waits until the one that it replaces is gone. */
  #nameTaken(pod: KubeObject): boolean {
    return this.workers.some((worker) => objectKey(worker.pod) === objectKey(pod));
  }

  #tell(what: string, pod: KubeObject): void {
    const source = isStatic(pod) ? 'file' : 'api';
    this.#deps.console.info('kubelet/kubelet.go', what, { source, pods: [objectKey(pod)] });
  }

  #begin(uid: string, pod: KubeObject): void {
    this.#tell('SyncLoop ADD', pod);
    const { containers, network, records } = this.#deps;
    const record = records.get(uid);
    const spec = podSpecOf(pod);
    const running = spec.containers.some(({ name }) => {
      const id = isStatic(pod) ? name : `${pod.metadata.name}_${name}`;
      return (containers.find('k8s.io', id)?.info.state ?? 'exited') !== 'exited';
    });
    const before = record !== undefined && running ? record : undefined;
    if (before !== undefined && spec.hostNetwork !== true) network.keep(before.address);
    const worker = new PodWorker(pod, {
      platform: this.#platform,
      containers,
      nodeName: this.#deps.nodeName,
      hostAddress: this.#deps.hostAddress,
      takeAddress: () => network.take(),
      lookup: this.#deps.lookup,
      onChange: () => this.changed.notify(),
      before,
      remember: (address) => records.write(uid, { address }),
    });
    this.#workers.set(uid, worker);
  }

  /** Containers and directories of pods that went while no kubelet ran. */
  *#removeLeftovers(wanted: ReadonlyMap<string, KubeObject>): Task<void> {
    const { containers, records } = this.#deps;
    const orphans = records.uids().filter((uid) => !wanted.has(uid) && !this.#workers.has(uid));
    if (orphans.length === 0) return;
    const mine = new Set(this.workers.flatMap((worker) => worker.containerIds));
    for (const info of containers.list('k8s.io')) {
      const container = info.state === 'exited' || mine.has(info.id) ? undefined : containers.find('k8s.io', info.id);
      if (container === undefined) continue;
      this.#platform.scope.spawn(`orphan ${info.id}`, () => stopContainer(this.#platform, container, ORPHAN_GRACE_US));
    }
    for (const uid of orphans) yield* records.remove(uid);
  }
}

const ORPHAN_GRACE_US = 30_000_000;

export function isStatic(pod: KubeObject): boolean {
  return pod.metadata.annotations?.[CONFIG_HASH] !== undefined;
}
