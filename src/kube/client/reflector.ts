import type { Clock } from '../../platform/clock.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { KubeError } from '../objects/errors.ts';
import { type KubeObject, objectKey, type WatchEvent } from '../objects/object.ts';
import type { ResourceType } from '../objects/resources.ts';
import type { KubeClient, Selection } from './client.ts';

const RETRY_FIRST_US = 800_000;
const RETRY_MAX_US = 30_000_000;

/**
 * A local copy of a collection: lists, then watches, for ever; lists anew when the watch was lost (client-go's reflector,
 * back-off 0.8 s doubling to 30 s).
 */
export class Reflector {
  readonly #client: KubeClient;
  readonly #type: ResourceType;
  readonly #namespace: string | undefined;
  readonly #selection: Selection;
  readonly #clock: Clock;
  #objects = new Map<string, KubeObject>();
  /** What {@link items} gives; undefined after a change. */
  #ordered: readonly KubeObject[] | undefined;
  #version = '';
  #synced = false;
  /** Notified at every change. */
  readonly changed = new Notifier();
  /** Called with what made a list or a watch fail; it is tried again. */
  onFailure: (error: KubeError | HttpError) => void = () => {};

  constructor(client: KubeClient, clock: Clock, type: ResourceType, namespace?: string, selection: Selection = {}) {
    this.#client = client;
    this.#clock = clock;
    this.#type = type;
    this.#namespace = namespace;
    this.#selection = selection;
  }

  /** True once the first list has come. */
  get synced(): boolean {
    return this.#synced;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  /** Ordered by key. */
  items(): readonly KubeObject[] {
    this.#ordered ??= [...this.#objects.keys()].sort().map((key) => this.#objects.get(key)!);
    return this.#ordered;
  }

  /** Takes in the answer to an own write, before the watch brings it; older states change nothing. */
  observe(object: KubeObject): void {
    const known = this.#objects.get(objectKey(object));
    if (!this.#synced || versionOf(known) >= versionOf(object) || versionOf(object) <= Number(this.#version)) return;
    this.#objects.set(objectKey(object), object);
    this.#ordered = undefined;
  }

  /** Follows the collection; ends only with its task. */
  *run(): Task<never> {
    let pauseUs = RETRY_FIRST_US;
    for (;;) {
      try {
        if (this.#version === '') yield* this.#relist();
        const end = yield* this.#client.watch(
          this.#type,
          this.#namespace,
          { ...this.#selection, resourceVersion: this.#version },
          (event) => this.#take(event),
        );
        if (end === 'expired') this.#version = '';
        pauseUs = RETRY_FIRST_US;
      } catch (error) {
        if (!(error instanceof KubeError) && !(error instanceof HttpError)) throw error;
        if (error instanceof KubeError) this.#version = '';
        this.onFailure(error);
        yield* this.#clock.sleep(pauseUs);
        pauseUs = Math.min(RETRY_MAX_US, pauseUs * 2);
      }
    }
  }

  *#relist(): Task<void> {
    const list = yield* this.#client.list(this.#type, this.#namespace, { ...this.#selection, resourceVersion: '0' });
    this.#objects = new Map(list.items.map((object) => [objectKey(object), object]));
    this.#ordered = undefined;
    this.#version = list.metadata.resourceVersion;
    this.#synced = true;
    this.changed.notify();
  }

  #take(event: WatchEvent): void {
    const object = event.object as KubeObject;
    this.#version = object.metadata.resourceVersion ?? this.#version;
    if (event.type === 'BOOKMARK') return;
    if (versionOf(this.#objects.get(objectKey(object))) > versionOf(object)) return;
    if (event.type === 'DELETED') this.#objects.delete(objectKey(object));
    else this.#objects.set(objectKey(object), object);
    this.#ordered = undefined;
    this.changed.notify();
  }
}

function versionOf(object: KubeObject | undefined): number {
  return Number(object?.metadata.resourceVersion ?? '0');
}
