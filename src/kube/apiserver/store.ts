import { sameBytes } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { deepEqual } from '../../platform/deep-equal.ts';
import type { Random } from '../../platform/random.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task } from '../../platform/task.ts';
import {
  alreadyExists,
  conflict,
  type FieldError,
  invalid,
  invalidField,
  KubeError,
  notFound,
  requiredField,
} from '../objects/errors.ts';
import { nameProblems } from '../objects/names.ts';
import type { KubeObject, ObjectMeta } from '../objects/object.ts';
import { storageKey, storagePrefix } from '../objects/path.ts';
import { countsGenerations, groupVersionOf, type ResourceType } from '../objects/resources.ts';
import { decodeObject, encodeObject, type StoredValue, withVersion } from '../objects/stored.ts';
import type { Backend, WriteOutcome } from './backend.ts';

/** How often a change is tried when others get in first; once more when it began with what the cache held. */
const UPDATE_ATTEMPTS = 6;

/** Makes the new object from the current one; may throw a KubeError. */
export type Change = (current: KubeObject) => KubeObject;

/** How a write is meant. */
export interface WriteOptions {
  /** Answer what would be stored, and store nothing (`?dryRun=All`). */
  readonly dryRun?: boolean;
}

export interface RemoveOptions extends WriteOptions {
  /** Only the object with this uid. */
  readonly uid?: string;
  /** How long somebody else (the kubelet) may take to end what the object stands for. */
  readonly graceSeconds?: (current: KubeObject) => number;
}

/** Of a generated name: what is drawn, and what is left of the prefix so that the whole is a label of DNS. */
const SUFFIX_LENGTH = 5;
const MAX_PREFIX_LENGTH = 63 - SUFFIX_LENGTH;

/** What a change starts from. */
interface Origin {
  readonly stored: StoredValue;
  readonly current: KubeObject;
  /** It came from etcd during this request; otherwise from the watch cache, and may be old. */
  readonly fresh: boolean;
}

/** What the watch cache holds under a key. */
export type Cached = (type: ResourceType, key: string) => StoredValue | undefined;

/** Objects in etcd: names, uids, versions, optimistic concurrency, finalizers. */
export class ObjectStore {
  #backend: Backend;
  #clock: Clock;
  #random: Random;
  #cached: Cached;
  /** Of answers: what is stored was written out once already, and most answers are what was just stored or read. */
  readonly #sizes = new WeakMap<object, number>();

  constructor(backend: Backend, clock: Clock, random: Random, cached: Cached) {
    this.#backend = backend;
    this.#clock = clock;
    this.#random = random;
    this.#cached = cached;
  }

  *get(type: ResourceType, namespace: string | undefined, name: string): Task<KubeObject> {
    const { found } = yield* this.#backend.get(storageKey(type, namespace, name));
    if (found === undefined) throw notFound(type, name);
    const object = decodeObject(found);
    this.#sizes.set(object, answerSizeBytes(found.value, found.modRevision));
    return object;
  }

  /** Size of an object as JSON, where reading or writing it told; undefined: it has to be measured. */
  sizeBytesOf(object: object): number | undefined {
    return this.#sizes.get(object);
  }

  *has(type: ResourceType, namespace: string | undefined, name: string): Task<boolean> {
    return (yield* this.#backend.get(storageKey(type, namespace, name))).found !== undefined;
  }

  *list(type: ResourceType, namespace: string | undefined): Task<{ items: KubeObject[]; revision: number }> {
    const { items, revision } = yield* this.#backend.list(storagePrefix(type, namespace));
    return { items: items.map(decodeObject), revision };
  }

  *create(
    type: ResourceType,
    namespace: string | undefined,
    object: KubeObject,
    { dryRun = false }: WriteOptions = {},
  ): Task<KubeObject> {
    const name = object.metadata.name || this.#generatedName(type, object);
    const problems = nameErrors(type, object.metadata.generateName ?? '', name);
    if (problems.length > 0) throw invalid(type, name, problems);
    const created: KubeObject = {
      ...object,
      apiVersion: groupVersionOf(type),
      kind: type.kind,
      metadata: {
        ...object.metadata,
        name,
        ...(type.namespaced && namespace !== undefined && { namespace }),
        uid: this.#uid(),
        creationTimestamp: rfc3339(this.#clock.nowUs()),
        ...(countsGenerations(type) && { generation: 1 }),
      },
    };
    if (dryRun) {
      if (yield* this.has(type, namespace, name)) throw alreadyExists(type, name);
      return created;
    }
    const revision = yield* this.#backend.create(storageKey(type, namespace, name), encodeObject(created));
    if (revision === undefined) throw alreadyExists(type, name);
    return withVersion(created, revision);
  }

  /** Replaces the whole object; a resourceVersion in it must be the current one. */
  *update(
    type: ResourceType,
    namespace: string | undefined,
    object: KubeObject,
    keep: (next: KubeObject, current: KubeObject) => KubeObject = (next) => next,
    options: WriteOptions = {},
  ): Task<KubeObject> {
    const wanted = object.metadata.resourceVersion ?? '';
    const replace = (current: KubeObject): KubeObject => {
      if (wanted !== '' && wanted !== '0' && wanted !== current.metadata.resourceVersion)
        throw conflict(type, object.metadata.name);
      const { uid, creationTimestamp } = current.metadata;
      const metadata = { ...object.metadata, uid: uid!, creationTimestamp: creationTimestamp!, ...deletionOf(current) };
      return keep({ ...object, metadata }, current);
    };
    return yield* this.change(type, namespace, object.metadata.name, replace, options);
  }

  /**
   * Changes and writes, starting from what the watch cache holds, as the API server's GuaranteedUpdate does: a refusal, or
   * that nothing is to be changed, counts only for what etcd holds. A lost race is retried with the newer object.
   */
  *change(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    change: Change,
    { dryRun = false }: WriteOptions = {},
  ): Task<KubeObject> {
    const key = storageKey(type, namespace, name);
    const cached = dryRun ? undefined : this.#cached(type, key);
    let origin = cached === undefined ? yield* this.#fetched(type, key, name) : originOf(cached, false);
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS; attempt++) {
      const next = outcomeOf(() => counted(type, origin.current, change(origin.current)));
      const encoded = next instanceof KubeError || finished(next) ? undefined : encodeObject(next);
      const idle = next instanceof KubeError || (encoded !== undefined && sameBytes(encoded, origin.stored.value));
      if (idle && !origin.fresh) {
        origin = yield* this.#fetched(type, key, name);
        continue;
      }
      if (next instanceof KubeError) throw next;
      if (dryRun) return next;
      if (idle) return origin.current;
      const { modRevision } = origin.stored;
      const outcome: WriteOutcome =
        encoded === undefined
          ? yield* this.#backend.remove(key, modRevision)
          : yield* this.#backend.put(key, encoded, modRevision);
      if ('revision' in outcome) {
        const written = withVersion(next, outcome.revision);
        if (encoded !== undefined) this.#sizes.set(written, answerSizeBytes(encoded, outcome.revision));
        return written;
      }
      if (outcome.current === undefined) throw notFound(type, name);
      origin = originOf(outcome.current, true);
    }
    throw conflict(type, name);
  }

  *#fetched(type: ResourceType, key: string, name: string): Task<Origin> {
    const { found } = yield* this.#backend.get(key);
    if (found === undefined) throw notFound(type, name);
    return originOf(found, true);
  }

