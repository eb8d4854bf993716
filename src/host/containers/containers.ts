import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareText } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Container, ContainerInfo, ContainerSpec, Containers } from '../../platform/containers.ts';
import { ContainerError } from '../../platform/errors.ts';
import { splitImage } from '../../platform/image.ts';
import type { Task } from '../../platform/task.ts';
import type { HostMount, HostMounts } from '../disk/mounts.ts';
import type { HostExecutor } from '../executor.ts';
import type { LineSink } from '../log.ts';
import { HostContainer } from './container.ts';
import { type ImageMap, sourceOf } from './images.ts';
import { launch } from './launch.ts';

export interface HostContainersDeps {
  readonly executor: HostExecutor;
  readonly clock: Clock;
  /** The machine's file system, from which containers are given directories. */
  readonly mounts: HostMounts;
  /** The machine's address. */
  readonly self: string;
  readonly images: ImageMap;
  readonly log: LineSink;
}

/** Containers as child processes: a Program in a Node.js process of its own, or an executable. */
export class HostContainers implements Containers {
  readonly #deps: HostContainersDeps;
  readonly #pulled = new Set<string>();
  readonly #containers = new Map<string, HostContainer>();
  readonly #starting = new Set<string>();

  constructor(deps: HostContainersDeps) {
    this.#deps = deps;
  }

  *pull(image: string): Task<void> {
    if (sourceOf(this.#deps.images, image) === undefined) {
      throw new ContainerError('image-not-found', `failed to resolve image "${image}": ${image}: not found`);
    }
    this.#pulled.add(image);
  }

  hasImage(image: string): boolean {
    return this.#pulled.has(image);
  }

  images(): readonly string[] {
    return [...this.#pulled].sort(compareText);
  }

  *run(spec: ContainerSpec): Task<Container> {
    const key = `${spec.namespace}/${spec.id}`;
    if (this.#starting.has(key) || this.#containers.get(key)?.running === true) {
      throw new ContainerError('exists', `container "${spec.id}": already exists`);
    }
    const source = this.#pulled.has(spec.image) ? sourceOf(this.#deps.images, spec.image) : undefined;
    if (source === undefined) throw new ContainerError('image-not-found', `image "${spec.image}": not found`);
    const mounts = this.#mountsOf(spec);
    const self = this.#addressOf(spec);
    const root = mkdtempSync(join(tmpdir(), 'talosim-layer-'));
    const env = spec.env ?? {};
    const { tag = 'latest' } = splitImage(spec.image);
    const child = launch({ source, name: spec.id, tag, argv: spec.args, env, self, root, mounts });
    const { executor, clock, log } = this.#deps;
    const container = new HostContainer(spec, child, executor, clock.nowUs(), log);
    child.once('close', () => rmSync(root, { recursive: true, force: true }));
    this.#containers.set(key, container);
    if (source.kind === 'binary') container.started.set();
    this.#starting.add(key);
    try {
      yield* container.started.get();
    } finally {
      this.#starting.delete(key);
    }
    return container;
  }

  list(namespace?: string): readonly ContainerInfo[] {
    return [...this.#containers.values()]
      .map((container) => container.info)
      .filter((info) => namespace === undefined || info.namespace === namespace)
      .sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.id, b.id));
  }

  find(namespace: string, id: string): Container | undefined {
    return this.#containers.get(`${namespace}/${id}`);
  }

  /** The machine is gone: so is everything that ran on it. */
  killAll(): void {
    for (const container of this.#containers.values()) container.signal('SIGKILL');
  }

  #mountsOf(spec: ContainerSpec): HostMount[] {
    return (spec.mounts ?? []).map((mount) => {
      const at = this.#deps.mounts.locate(mount.source);
      if (statSync(at.real, { throwIfNoEntry: false }) === undefined) {
        throw new ContainerError('not-found', `mount source "${mount.source}": no such file or directory`);
      }
      const readOnly = at.readOnly || mount.readOnly === true;
      return { destination: mount.destination, directory: at.real, readOnly };
    });
  }

  /** A pod has an address of its own only where the host has it, too. */
  #addressOf(spec: ContainerSpec): string {
    if (spec.network === 'host') return this.#deps.self;
    const { podAddress } = spec.network;
    if (podAddress.startsWith('127.')) return podAddress;
    throw new ContainerError('not-found', `pod address ${podAddress} is not an address of this host`);
  }
}
