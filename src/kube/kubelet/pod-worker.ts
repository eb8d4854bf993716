import type { Container, ContainerSpec, Containers, Mount } from '../../platform/containers.ts';
import { ContainerError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task, TaskHandle, TaskScope } from '../../platform/task.ts';
import { podChanged } from '../events.ts';
import { type KubeObject, objectKey } from '../objects/object.ts';
import { rfc3339 } from '../objects/time.ts';
import { CONFIG_HASH } from './static-pods.ts';

/** Crash back-off of containers: 10 s doubling to 5 min, forgotten after 10 min of running. */
const BACKOFF_FIRST_US = 10_000_000;
const BACKOFF_MAX_US = 300_000_000;
const BACKOFF_RESET_US = 600_000_000;
const PULL_RETRY_US = 10_000_000;
const STOP_GRACE_US = 30_000_000;

interface ContainerEntry {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } }[];
  readonly volumeMounts?: readonly { name: string; mountPath: string; readOnly?: boolean }[];
}

interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly containers: readonly ContainerEntry[];
  readonly initContainers?: readonly ContainerEntry[];
  readonly volumes?: readonly { name: string; hostPath?: { path: string } }[];
}

interface ContainerState {
  running: boolean;
  restarts: number;
  waiting: string;
  startedAt: string;
  handle: Container | undefined;
}

/** What a worker needs of its kubelet. */
export interface WorkerDeps {
  readonly platform: Platform;
  readonly containers: Containers;
  readonly nodeName: string;
  readonly hostAddress: string;
  /** An address for a pod's own network; undefined while the node has no pod network. */
  readonly podAddress: () => string | undefined;
  readonly onChange: () => void;
}

/** Runs one pod: pulls, starts and restarts its containers until it is stopped. */
export class PodWorker {
  readonly pod: KubeObject;
  readonly #deps: WorkerDeps;
  readonly #scope: TaskScope;
  readonly #states = new Map<string, ContainerState>();
  #address = '';
  #told = '';
  #stopping: TaskHandle<void> | undefined;