  /** Deletes, or marks an object that still has finalizers or that its kubelet must end first. */
  *remove(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: RemoveOptions = {},
  ): Task<KubeObject> {
    const key = storageKey(type, namespace, name);
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS; attempt++) {
      const { found } = yield* this.#backend.get(key);
      if (found === undefined) throw notFound(type, name);
      const current = decodeObject(found);
      if (options.uid !== undefined && options.uid !== current.metadata.uid) throw conflict(type, name);
      if (options.dryRun === true) return current;
      const graceSec = options.graceSeconds?.(current) ?? 0;
      if (graceSec > 0 || (current.metadata.finalizers ?? []).length > 0) {
        if (graceSec > 0 && current.metadata.deletionTimestamp !== undefined) return current;
        const marked = this.#marked(current, graceSec);
        const outcome = yield* this.#backend.put(key, encodeObject(marked), found.modRevision);
        if ('revision' in outcome) return withVersion(marked, outcome.revision);
      } else if ('revision' in (yield* this.#backend.remove(key, found.modRevision))) return current;
    }
    throw conflict(type, name);
  }

  #marked(current: KubeObject, graceSec: number): KubeObject {
    const { deletionTimestamp = rfc3339(this.#clock.nowUs() + graceSec * 1_000_000) } = current.metadata;
    return { ...current, metadata: { ...current.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSec } };
  }

  #generatedName(type: ResourceType, object: KubeObject): string {
    const prefix = object.metadata.generateName ?? '';
    if (prefix === '') throw invalid(type, '', [requiredField('metadata.name', 'name or generateName is required')]);
    return prefix.slice(0, MAX_PREFIX_LENGTH) + suffix(this.#random, SUFFIX_LENGTH);
  }

  #uid(): string {
    const bytes = this.#random.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}

/** Size of an object as it is answered: the stored form and the version, which that lacks. */
function answerSizeBytes(stored: Uint8Array, revision: number): number {
  return stored.length + ',"resourceVersion":""'.length + String(revision).length;
}

function originOf(stored: StoredValue, fresh: boolean): Origin {
  return { stored, current: decodeObject(stored), fresh };
}

/** What a change makes, or why it refuses. */
function outcomeOf(change: () => KubeObject): KubeObject | KubeError {
  try {
    return change();
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
}

/** The next object with its generation: one more when what is wanted changed, whatever the caller says of it. */
function counted(type: ResourceType, current: KubeObject, next: KubeObject): KubeObject {
  if (!countsGenerations(type)) return next;
  const { generation = 1 } = current.metadata;
  const same = next.spec === current.spec || deepEqual(next.spec, current.spec);
  const now = same ? generation : generation + 1;
  return next.metadata.generation === now ? next : { ...next, metadata: { ...next.metadata, generation: now } };
}

const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Random letters as generated names end with. */
export function suffix(random: Random, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += NAME_LETTERS[random.int(0, NAME_LETTERS.length - 1)]!;
  return text;
}

/** Deletion marks, which no update takes away. */
export function deletionOf({ metadata }: KubeObject): Partial<ObjectMeta> {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return {
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
  };
}

function finished({ metadata }: KubeObject): boolean {
  const marked = metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
  return marked && (metadata.finalizers ?? []).length === 0;
}

/** What is wrong with the name of a new object, and with what it was made from. */
function nameErrors(type: ResourceType, prefix: string, name: string): FieldError[] {
  const ofPrefix = prefix === '' ? [] : nameProblems(type.names, prefix, true);
  return [
    ...ofPrefix.map((why) => invalidField('metadata.generateName', prefix, why)),
    ...nameProblems(type.names, name).map((why) => invalidField('metadata.name', name, why)),
  ];
}
