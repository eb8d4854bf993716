import { Channel, END } from '../../platform/channel.ts';
import type { Platform } from '../../platform/platform.ts';
import { remembering } from '../../platform/remember.ts';
import type { Task } from '../../platform/task.ts';
import { type HttpRequest, httpValue, readPart } from '../../rpc/http/message.ts';
import type { BodyWriter, HttpAnswer, HttpPeer } from '../../rpc/http/server.ts';
import { jsonCodec } from '../client/json.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject, WatchEvent } from '../objects/object.ts';
import { parseResourcePath, storageKey } from '../objects/path.ts';
import { findResource, type ResourceType } from '../objects/resources.ts';
import { authenticate } from './authenticate.ts';
import type { PolicySource } from './authorize.ts';
import type { Backend } from './backend.ts';
import { type ApiRequest, handleResource, type Served, type WatchRequest } from './handler.ts';
import { ObjectStore } from './store.ts';
import { WatchCache } from './watch-cache.ts';

const BOOKMARK_PERIOD_US = 60_000_000;
/** Paths whose reading is remembered: most requests are for the same few objects. */
const PATHS = 256;

/** Everything behind the API server's port. */
export class ApiService implements Served {
  readonly store: ObjectStore;
  readonly #backend: Backend;
  readonly #platform: Platform;
  readonly #caches = new Map<ResourceType, WatchCache>();
  readonly #release: string;
  readonly policy: PolicySource;
  readonly pathOf = remembering(PATHS, parseResourcePath);

  /** `release` is what `/version` tells: `v1.34.1`. */
  constructor(backend: Backend, platform: Platform, release: string) {
    this.#backend = backend;
    this.#platform = platform;
    this.#release = release;
    this.store = new ObjectStore(backend, platform.clock, platform.random.stream('objects'), (type, key) =>
      this.cacheOf(type).stored(key),
    );
    const cached = (groupVersion: string, resource: string) => () =>
      this.cacheOf(findResource(groupVersion, resource)!).objects();
    const pods = findResource('v1', 'pods')!;
    this.policy = {
      clusterRoles: cached('rbac.authorization.k8s.io/v1', 'clusterroles'),
      clusterRoleBindings: cached('rbac.authorization.k8s.io/v1', 'clusterrolebindings'),
      pod: (namespace, name) => this.cacheOf(pods).object(storageKey(pods, namespace, name)),
    };
  }

  readonly cacheOf = (type: ResourceType): WatchCache => {
    let cache = this.#caches.get(type);
    if (cache === undefined) {
      cache = new WatchCache(type, this.#backend, this.#platform.clock);
      this.#caches.set(type, cache);
    }
    return cache;
  };

  /** Serves one request. */
  *handle(request: HttpRequest, peer: HttpPeer): Task<HttpAnswer> {
    try {
      return yield* this.#answer(request, peer);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return { status: error.code, body: httpValue(jsonCodec, error.status()) };
    }
  }

  *#answer(request: HttpRequest, peer: HttpPeer): Task<HttpAnswer> {
    const { path, query } = splitTarget(request.target);
    const user = authenticate(peer.identity, request.headers, (name) => this.#secret(name));
    if (path === '/version') return { status: 200, body: httpValue(jsonCodec, versionOf(this.#release)) };
    if (path === '/healthz' || path === '/livez' || path === '/readyz') return yield* this.#health(path);
    const api: ApiRequest = {
      method: request.method,
      path,
      query,
      contentType: request.headers['content-type'] ?? 'application/json',
      body:
        request.body instanceof Uint8Array && request.body.length === 0 ? undefined : readPart(request.body, jsonCodec),
      user,
    };
    const answer = yield* handleResource(this, api);
    if ('code' in answer) {
      const { code, body } = answer;
      return { status: code, body: httpValue(jsonCodec, body, this.store.sizeBytesOf(body)) };
    }
    return { status: 200, stream: (writer) => this.#watch(answer, writer) };
  }

  #secret(name: string): KubeObject | undefined {
    const secrets = findResource('v1', 'secrets')!;
    return this.cacheOf(secrets).object(storageKey(secrets, 'kube-system', name));
  }

  /** Ready while etcd answers a linearizable read. */
  *#health(path: string): Task<HttpAnswer> {
    if (path !== '/livez') yield* this.#backend.get('/registry/health');
    return { status: 200, body: httpValue(jsonCodec, 'ok') };
  }

  *#watch(request: WatchRequest, writer: BodyWriter): Task<void> {
    const cache = this.cacheOf(request.type);
    const { clock } = this.#platform;
    const events = new Channel<WatchEvent>();
    let from = request.afterRevision;
    if (from === undefined) {
      const { items, revision } = yield* cache.snapshot(request.namespace);
      for (const object of items) if (request.selected(object)) events.offer({ type: 'ADDED', object });
      from = revision;
    }
    const wanted = (object: KubeObject): boolean =>
      (request.namespace === undefined || object.metadata.namespace === request.namespace) && request.selected(object);
    const listener = (event: WatchEvent, previous: KubeObject | undefined): void => {
      const seen = selectedEvent(event, previous, wanted);
      if (seen !== undefined) events.offer(seen);
    };
    let stop: () => void;
    try {
      stop = yield* cache.subscribe(from, listener, () => events.close());
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      writer.write(httpValue(jsonCodec, { type: 'ERROR', object: error.status() }));
      return;
    }
    const timers = [clock.after(request.timeoutUs, () => events.close())];
    if (request.bookmarks) timers.push(this.#bookmarks(cache, events));
    try {
      for (let event = yield* events.receive(); event !== END; event = yield* events.receive()) {
        if (!writer.write(httpValue(jsonCodec, event))) return;
      }
    } finally {
      stop();
      for (const timer of timers) timer.cancel();
    }
  }

  #bookmarks(cache: WatchCache, events: Channel<WatchEvent>): { cancel(): void } {
    const { clock } = this.#platform;
    let timer = clock.after(BOOKMARK_PERIOD_US, tick);
    function tick(): void {
      if (!events.offer(cache.bookmark())) return;
      timer = clock.after(BOOKMARK_PERIOD_US, tick);
    }
    return { cancel: () => timer.cancel() };
  }
}

/** What `/version` answers. */
function versionOf(release: string): object {
  const [major = '', minor = ''] = release.replace(/^v/, '').split('.');
  return { major, minor, gitVersion: release };
}

/** An object that enters the selection is added, one that leaves it is deleted. */
function selectedEvent(
  event: WatchEvent,
  previous: KubeObject | undefined,
  wanted: (object: KubeObject) => boolean,
): WatchEvent | undefined {
  const object = event.object as KubeObject;
  const before = previous !== undefined && wanted(previous);
  if (event.type === 'DELETED') return before || (previous === undefined && wanted(object)) ? event : undefined;
  const now = wanted(object);
  if (!now) return before ? { type: 'DELETED', object } : undefined;
  return before ? { type: 'MODIFIED', object } : { type: 'ADDED', object };
}

function splitTarget(target: string): { path: string; query: Record<string, string> } {
  const cut = target.indexOf('?');
  if (cut < 0) return { path: target, query: {} };
  const query: Record<string, string> = {};
  for (const part of target.slice(cut + 1).split('&')) {
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    query[decode(name)] = equals < 0 ? '' : decode(part.slice(equals + 1));
  }
  return { path: target.slice(0, cut), query };
}

function decode(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
