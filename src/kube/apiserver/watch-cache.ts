import type { Clock } from '../../platform/clock.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject, WatchEvent } from '../objects/object.ts';
import { storagePrefix } from '../objects/path.ts';
import { groupVersionOf, type ResourceType } from '../objects/resources.ts';
import { decodeObject, type StoredValue, withVersion } from '../objects/stored.ts';
import type { Backend, StoredChange } from './backend.ts';

/** How many past changes a watch may start behind; older start versions get 410 Gone. */
const HISTORY_LIMIT = 1_000;
const RESTART_PAUSE_US = 1_000_000;

interface CachedEvent {
  readonly revision: number;
  readonly event: WatchEvent;
  readonly previous: KubeObject | undefined;
}

interface CachedObject {
  readonly stored: StoredValue;
  readonly object: KubeObject;
}

export type WatchListener = (event: WatchEvent, previous: KubeObject | undefined, revision: number) => void;

/**
 * All objects of one resource type as one etcd watch brings them, with the last changes: every client's watch is served
 * from here, so etcd sees one watch per type and API server.
 */
export class WatchCache {
  readonly #type: ResourceType;
  readonly #backend: Backend;
  readonly #clock: Clock;
  #objects = new Map<string, CachedObject>();
  #history: CachedEvent[] = [];
  #revision = 0;
  #oldest = 0;
  #ready = false;
  #changed = new Notifier();
  #listeners = new Set<WatchListener>();
  #lost = new Set<() => void>();

  constructor(type: ResourceType, backend: Backend, clock: Clock) {
    this.#type = type;
    this.#backend = backend;
    this.#clock = clock;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Lists, then follows, for ever; after a lost watch every client's watch ends and the list is taken anew. */
  *follow(): Task<never> {
    for (;;) {
      try {
        const { items, revision } = yield* this.#backend.list(storagePrefix(this.#type, undefined));
        this.#objects = new Map(items.map((stored) => [stored.key, { stored, object: decodeObject(stored) }]));
        this.#history = [];
        this.#revision = revision;
        this.#oldest = revision;
        this.#ready = true;
        this.#changed.notify();
        yield* this.#backend.watch(storagePrefix(this.#type, undefined), revision, (change) => this.#take(change));
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
      }
      this.#ready = false;
      for (const end of [...this.#lost]) end();
      yield* this.#clock.sleep(RESTART_PAUSE_US);
    }
  }

  #take(change: StoredChange): void {
    const previous = this.#objects.get(change.key)?.object;
    let event: WatchEvent;
    if (change.value === undefined) {
      const last = previous ?? decodeObject({ key: change.key, value: change.previous!, modRevision: change.revision });
      this.#objects.delete(change.key);
      event = { type: 'DELETED', object: withVersion(last, change.revision) };
    } else {
      const stored = { key: change.key, value: change.value, modRevision: change.revision };
      const object = decodeObject(stored);
      this.#objects.set(change.key, { stored, object });
      event = { type: previous === undefined ? 'ADDED' : 'MODIFIED', object };
    }
    this.#revision = change.revision;
    this.#history.push({ revision: change.revision, event, previous });
    if (this.#history.length > HISTORY_LIMIT * 2) {
      this.#oldest = this.#history[this.#history.length - HISTORY_LIMIT - 1]!.revision;
      this.#history = this.#history.slice(-HISTORY_LIMIT);
    }
    for (const listener of [...this.#listeners]) listener(event, previous, change.revision);
    this.#changed.notify();
  }

  /** Objects as they are now, unordered; empty before the first list. */
  objects(): readonly KubeObject[] {
    return Array.from(this.#objects.values(), ({ object }) => object);
  }

  /** One object by its key in etcd. */
  object(key: string): KubeObject | undefined {
    return this.#objects.get(key)?.object;
  }

  /** The same, as etcd holds it. */
  stored(key: string): StoredValue | undefined {
    return this.#objects.get(key)?.stored;
  }

  /** Calls `listener` for every change from now on. */
  listen(listener: WatchListener): void {
    this.#listeners.add(listener);
  }

  /** Objects as cached, ordered by key; waits for the first list. */
  *snapshot(namespace: string | undefined): Task<{ items: KubeObject[]; revision: number }> {
    while (!this.#ready) yield* this.#changed.changed();
    const prefix = storagePrefix(this.#type, namespace);
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    return { items: keys.map((key) => this.#objects.get(key)!.object), revision: this.#revision };
  }

  /**
   * Starts a watch: changes after `afterRevision` first, then as they come. Throws `Expired` when they are no longer known.
   * The returned function ends it; `onLost` is called when the cache lost its own watch.
   */
  *subscribe(afterRevision: number, listener: WatchListener, onLost: () => void): Task<() => void> {
    while (!this.#ready) yield* this.#changed.changed();
    if (afterRevision < this.#oldest)
      throw new KubeError('Expired', `too old resource version: ${afterRevision} (${this.#oldest})`);
    for (const past of this.#history)
      if (past.revision > afterRevision) listener(past.event, past.previous, past.revision);
    // A client may have listed from etcd what the cache has yet to see: it is not shown older states.
    const newer: WatchListener = (event, previous, revision) => {
      if (revision > afterRevision) listener(event, previous, revision);
    };
    this.#listeners.add(newer);
    this.#lost.add(onLost);
    return () => {
      this.#listeners.delete(newer);
      this.#lost.delete(onLost);
    };
  }

  /** A bookmark that tells how far the cache has come. */
  bookmark(): WatchEvent {
    const object: KubeObject = {
      apiVersion: groupVersionOf(this.#type),
      kind: this.#type.kind,
      metadata: { name: '', resourceVersion: String(this.#revision) },
    };
    return { type: 'BOOKMARK', object };
  }
}
