import { compareText } from '../../platform/bytes.ts';
import type { Container, ContainerInfo, ContainerSpec, Containers } from '../../platform/containers.ts';
import { ContainerError } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import type { Task } from '../../platform/task.ts';
import { Namespace } from '../disk/namespace.ts';
import { type Distribution, draw } from '../distribution.ts';
import { imagePulled, imagePullFailed } from '../events.ts';
import type { Gate } from '../gate.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { ProcessSpec } from '../kernel/process.ts';
import type { ProcessPlatform } from '../kernel/process-platform.ts';
import { SimContainer } from './container.ts';
import type { Registry } from './registry.ts';
import { ImageStore } from './store.ts';

export interface ContainerTiming {
  /** A pull of an image that the machine does not have. */
  readonly imagePull: Distribution;
  /** From the request to the first line of the program. */
  readonly containerStart: Distribution;
}

/** Size of a container's own writable layer. */
const LAYER_BYTES = 1_073_741_824;
const PERCENT = 100;
/** Beyond this the oldest containers that ended are let go. */
const CONTAINER_LIMIT = 256;

const SOCKET_DIRECTORIES: readonly string[] = Object.freeze(['/run', '/run/containerd']);

/** True when containerd's socket is among what a container sees. */
function seesContainerd(spec: ContainerSpec): boolean {
  return spec.mounts?.some((mount) => SOCKET_DIRECTORIES.includes(mount.destination)) === true;
}

/** containerd of one boot of a machine. */
export class SimContainers implements Containers {
  readonly #kernel: Kernel;
  readonly #registry: Registry;
  readonly #timing: ContainerTiming;
  readonly #random: Random;
  readonly #store: ImageStore;
  readonly #containers = new Map<string, SimContainer>();
  readonly #streams = new Map<string, Random>();
  readonly #starting = new Set<string>();
  /** The process that calls this port: listeners of logs run behind its gate. */
  readonly #caller: Gate;
  readonly #sleep: (durationUs: number) => Task<void>;

  constructor(
    kernel: Kernel,
    caller: Gate,
    sleep: (us: number) => Task<void>,
    registry: Registry,
    timing: ContainerTiming,
  ) {
    this.#kernel = kernel;
    this.#caller = caller;
    this.#sleep = sleep;
    this.#registry = registry;
    this.#timing = timing;
    this.#random = kernel.engine.random(`${kernel.path}/containers`);
    this.#store = new ImageStore(kernel.namespace, () => kernel.engine.nowUs);
  }

  *pull(image: string): Task<void> {
    if (this.#store.has(image)) return;
    const outage = this.#registry.outageOf(image);
    const usualUs = this.#draw(this.#timing.imagePull, `pull/${image}`);
    const tookUs = outage?.kind === 'slow' ? Math.floor((usualUs * outage.percent) / PERCENT) : usualUs;
    yield* this.#sleep(tookUs);
    if (this.#registry.outageOf(image)?.kind === 'down') {
      throw this.#pullError('pull-failed', image, `failed to resolve image "${image}": connection refused`);
    }
    if (!this.#registry.has(image)) {
      throw this.#pullError('image-not-found', image, `failed to resolve image "${image}": ${image}: not found`);
    }
    this.#store.add(image);
    this.#kernel.event('containerd', imagePulled, { image, tookUs });
  }

  #pullError(code: 'pull-failed' | 'image-not-found', image: string, message: string): ContainerError {
    this.#kernel.event('containerd', imagePullFailed, { image, reason: code });
    return new ContainerError(code, message);
  }

  hasImage(image: string): boolean {
    return this.#store.has(image);
  }

  images(): readonly string[] {
    return this.#store.list();
  }

  *run(spec: ContainerSpec): Task<Container> {
    const key = `${spec.namespace}/${spec.id}`;
    if (this.#starting.has(key) || this.#containers.get(key)?.running === true) {
      throw new ContainerError('exists', `container "${spec.id}": already exists`);
    }
    if (!this.#store.has(spec.image)) throw new ContainerError('image-not-found', `image "${spec.image}": not found`);
    const processSpec = this.#processSpec(spec);
    this.#starting.add(key);
    try {
      yield* this.#sleep(this.#draw(this.#timing.containerStart, `start/${key}`));
      const container = new SimContainer(spec, this.#kernel.start(processSpec), this.#caller);
      this.#forgetOld();
      this.#containers.delete(key);
      this.#containers.set(key, container);
      return container;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** The next draw of something that happens many times. */
  #draw(distribution: Distribution, purpose: string): number {
    let random = this.#streams.get(purpose);
    if (random === undefined) {
      random = this.#random.stream(purpose);
      this.#streams.set(purpose, random);
    }
    return draw(distribution, random);
  }

  /** Containers that ended stay visible until there are too many. */
  #forgetOld(): void {
    if (this.#containers.size < CONTAINER_LIMIT) return;
    for (const [key, container] of this.#containers) {
      if (container.running) continue;
      this.#containers.delete(key);
      return;
    }
  }

  #processSpec(spec: ContainerSpec): ProcessSpec {
    const program = this.#registry.programOf(spec.image);
    if (program === undefined) throw new ContainerError('no-program', `image "${spec.image}" has nothing to run`);
    return {
      name: spec.id,
      argv: spec.args,
      env: spec.env ?? {},
      namespace: this.#treeOf(spec),
      program,
      ...(spec.network === 'host' ? {} : { podAddress: spec.network.podAddress }),
      ...(seesContainerd(spec) && {
        extend: (platform: ProcessPlatform) => {
          platform.containers = this;
          return platform;
        },
      }),
    };
  }

  /** The container's own writable layer with the machine's directories mounted into it. */
  #treeOf(spec: ContainerSpec): Namespace {
    const tree = new Namespace(this.#kernel.newMemoryVolume(`layer/${spec.id}`, LAYER_BYTES));
    for (const mount of spec.mounts ?? []) {
      const { volume, path } = this.#kernel.namespace.locate(mount.source);
      if (volume.fileSystem.lookup(path) === undefined) {
        throw new ContainerError('not-found', `mount source "${mount.source}": no such file or directory`);
      }
      tree.bind(mount.destination, this.#kernel.namespace, mount.source, mount.readOnly === true);
    }
    return tree;
  }

  list(namespace?: string): readonly ContainerInfo[] {
    return [...this.#containers.values()]
      .filter((container) => namespace === undefined || container.info.namespace === namespace)
      .map((container) => container.info)
      .sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.id, b.id));
  }

  find(namespace: string, id: string): Container | undefined {
    return this.#containers.get(`${namespace}/${id}`);
  }

  /** For fault plans: the container's process, to kill, stop or run out of memory. */
  processOf(namespace: string, id: string): SimContainer | undefined {
    return this.#containers.get(`${namespace}/${id}`);
  }
}
