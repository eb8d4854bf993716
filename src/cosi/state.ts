import { toHex } from '../platform/bytes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { Collection } from './collection.ts';
import { notFound, ownerConflict, phaseConflict } from './errors.ts';
import type { Change } from './event.ts';
import type { Phase, Pointer } from './metadata.ts';
import type { ListQuery } from './query.ts';
import { equalResources, type Resource, type ResourceKind } from './resource.ts';
import { type RingOptions, TALOS_RING } from './ring.ts';

export interface WriteOptions {
  /** Who writes; resources of others are refused. Default: nobody. */
  readonly owner?: string;
  /** Default: the kind's. */
  readonly namespace?: string;
}

export interface ModifyOptions extends WriteOptions {
  /** Phase the resource must be in (default running); `any` accepts both. */
  readonly expectedPhase?: Phase | 'any';
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A change as listeners see it, with where it happened. */
export type StateListener = (change: Change) => void;

/**
 * Holds the resources of one machine, in memory. Every call is synchronous and atomic; reads are never stale. Values
 * are immutable: callers must not change what they hand in or get.
 */
export class State {
  #clock: Clock;
  #random: Random;
  #ring: RingOptions;
  #collections = new Map<string, Collection>();
  #listeners: StateListener[] = [];

  constructor(clock: Clock, random: Random, ring: RingOptions = TALOS_RING) {
    this.#clock = clock;
    this.#random = random;
    this.#ring = ring;
  }

  get<S>(kind: ResourceKind<S>, id: string, namespace = kind.namespace): Resource<S> | undefined {
    return this.collection(namespace, kind.type).get(id) as Resource<S> | undefined;
  }

  /** By id, ascending. */
  list<S>(kind: ResourceKind<S>, query?: ListQuery, namespace = kind.namespace): readonly Resource<S>[] {
    return this.collection(namespace, kind.type).list(query) as readonly Resource<S>[];
  }

  /** Conflict when it exists. */
  create<S>(kind: ResourceKind<S>, id: string, spec: S, options: ModifyOptions = {}): Resource<S> {
    const namespace = options.namespace ?? kind.namespace;
    const draft = blank(namespace, kind.type, id, spec, options);
    return this.createResource(draft, options.owner ?? '') as Resource<S>;
  }

  createResource(resource: Resource, owner: string): Resource {
    const { namespace, type } = resource.metadata;
    return this.#emitting(namespace, type, (collection) => collection.create(resource, owner));
  }

  /**
   * Writes a new content over the version that `resource` carries. not-found, owner-, version- and phase-conflict in
   * this order.
   */
  update<S>(resource: Resource<S>, options: { owner?: string; expectedPhase?: Phase | 'any' } = {}): Resource<S> {
    const { namespace, type } = resource.metadata;
    const phase = options.expectedPhase ?? 'running';
    return this.#emitting(namespace, type, (collection) =>
      collection.update(resource, options.owner ?? '', phase === 'any' ? undefined : phase),
    ) as Resource<S>;
  }

  /** Removes it whatever its phase; refused while finalizers are pending. */
  destroy(pointer: Pointer, options: { owner?: string } = {}): void {
    this.#emitting(pointer.namespace, pointer.type, (collection) => collection.destroy(pointer, options.owner ?? ''));
  }

  /**
   * Creates it, or replaces its spec (and the labels and annotations that are given) when something differs. Without
   * a difference nothing is written and nobody is told.
   */
  modify<S>(
    kind: ResourceKind<S>,
    id: string,
    compute: (old: Resource<S> | undefined) => S,
    options: ModifyOptions = {},
  ): Resource<S> {
    const old = this.get(kind, id, options.namespace ?? kind.namespace);
    if (old === undefined) return this.create(kind, id, compute(undefined), options);
    return this.replace(old, compute(old), options);
  }

  /** {@link modify} for a resource that was just read. */
  replace<S>(old: Resource<S>, spec: S, options: ModifyOptions = {}): Resource<S> {
    const expected = options.expectedPhase ?? 'running';
    if (expected !== 'any' && old.metadata.phase !== expected) throw phaseConflict(old.metadata, expected);
    const draft: Resource<S> = {
      metadata: {
        ...old.metadata,
        labels: options.labels ?? old.metadata.labels,
        annotations: options.annotations ?? old.metadata.annotations,
      },
      spec,
    };
    if (equalResources(draft, old)) return old;
    return this.update(draft, { owner: options.owner ?? '', expectedPhase: expected });
  }

  /** Starts tearing down; true when no finalizer is left, so that it may be destroyed. */
  teardown(pointer: Pointer, options: { owner?: string } = {}): boolean {
    const current = this.#existing(pointer);
    if (current.metadata.phase === 'tearingDown') {
      if (current.metadata.owner !== (options.owner ?? '')) throw ownerConflict(current.metadata);
      return current.metadata.finalizers.length === 0;
    }
    const metadata = { ...current.metadata, phase: 'tearingDown' as const };
    return this.update({ metadata, spec: current.spec }, options).metadata.finalizers.length === 0;
  }

  /** Anybody may add one, in any phase; there is no effect when it is there. */
  addFinalizer(pointer: Pointer, finalizer: string): void {
    const current = this.#existing(pointer);
    const { finalizers } = current.metadata;
    if (finalizers.includes(finalizer)) return;
    this.#setFinalizers(current, [...finalizers, finalizer]);
  }

  removeFinalizer(pointer: Pointer, finalizer: string): void {
    const current = this.#existing(pointer);
    const { finalizers } = current.metadata;
    if (!finalizers.includes(finalizer)) return;
    this.#setFinalizers(
      current,
      finalizers.filter((other) => other !== finalizer),
    );
  }

  #setFinalizers(current: Resource, finalizers: readonly string[]): void {
    const metadata = { ...current.metadata, finalizers };
    this.update({ metadata, spec: current.spec }, { owner: current.metadata.owner, expectedPhase: 'any' });
  }

  /** Calls `listener` at every change of any resource, synchronously, until the returned function is called. */
  listen(listener: StateListener): () => void {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Every collection that was ever touched, by namespace and type. */
  collections(): readonly Collection[] {
    return [...this.#collections.values()];
  }

  collection(namespace: string, type: string): Collection {
    const key = `${namespace}/${type}`;
    let found = this.#collections.get(key);
    if (found === undefined) {
      const cookie = toHex(this.#random.stream(`bookmark/${key}`).bytes(8));
      found = new Collection(namespace, type, cookie, () => this.#clock.nowUs(), this.#ring);
      this.#collections.set(key, found);
    }
    return found;
  }

  #existing(pointer: Pointer): Resource {
    const found = this.collection(pointer.namespace, pointer.type).get(pointer.id);
    if (found === undefined) throw notFound(pointer);
    return found;
  }

  #emitting<T>(namespace: string, type: string, write: (collection: Collection) => T): T {
    const collection = this.collection(namespace, type);
    const before = collection.ring.writePosition;
    const result = write(collection);
    const change = collection.ring.at(before);
    if (change !== undefined) for (const listener of this.#listeners) listener(change);
    return result;
  }
}

function blank<S>(namespace: string, type: string, id: string, spec: S, options: ModifyOptions): Resource<S> {
  return {
    metadata: {
      namespace,
      type,
      id,
      version: 0,
      owner: '',
      phase: 'running',
      createdUs: 0,
      updatedUs: 0,
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      finalizers: [],
    },
    spec,
  };
}
