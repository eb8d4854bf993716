import type { Task } from '../../platform/task.ts';
import { KubeError } from '../objects/errors.ts';
import type { Json, JsonObject, KubeObject, Status } from '../objects/object.ts';
import type { parseResourcePath, ResourcePath } from '../objects/path.ts';
import { groupVersionOf, type ResourceType } from '../objects/resources.ts';
import { admit } from './admission.ts';
import { authorize, type PolicySource, type User, type Verb } from './authorize.ts';
import { applyPatch, PATCH_TYPES } from './patch.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { deletionOf, type ObjectStore, type WriteOptions } from './store.ts';
import type { WatchCache } from './watch-cache.ts';

/** A request after transport and authentication. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: unknown;
  readonly user: User;
}

export interface ApiResponse {
  readonly code: number;
  readonly body: object;
}

/** What a watch request asks for, after authorization. */
export interface WatchRequest {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly selected: (object: KubeObject) => boolean;
  /** Undefined: begin with the current objects as ADDED. */
  readonly afterRevision: number | undefined;
  readonly bookmarks: boolean;
  readonly timeoutUs: number;
}

export interface Served {
  readonly store: ObjectStore;
  readonly cacheOf: (type: ResourceType) => WatchCache;
  readonly policy: PolicySource;
  /** See {@link parseResourcePath}. */
  readonly pathOf: (path: string) => ResourcePath | undefined;
}

/** Serves one request on resources. A watch is returned for the transport to run. */
export function* handleResource(served: Served, request: ApiRequest): Task<ApiResponse | WatchRequest> {
  const path = served.pathOf(request.path);
  if (path === undefined) throw new KubeError('NotFound', 'the server could not find the requested resource');
  const verb = verbOf(request, path);
  authorize(request.user, verb, path, served.policy);
  switch (verb) {
    case 'get':
      return { code: 200, body: yield* served.store.get(path.type, path.namespace, path.name!) };
    case 'list':
      return yield* list(served, request, path);
    case 'watch':
      return watchRequest(request, path);
    case 'create':
      return { code: 201, body: yield* create(served, request, path) };
    case 'update':
      return { code: 200, body: yield* update(served, request, path) };
    case 'patch':
      return { code: 200, body: yield* patch(served, request, path) };
    case 'delete':
      return { code: 200, body: yield* remove(served, path, request.body, writeOptions(request)) };
    case 'deletecollection':
      throw new KubeError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
    default:
      return verb satisfies never;
  }
}

function verbOf(request: ApiRequest, path: ResourcePath): Verb {
  const watching = request.query.watch === 'true' || request.query.watch === '1';
  switch (request.method) {
    case 'GET':
      return watching ? 'watch' : path.name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return path.name === undefined ? 'deletecollection' : 'delete';
    default:
      throw new KubeError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }
}

function selectorOf(request: ApiRequest, path: ResourcePath): (object: KubeObject) => boolean {
  const labels = labelSelector(request.query.labelSelector ?? '');
  const fields = fieldSelector(request.query.fieldSelector ?? '');
  return (object) =>
    labels(object) && fields(object) && (path.name === undefined || object.metadata.name === path.name);
}

/** `resourceVersion=0` may be served from the cache; anything else reads from etcd with quorum. */
function* list(served: Served, request: ApiRequest, path: ResourcePath): Task<ApiResponse> {
  const cached = request.query.resourceVersion === '0';
  const found = cached
    ? yield* served.cacheOf(path.type).snapshot(path.namespace)
    : yield* served.store.list(path.type, path.namespace);
  const selected = selectorOf(request, path);
  const body = {
    kind: `${path.type.kind}List`,
    apiVersion: groupVersionOf(path.type),
    metadata: { resourceVersion: String(found.revision) },
    items: found.items.filter(selected),
  };
  return { code: 200, body };
}

const DEFAULT_WATCH_TIMEOUT_US = 1_800_000_000;

function watchRequest(request: ApiRequest, path: ResourcePath): WatchRequest {
  const version = request.query.resourceVersion ?? '';
  const seconds = Number(request.query.timeoutSeconds ?? '0');
  return {
    type: path.type,
    namespace: path.namespace,
    selected: selectorOf(request, path),
    afterRevision: version === '' || version === '0' ? undefined : Number(version),
    bookmarks: request.query.allowWatchBookmarks === 'true',
    timeoutUs: seconds > 0 ? seconds * 1_000_000 : DEFAULT_WATCH_TIMEOUT_US,
  };
}

function objectBody(request: ApiRequest, path: ResourcePath): KubeObject {
  const body = request.body as Partial<KubeObject> | undefined;
  if (typeof body !== 'object' || body === null || typeof body.metadata !== 'object')
    throw new KubeError('BadRequest', 'the body of the request is not an object with metadata');
  if (body.kind !== undefined && body.kind !== path.type.kind && path.subresource === undefined) {
    throw new KubeError(
      'BadRequest',
      `${path.type.kind} in version "${path.type.version}" cannot be handled as a ${body.kind}: no kind match`,
    );
  }
  if (path.name !== undefined && body.metadata.name !== undefined && body.metadata.name !== path.name) {
    throw new KubeError(
      'BadRequest',
      `the name of the object (${body.metadata.name}) does not match the name on the URL (${path.name})`,
    );
  }
  return { ...(body as KubeObject), apiVersion: groupVersionOf(path.type), kind: path.type.kind };
}

