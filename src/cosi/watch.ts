import type { Task } from '../platform/task.ts';
import type { Collection } from './collection.ts';
import { StateError } from './errors.ts';
import type { Change, WatchEvent } from './event.ts';
import { type ListQuery, matches } from './query.ts';
import type { Resource, ResourceKind } from './resource.ts';
import type { State } from './state.ts';

export interface WatchOptions {
  /** Delivers what exists (created, in id order) and `bootstrapped` first. Only for watches of a kind. */
  readonly bootstrapContents?: boolean;
  /** Delivers one `noop` that carries a bookmark first. */
  readonly bootstrapBookmark?: boolean;
  /** Replays the last `tail` changes instead of the present state. */
  readonly tail?: number;
  /** Replays everything after this bookmark. */
  readonly from?: string;
  /** Restricts a watch of a kind; see reference/controllers.md A.3 for what leaving the selection looks like. */
  readonly query?: ListQuery;
  readonly namespace?: string;
}

/**
 * Changes of one kind, or of one resource, one after another. A watcher that falls further behind than the
 * collection's history holds gets `errored` as its last event.
 */
export class Watch<S = unknown> {
  #collection: Collection;
  #id: string | undefined;
  #query: ListQuery | undefined;
  #first: WatchEvent<S>[] = [];
  #position: number;
  #ended = false;

  constructor(collection: Collection, id: string | undefined, options: WatchOptions) {
    refuse(id, options);
    this.#collection = collection;
    this.#id = id;
    this.#query = options.query;
    this.#position = collection.ring.writePosition;
    if (options.from !== undefined) this.#position = this.#parseBookmark(options.from) + 1;
    else if (options.tail !== undefined) this.#position = this.#tailPosition(options.tail);
    else this.#first = this.#initial(options);
  }

  /** The next event, undefined when there is none now. */
  poll(): WatchEvent<S> | undefined {
    const first = this.#first.shift();
    if (first !== undefined) return first;
    while (!this.#ended && this.#position < this.#collection.ring.writePosition) {
      const change = this.#collection.ring.at(this.#position);
      if (change === undefined) return this.#overrun();
      const event = this.#deliver(change, this.#position++);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  /** Waits for the next event; never returns after `errored`. */
  *next(): Task<WatchEvent<S>> {
    for (;;) {
      const seen = this.#collection.changed.version;
      const event = this.poll();
      if (event !== undefined) return event;
      yield* this.#collection.changed.changed(seen);
    }
  }

  #initial(options: WatchOptions): WatchEvent<S>[] {
    const now = this.#bookmark(this.#position - 1);
    if (this.#id !== undefined) {
      const { namespace, type } = this.#collection;
      const present = this.#collection.get(this.#id) as Resource<S> | undefined;
      if (present !== undefined) return [{ kind: 'created', resource: present, bookmark: now }];
      return [{ kind: 'absent', pointer: { namespace, type, id: this.#id }, bookmark: now }];
    }
    if (options.bootstrapContents === true) {
      const present = this.#collection.list(this.#query) as readonly Resource<S>[];
      const events: WatchEvent<S>[] = present.map((resource) => ({ kind: 'created', resource, bookmark: now }));
      return [...events, { kind: 'bootstrapped', bookmark: now }];
    }
    return options.bootstrapBookmark === true ? [{ kind: 'noop', bookmark: now }] : [];
  }

  #deliver(change: Change, position: number): WatchEvent<S> | undefined {
    if (this.#id !== undefined && change.resource.metadata.id !== this.#id) return undefined;
    const bookmark = this.#bookmark(position);
    const resource = change.resource as Resource<S>;
    if (change.kind !== 'updated') {
      return matches(resource, this.#query) ? { kind: change.kind, resource, bookmark } : undefined;
    }
    const old = change.old as Resource<S>;
    const is = matches(resource, this.#query);
    if (is === matches(old, this.#query)) return is ? { kind: 'updated', resource, old, bookmark } : undefined;
    return { kind: is ? 'created' : 'destroyed', resource, bookmark };
  }

  #overrun(): WatchEvent<S> {
    this.#ended = true;
    const { namespace, type, ring } = this.#collection;
    const message = `buffer overrun: namespace "${namespace}" type "${type}", write pos ${ring.writePosition}, pos ${this.#position}, capacity ${ring.capacity}`;
    return { kind: 'errored', message };
  }

  /** 8 bytes cookie and 8 bytes position, in hex. */
  #bookmark(position: number): string {
    const tail = position < 0 ? 'ffffffffffffffff' : position.toString(16).padStart(16, '0');
    return this.#collection.cookie + tail;
  }

  #parseBookmark(bookmark: string): number {
    const { cookie, ring } = this.#collection;
    const digits = bookmark.slice(16);
    const position = digits === 'ffffffffffffffff' ? -1 : Number.parseInt(digits, 16);
    const known = bookmark.length === 32 && bookmark.startsWith(cookie) && Number.isSafeInteger(position);
    if (!known || position >= ring.writePosition || position + 1 < ring.oldestReplayable) {
      throw new StateError('invalid-bookmark', 'invalid watch bookmark');
    }
    return position;
  }

  #tailPosition(count: number): number {
    const { ring } = this.#collection;
    if (this.#id === undefined) return Math.max(ring.writePosition - count, ring.oldestReplayable);
    let left = count;
    let position = ring.writePosition;
    while (left > 0 && position > ring.oldestReplayable) {
      position--;
      if (ring.at(position)?.resource.metadata.id === this.#id) left--;
    }
    return position;
  }
}

function refuse(id: string | undefined, options: WatchOptions): void {
  const replay = options.tail !== undefined || options.from !== undefined;
  const bootstrap = options.bootstrapContents === true || options.bootstrapBookmark === true;
  if (id !== undefined && (options.bootstrapContents === true || options.query !== undefined)) {
    throw new StateError('unsupported', 'bootstrap contents and queries need a watch of a kind');
  }
  if (replay && bootstrap) throw new StateError('unsupported', 'bootstrap and replay exclude each other');
}

/** Watches all resources of a kind. */
export function watchKind<S>(state: State, kind: ResourceKind<S>, options: WatchOptions = {}): Watch<S> {
  return new Watch<S>(state.collection(options.namespace ?? kind.namespace, kind.type), undefined, options);
}

/** Watches one resource: the first event is its present state. */
export function watchOne<S>(state: State, kind: ResourceKind<S>, id: string, options: WatchOptions = {}): Watch<S> {
  return new Watch<S>(state.collection(options.namespace ?? kind.namespace, kind.type), id, options);
}

/** Waits until `condition` holds for the resource (undefined: it does not exist) and returns it. */
export function* waitFor<S>(
  state: State,
  kind: ResourceKind<S>,
  id: string,
  condition: (resource: Resource<S> | undefined) => boolean,
  namespace = kind.namespace,
): Task<Resource<S> | undefined> {
  const collection = state.collection(namespace, kind.type);
  for (;;) {
    const seen = collection.changed.version;
    const current = state.get(kind, id, namespace);
    if (condition(current)) return current;
    yield* collection.changed.changed(seen);
  }
}
