import type { ContainerSpec, Containers } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task, TaskHandle, TaskScope } from '../../platform/task.ts';
import { podChanged } from '../events.ts';
import { type KubeObject, objectKey } from '../objects/object.ts';
import { ContainerRunner, stopContainer } from './container-runner.ts';
import { type ContainerEntry, commandLine, environmentOf, type PodSpec, podSpecOf } from './pod-spec.ts';
import { type PodStatus, podStatus } from './pod-status.ts';
import { CONFIG_HASH } from './static-pods.ts';
import { mountsOf, type ObjectLookup, setUpVolumes } from './volumes.ts';

const DEFAULT_GRACE_SECONDS = 30;
const INIT_RETRY_US = 10_000_000;
const ADDRESS_RETRY_US = 2_000_000;

/** What a worker needs of its kubelet. */
export interface WorkerDeps {
  readonly platform: Platform;
  readonly containers: Containers;
  readonly nodeName: string;
  readonly hostAddress: string;
  /** An address for a pod's own network; undefined while the node has no pod network. */
  readonly takeAddress: () => string | undefined;
  readonly lookup: ObjectLookup;
  readonly onChange: () => void;
  /** The pod ran before this kubelet started: the address it had, and its containers go on. */
  readonly before: { readonly address: string } | undefined;
  /** The pod got its address: written down, so that the next kubelet knows it. */
  readonly remember: (address: string) => Task<void>;
}

/** Runs one pod: sets it up, keeps its containers going, until it is stopped. */
export class PodWorker {
  readonly pod: KubeObject;
  readonly #deps: WorkerDeps;
  readonly #spec: PodSpec;
  readonly #scope: TaskScope;
  readonly #init: readonly ContainerRunner[];
  readonly #main: readonly ContainerRunner[];
  readonly #startTime: string;
  readonly #since = new Map<string, { readonly value: boolean; readonly at: string }>();
  #volumes: ReadonlyMap<string, string> | undefined;
  #address = '';
  #initialized = false;
  #told = '';
  #stopping: TaskHandle<void> | undefined;

  constructor(pod: KubeObject, deps: WorkerDeps) {
    this.pod = pod;
    this.#deps = deps;
    this.#spec = podSpecOf(pod);
    this.#startTime = rfc3339(deps.platform.clock.nowUs());
    this.#scope = deps.platform.scope.child(`pod ${objectKey(pod)}`);
    this.#address = deps.before?.address ?? '';
    this.#init = (this.#spec.initContainers ?? []).map((entry) => this.#runner(entry, 'OnFailure'));
    this.#main = this.#spec.containers.map((entry) => this.#runner(entry, this.#spec.restartPolicy ?? 'Always'));
    this.#scope.spawn('run', () => this.#run());
  }

  get address(): string {
    return this.#spec.hostNetwork === true ? '' : this.#address;
  }

  /** Ids of its containers, running or not. */
  get containerIds(): readonly string[] {
    return [...this.#init, ...this.#main].map(({ entry }) => this.#id(entry));
  }

  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  get stopped(): boolean {
    return this.#stopping?.settled === true;
  }

  /** SIGTERM, then SIGKILL after the grace period. */
  stop(): void {
    this.#stopping ??= this.#deps.platform.scope.spawn(`stop ${objectKey(this.pod)}`, () => this.#stop());
  }

  *#stop(): Task<void> {
    const { platform, containers } = this.#deps;
    this.#scope.cancel();
    this.#tell();
    const stops = [...this.#init, ...this.#main].flatMap(({ entry }) => {
      const container = containers.find('k8s.io', this.#id(entry));
      if (container === undefined) return [];
      return platform.scope.spawn(`stop ${entry.name}`, () => stopContainer(platform, container, this.#graceUs));
    });
    for (const stop of stops) yield* stop.join();
    // The manager looks again once this task has settled.
    platform.clock.after(0, () => this.#tell());
  }

  get #graceUs(): number {
    const { deletionGracePeriodSeconds } = this.pod.metadata;
    const seconds = deletionGracePeriodSeconds ?? this.#spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    return seconds * 1_000_000;
  }

  *#run(): Task<void> {
    const { platform } = this.#deps;
    while (this.#address === '') {
      this.#address = this.#spec.hostNetwork === true ? this.#deps.hostAddress : (this.#deps.takeAddress() ?? '');
      if (this.#address === '') yield* platform.clock.sleep(ADDRESS_RETRY_US);
    }
    if (this.#deps.before === undefined) {
      yield* this.#deps.remember(this.#address);
      for (const runner of this.#init)
        while ((yield* runner.run()).code !== 0) yield* platform.clock.sleep(INIT_RETRY_US);
    }
    this.#initialized = true;
    for (const runner of this.#main) this.#scope.spawn(runner.entry.name, () => runner.run());
  }

  #runner(entry: ContainerEntry, restartPolicy: 'Always' | 'OnFailure' | 'Never'): ContainerRunner {
    const { platform, containers, before } = this.#deps;
    return new ContainerRunner(entry, {
      platform,
      containers,
      scope: this.#scope,
      id: this.#id(entry),
      podAddress: () => this.#address,
      graceUs: this.#graceUs,
      restartPolicy,
      adopt: () => before !== undefined,
      spec: () => this.#containerSpec(entry),
      onChange: () => this.#tell(),
    });
  }

  /** Containers of static pods go by their plain name, others by pod and name. */
  #id(entry: ContainerEntry): string {
    const isStatic = this.pod.metadata.annotations?.[CONFIG_HASH] !== undefined;
    return isStatic ? entry.name : `${this.pod.metadata.name}_${entry.name}`;
  }

  *#containerSpec(entry: ContainerEntry): Task<ContainerSpec> {
    const { platform, nodeName, hostAddress, lookup } = this.#deps;
    this.#volumes ??= yield* setUpVolumes(platform, this.pod, this.#spec, lookup);
    const env = environmentOf(entry, { pod: this.pod, nodeName, hostAddress, podAddress: this.#address });
    return {
      id: this.#id(entry),
      namespace: 'k8s.io',
      image: entry.image,
      args: commandLine(entry, env),
      env,
      mounts: mountsOf(entry, this.#volumes),
      network: this.#spec.hostNetwork === true ? 'host' : { podAddress: this.#address },
      labels: {
        'io.kubernetes.container.name': entry.name,
        'io.kubernetes.pod.name': this.pod.metadata.name,
        'io.kubernetes.pod.namespace': this.pod.metadata.namespace ?? '',
        'io.kubernetes.pod.uid': this.pod.metadata.uid ?? '',
      },
    };
  }

  status(): PodStatus {
    return podStatus({
      pod: this.pod,
      hostAddress: this.#deps.hostAddress,
      podAddress: this.#address,
      startTime: this.#startTime,
      init: this.#init,
      main: this.#main,
      initialized: this.#initialized,
      stopping: this.stopping,
      since: (condition, value) => this.#sinceOf(condition, value),
    });
  }

  #sinceOf(condition: string, value: boolean): string {
    const known = this.#since.get(condition);
    if (known?.value === value) return known.at;
    const at = rfc3339(this.#deps.platform.clock.nowUs());
    this.#since.set(condition, { value, at });
    return at;
  }

  #tell(): void {
    const { phase, ready } = this.status();
    const text = `${phase} ${ready}`;
    if (text !== this.#told) {
      this.#told = text;
      this.#deps.platform.log.event(podChanged, { pod: objectKey(this.pod), node: this.#deps.nodeName, phase, ready });
    }
    this.#deps.onChange();
  }
}