function* create(served: Served, request: ApiRequest, path: ResourcePath): Task<KubeObject | Status> {
  if (path.subresource === 'binding') return yield* bind(served, request, path);
  if (path.subresource === 'eviction') {
    const { deleteOptions } = (request.body ?? {}) as { deleteOptions?: DeleteOptions };
    yield* remove(served, path, deleteOptions, writeOptions(request));
    return success();
  }
  if (path.name !== undefined)
    throw new KubeError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const object = admit('create', path, objectBody(request, path), request.user);
  const namespace = path.namespace ?? object.metadata.namespace;
  return yield* served.store.create(path.type, namespace, object, writeOptions(request));
}

/** `?dryRun=All`, the only value that the API knows. */
function writeOptions({ query }: ApiRequest): WriteOptions {
  const { dryRun = '' } = query;
  if (dryRun !== '' && dryRun !== 'All')
    throw new KubeError(
      'Invalid',
      `UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: "${dryRun}": supported values: "All"`,
    );
  return { dryRun: dryRun === 'All' };
}

function success(): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message: '', reason: '', code: 201 };
}

/** The scheduler's decision: allowed once for each pod. */
function* bind(served: Served, request: ApiRequest, path: ResourcePath): Task<Status> {
  const node = (request.body as { target?: { name?: string } } | undefined)?.target?.name;
  if (node === undefined) throw new KubeError('Invalid', 'Binding is invalid: target.name: Required value');
  yield* served.store.change(path.type, path.namespace, path.name!, (pod) => {
    const spec = (pod.spec ?? {}) as JsonObject;
    if (spec.nodeName !== undefined && spec.nodeName !== '') {
      throw new KubeError(
        'Conflict',
        `Operation cannot be fulfilled on pods/binding "${path.name}": pod ${path.name} is already assigned to node "${String(spec.nodeName)}"`,
      );
    }
    return { ...pod, spec: { ...spec, nodeName: node } };
  });
  return success();
}

function* update(served: Served, request: ApiRequest, path: ResourcePath): Task<KubeObject> {
  if (path.name === undefined)
    throw new KubeError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const object = admit('update', path, objectBody(request, path), request.user);
  if (path.subresource === undefined)
    return yield* served.store.update(
      path.type,
      path.namespace,
      object,
      (next, current) => keepStatus(path, next, current),
      writeOptions(request),
    );
  const replaceStatus = (current: KubeObject): KubeObject => {
    const version = object.metadata.resourceVersion ?? '';
    if (version !== '' && version !== current.metadata.resourceVersion) throw staleVersion(path);
    return { ...current, status: object.status };
  };
  return yield* served.store.change(path.type, path.namespace, path.name, replaceStatus, writeOptions(request));
}

/** Where there is a status subresource, only that changes the status. */
function keepStatus(path: ResourcePath, next: KubeObject, current: KubeObject): KubeObject {
  return path.type.subresources.includes('status') ? withStatus(next, current.status) : next;
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  const { status: _replaced, ...rest } = object;
  return (status === undefined ? rest : { ...rest, status }) as KubeObject;
}

function staleVersion(path: ResourcePath): KubeError {
  return new KubeError(
    'Conflict',
    `Operation cannot be fulfilled on ${path.type.resource} "${path.name}": the object has been modified; please apply your changes to the latest version and try again`,
  );
}

function* patch(served: Served, request: ApiRequest, path: ResourcePath): Task<KubeObject> {
  if (path.name === undefined)
    throw new KubeError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const apply = (current: KubeObject): KubeObject => {
    const patched = applyPatch(
      request.contentType,
      current as unknown as JsonObject,
      request.body as Json,
    ) as unknown as KubeObject;
    if (path.subresource === 'status') return { ...current, status: patched.status };
    const { name, uid } = current.metadata;
    const metadata = { ...patched.metadata, name, uid: uid!, ...deletionOf(current) };
    return keepStatus(path, { ...patched, metadata }, current);
  };
  try {
    return yield* served.store.change(path.type, path.namespace, path.name, apply, writeOptions(request));
  } catch (error) {
    const creates =
      request.contentType === PATCH_TYPES.apply && error instanceof KubeError && error.reason === 'NotFound';
    if (!creates) throw error;
    const object = {
      ...objectBody(request, path),
      metadata: { ...(request.body as KubeObject).metadata, name: path.name },
    };
    return yield* served.store.create(path.type, path.namespace, object, writeOptions(request));
  }
}

interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string };
}

function* remove(served: Served, path: ResourcePath, body: unknown, options: WriteOptions): Task<KubeObject> {
  const { gracePeriodSeconds, preconditions } = (body ?? {}) as DeleteOptions;
  return yield* served.store.remove(path.type, path.namespace, path.name!, {
    ...options,
    ...(preconditions?.uid !== undefined && { uid: preconditions.uid }),
    ...(path.type.resource === 'pods' && { graceSeconds: (pod) => podGrace(pod, gracePeriodSeconds) }),
  });
}

const DEFAULT_GRACE_SECONDS = 30;

/** Pods that run somewhere are ended by their kubelet first; others go at once. */
function podGrace(pod: KubeObject, asked: number | undefined): number {
  const { nodeName = '', terminationGracePeriodSeconds } = (pod.spec ?? {}) as {
    nodeName?: string;
    terminationGracePeriodSeconds?: number;
  };
  const phase = (pod.status as { phase?: string } | undefined)?.phase;
  if (nodeName === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  return asked ?? terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}