  constructor(pod: KubeObject, deps: WorkerDeps) {
    this.pod = pod;
    this.#deps = deps;
    this.#scope = deps.platform.scope.child(`pod ${objectKey(pod)}`);
    for (const entry of this.#spec.containers)
      this.#states.set(entry.name, {
        running: false,
        restarts: 0,
        waiting: 'ContainerCreating',
        startedAt: '',
        handle: undefined,
      });
    this.#scope.spawn('run', () => this.#run());
  }

  get #spec(): PodSpec {
    return this.pod.spec as unknown as PodSpec;
  }

  get stopped(): boolean {
    return this.#stopping?.settled === true;
  }

  /** SIGTERM, then SIGKILL after the grace period. */
  stop(): void {
    this.#stopping ??= this.#deps.platform.scope.spawn(`stop ${objectKey(this.pod)}`, () => this.#stop());
  }

  *#stop(): Task<void> {
    const { clock } = this.#deps.platform;
    this.#scope.kill();
    const running = [...this.#states.values()].flatMap((state) => state.handle ?? []);
    for (const container of running) if (container.info.state !== 'exited') container.signal('SIGTERM');
    const deadlineUs = clock.monotonicUs() + STOP_GRACE_US;
    while (running.some((container) => container.info.state !== 'exited') && clock.monotonicUs() < deadlineUs)
      yield* clock.sleep(500_000);
    for (const container of running) if (container.info.state !== 'exited') container.signal('SIGKILL');
    for (const state of this.#states.values()) state.running = false;
    this.#tell();
  }

  *#run(): Task<void> {
    const { clock } = this.#deps.platform;
    while (this.#address === '') {
      this.#address = this.#spec.hostNetwork === true ? this.#deps.hostAddress : (this.#deps.podAddress() ?? '');
      if (this.#address === '') yield* clock.sleep(2_000_000);
    }
    for (const entry of this.#spec.initContainers ?? []) yield* this.#runOnce(entry);
    for (const entry of this.#spec.containers) this.#scope.spawn(entry.name, () => this.#keepRunning(entry));
  }

  /** An init container runs to success before the next one. */
  *#runOnce(entry: ContainerEntry): Task<void> {
    const { clock } = this.#deps.platform;
    for (;;) {
      const container = yield* this.#start(entry, () => {});
      if ((yield* container.wait()).code === 0) return;
      yield* clock.sleep(BACKOFF_FIRST_US);
    }
  }

  *#keepRunning(entry: ContainerEntry): Task<never> {
    const { clock } = this.#deps.platform;
    const state = this.#states.get(entry.name)!;
    let backoffUs = BACKOFF_FIRST_US;
    for (;;) {
      const container = yield* this.#start(entry, (waiting) => {
        state.waiting = waiting;
        this.#tell();
      });
      const startedUs = clock.monotonicUs();
      state.handle = container;
      state.running = true;
      state.startedAt = rfc3339(clock.nowUs());
      this.#tell();
      yield* container.wait();
      state.running = false;
      state.restarts++;
      state.waiting = 'CrashLoopBackOff';
      this.#tell();
      if (clock.monotonicUs() - startedUs > BACKOFF_RESET_US) backoffUs = BACKOFF_FIRST_US;
      // The first restart is immediate; the back-off begins with the second.
      if (state.restarts > 1) {
        yield* clock.sleep(backoffUs);
        backoffUs = Math.min(BACKOFF_MAX_US, backoffUs * 2);
      }
    }
  }

  /** Pulls the image and starts the container; keeps trying. */
  *#start(entry: ContainerEntry, onWaiting: (reason: string) => void): Task<Container> {
    const { containers, platform } = this.#deps;
    for (;;) {
      try {
        yield* containers.pull(entry.image);
        return yield* containers.run(yield* this.#containerSpec(entry));
      } catch (error) {
        if (!(error instanceof ContainerError)) throw error;
        onWaiting(
          error.code === 'pull-failed' || error.code === 'image-not-found'
            ? 'ImagePullBackOff'
            : 'CreateContainerError',
        );
        yield* platform.clock.sleep(PULL_RETRY_US);
      }
    }
  }

  *#containerSpec(entry: ContainerEntry): Task<ContainerSpec> {
    const isStatic = this.pod.metadata.annotations?.[CONFIG_HASH] !== undefined;
    const env = this.#env(entry);
    const words = [...(entry.command ?? []), ...(entry.args ?? [])].map((word) =>
      word.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => env[name] ?? whole),
    );
    return {
      id: isStatic ? entry.name : `${this.pod.metadata.name}_${entry.name}`,
      namespace: 'k8s.io',
      image: entry.image,
      args: words.length === 0 ? [entry.name] : words,
      env,
      mounts: yield* this.#mounts(entry),
      network: this.#spec.hostNetwork === true ? 'host' : { podAddress: this.#address },
      labels: {
        'io.kubernetes.pod.name': this.pod.metadata.name,
        'io.kubernetes.pod.namespace': this.pod.metadata.namespace ?? '',
      },
    };
  }

  #env(entry: ContainerEntry): Record<string, string> {
    const fields: Readonly<Record<string, string>> = {
      'status.podIP': this.#address,
      'status.hostIP': this.#deps.hostAddress,
      'spec.nodeName': this.#deps.nodeName,
      'metadata.name': this.pod.metadata.name,
      'metadata.namespace': this.pod.metadata.namespace ?? '',
    };
    const env: Record<string, string> = { NODE_NAME: this.#deps.nodeName };
    for (const { name, value, valueFrom } of entry.env ?? [])
      env[name] = value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''] ?? '';
    return env;
  }

  /** hostPath volumes; the rest of a pod's volumes is not simulated. Missing directories are made. */
  *#mounts(entry: ContainerEntry): Task<Mount[]> {
    const mounts: Mount[] = [];
    for (const { name, mountPath, readOnly } of entry.volumeMounts ?? []) {
      const source = this.#spec.volumes?.find((volume) => volume.name === name)?.hostPath?.path;
      if (source === undefined || mounts.some((mount) => mount.destination === mountPath)) continue;
      if (!SHARED_WITH_KUBELET.some((shared) => source === shared || source.startsWith(`${shared}/`))) continue;
      if ((yield* this.#deps.platform.disk.stat(source)) === undefined)
        yield* this.#deps.platform.disk.makeDirectory(source);
      mounts.push({ source, destination: mountPath, readOnly: readOnly ?? false });
    }
    return mounts;
  }

  /** Status as the API has it. */
  status(): { phase: string; ready: boolean; body: Readonly<Record<string, unknown>> } {
    const states = [...this.#states.values()];
    const ready = states.every((state) => state.running);
    const phase = states.some((state) => state.running || state.restarts > 0) ? 'Running' : 'Pending';
    const condition = { type: 'Ready', status: ready ? 'True' : 'False' };
    const containerStatuses = this.#spec.containers.map((entry) => {
      const state = this.#states.get(entry.name)!;
      return {
        name: entry.name,
        image: entry.image,
        ready: state.running,
        restartCount: state.restarts,
        state: state.running ? { running: { startedAt: state.startedAt } } : { waiting: { reason: state.waiting } },
      };
    });
    const address = this.#address === '' ? {} : { podIP: this.#address, podIPs: [{ ip: this.#address }] };
    return {
      phase,
      ready,
      body: {
        phase,
        hostIP: this.#deps.hostAddress,
        ...address,
        conditions: [condition, { type: 'ContainersReady', status: condition.status }],
        containerStatuses,
      },
    };
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

/** Directories of the machine that the kubelet's container sees, and so can hand to pods. */
const SHARED_WITH_KUBELET: readonly string[] = Object.freeze([
  '/var/lib/kubelet',
  '/var/log',
  '/etc/kubernetes',
  '/system/secrets',
  '/system/config',
  '/run',
  '/etc/cni',
  '/opt',
]);
