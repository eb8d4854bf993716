import { compareText } from '../platform/bytes.ts';
import { Notifier } from '../platform/signal.ts';
import {
  alreadyExists,
  notFound,
  ownerConflict,
  pendingFinalizers,
  phaseConflict,
  StateError,
  versionConflict,
} from './errors.ts';
import type { Change } from './event.ts';
import type { Metadata, Phase, Pointer } from './metadata.ts';
import { type ListQuery, matches } from './query.ts';
import type { Resource } from './resource.ts';
import { ChangeRing, type RingOptions } from './ring.ts';

/** All resources of one type in one namespace, with their recent history. */
export class Collection {
  readonly namespace: string;
  readonly type: string;
  /** Distinguishes bookmarks of this collection from those of an earlier life of it. */
  readonly cookie: string;
  readonly ring: ChangeRing;
  readonly changed = new Notifier();
  #items = new Map<string, Resource>();
  #sorted: Resource[] | undefined;
  #nowUs: () => number;

  constructor(namespace: string, type: string, cookie: string, nowUs: () => number, ring: RingOptions) {
    this.namespace = namespace;
    this.type = type;
    this.cookie = cookie;
    this.#nowUs = nowUs;
    this.ring = new ChangeRing(ring);
  }

  get(id: string): Resource | undefined {
    return this.#items.get(id);
  }

  /** By id, ascending. */
  list(query?: ListQuery): readonly Resource[] {
    this.#sorted ??= [...this.#items.values()].sort((a, b) => compareText(a.metadata.id, b.metadata.id));
    return query === undefined ? this.#sorted : this.#sorted.filter((resource) => matches(resource, query));
  }

  create(resource: Resource, owner: string): Resource {
    const { metadata } = resource;
    if (this.#items.has(metadata.id)) throw alreadyExists(metadata);
    if (metadata.owner !== '' && metadata.owner !== owner) {
      throw new StateError('owner-conflict', `owner is already set to "${metadata.owner}"`, metadata);
    }
    const nowUs = this.#nowUs();
    const created: Resource = {
      metadata: { ...metadata, owner, version: 1, createdUs: nowUs, updatedUs: nowUs },
      spec: resource.spec,
    };
    this.#commit({ kind: 'created', resource: created });
    return created;
  }

  /** `expectedPhase` undefined accepts any. */
  update(resource: Resource, owner: string, expectedPhase: Phase | undefined): Resource {
    const old = this.#existing(resource.metadata);
    if (old.metadata.owner !== owner) throw ownerConflict(old.metadata);
    if (old.metadata.version !== resource.metadata.version) {
      throw versionConflict(old.metadata, resource.metadata.version);
    }
    if (expectedPhase !== undefined && old.metadata.phase !== expectedPhase) {
      throw phaseConflict(old.metadata, expectedPhase);
    }
    const metadata: Metadata = {
      ...resource.metadata,
      owner: old.metadata.owner,
      createdUs: old.metadata.createdUs,
      version: old.metadata.version + 1,
      updatedUs: this.#nowUs(),
    };
    const updated: Resource = { metadata, spec: resource.spec };
    this.#commit({ kind: 'updated', resource: updated, old });
    return updated;
  }

  destroy(pointer: Pointer, owner: string): void {
    const old = this.#existing(pointer);
    if (old.metadata.owner !== owner) throw ownerConflict(old.metadata);
    if (old.metadata.finalizers.length > 0) throw pendingFinalizers(old.metadata);
    this.#commit({ kind: 'destroyed', resource: old });
  }

  #existing(pointer: Pointer): Resource {
    const found = this.#items.get(pointer.id);
    if (found === undefined) throw notFound(pointer);
    return found;
  }

  #commit(change: Change): void {
    const id = change.resource.metadata.id;
    if (change.kind === 'destroyed') this.#items.delete(id);
    else this.#items.set(id, change.resource);
    this.#sorted = undefined;
    this.ring.push(change);
    this.changed.notify();
  }
}
