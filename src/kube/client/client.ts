import type { Endpoint } from '../../platform/net.ts';
import type { TlsClient } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { HttpClient } from '../../rpc/http/client.ts';
import type { HttpDeps } from '../../rpc/http/deps.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { type HttpHeaders, type HttpPart, httpValue, readPart } from '../../rpc/http/message.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeList, KubeObject, Status, WatchEvent } from '../objects/object.ts';
import { resourcePath } from '../objects/path.ts';
import type { ResourceType } from '../objects/resources.ts';
import { jsonCodec } from './json.ts';

export interface KubeClientOptions {
  readonly tls?: TlsClient;
  /** Bearer token in place of a client certificate. */
  readonly token?: string;
  /** Limit of one request (client-go: none; kubelet's lease client: 10 s). */
  readonly timeoutUs?: number;
}

export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `0` lets the API server answer from its cache. */
  readonly resourceVersion?: string;
}

/** How a watch ended: by the server's time limit, or because its start is too old. */
export type WatchEnd = 'ended' | 'expired';

/**
 * A client of the Kubernetes API over one connection. Fails with KubeError for answers of the API server and with HttpError
 * (`Get "https://…": dial tcp …`) when there was none.
 */
export class KubeClient {
  readonly #open: () => HttpClient;
  #http: HttpClient;
  readonly #headers: HttpHeaders;
  readonly #timeoutUs: number | undefined;

  constructor(deps: HttpDeps, endpoint: Endpoint, options: KubeClientOptions = {}) {
    this.#open = () => new HttpClient(deps, endpoint, options.tls === undefined ? {} : { tls: options.tls });
    this.#http = this.#open();
    this.#headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    this.#timeoutUs = options.timeoutUs;
  }

  close(): void {
    this.#http.close();
  }

  /** Closes all connections: watches and calls under way fail, the next one dials anew. */
  dropConnections(): void {
    const dropped = this.#http;
    this.#http = this.#open();
    dropped.close();
  }

  *get(type: ResourceType, namespace: string | undefined, name: string): Task<KubeObject> {
    return (yield* this.#call('GET', resourcePath(type, namespace, name))) as KubeObject;
  }

  /** The object, or undefined when there is none. */
  *find(type: ResourceType, namespace: string | undefined, name: string): Task<KubeObject | undefined> {
    try {
      return yield* this.get(type, namespace, name);
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'NotFound') return undefined;
      throw error;
    }
  }

  *list(type: ResourceType, namespace?: string, selection: Selection = {}): Task<KubeList> {
    return (yield* this.#call('GET', resourcePath(type, namespace) + queryOf(selection))) as KubeList;
  }

  *create(type: ResourceType, namespace: string | undefined, object: KubeObject): Task<KubeObject> {
    return (yield* this.#call('POST', resourcePath(type, namespace), object)) as KubeObject;
  }

  *update(type: ResourceType, object: KubeObject, subresource?: string): Task<KubeObject> {
    const { namespace, name } = object.metadata;
    return (yield* this.#call('PUT', resourcePath(type, namespace, name, subresource), object)) as KubeObject;
  }

  /** What {@link update} would store; nothing is stored. */
  *dryUpdate(type: ResourceType, object: KubeObject): Task<KubeObject> {
    const { namespace, name } = object.metadata;
    return (yield* this.#call('PUT', `${resourcePath(type, namespace, name)}?dryRun=All`, object)) as KubeObject;
  }

  *patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    contentType: string,
    body: unknown,
    subresource?: string,
  ): Task<KubeObject> {
    return (yield* this.#call(
      'PATCH',
      resourcePath(type, namespace, name, subresource),
      body,
      contentType,
    )) as KubeObject;
  }

  /** Deletes; `graceSeconds` 0 does not wait for the kubelet of a pod. */
  *remove(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: { readonly uid?: string; readonly graceSeconds?: number } = {},
  ): Task<void> {
    const { uid, graceSeconds } = options;
    const body = {
      ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      ...(uid !== undefined && { preconditions: { uid } }),
    };
    yield* this.#call('DELETE', resourcePath(type, namespace, name), Object.keys(body).length === 0 ? undefined : body);
  }

  /** Creates below an object: `pods/NAME/binding`. */
  *createBelow(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    subresource: string,
    body: unknown,
  ): Task<unknown> {
    return yield* this.#call('POST', resourcePath(type, namespace, name, subresource), body);
  }

  /** A path that is not a resource: `/readyz`, `/version`. */
  *raw(path: string): Task<unknown> {
    return yield* this.#call('GET', path);
  }

  /** Calls `onEvent` for each change after `resourceVersion` until the server ends the watch. */
  *watch(
    type: ResourceType,
    namespace: string | undefined,
    selection: Selection,
    onEvent: (event: WatchEvent) => void,
  ): Task<WatchEnd> {
    const query = queryOf({ ...selection, watch: 'true', allowWatchBookmarks: 'true' });
    const response = yield* this.#http.open({ target: resourcePath(type, namespace) + query, headers: this.#headers });
    try {
      if (response.status !== 200) {
        const part = yield* response.receive();
        throw errorOf(part, response.status);
      }
      for (let part = yield* response.receive(); part !== undefined; part = yield* response.receive()) {
        const event = readPart(part, jsonCodec) as WatchEvent;
        if (event.type === 'ERROR') return 'expired';
        onEvent(event);
      }
      return 'ended';
    } finally {
      response.close();
    }
  }

  *#call(method: string, target: string, body?: unknown, contentType = 'application/json'): Task<unknown> {
    const response = yield* this.#http.request({
      method,
      target,
      headers: body === undefined ? this.#headers : { ...this.#headers, 'content-type': contentType },
      ...(body !== undefined && { body: httpValue(jsonCodec, body) }),
      ...(this.#timeoutUs !== undefined && { timeoutUs: this.#timeoutUs }),
    });
    if (response.status >= 400) throw errorOf(response.body, response.status);
    return response.body instanceof Uint8Array && response.body.length === 0
      ? undefined
      : readPart(response.body, jsonCodec);
  }
}

/** True for every failure that another try may mend: no answer, or an API server that is not well. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof HttpError ||
    (error instanceof KubeError &&
      (error.code >= 500 ||
        error.reason === 'Conflict' ||
        error.reason === 'Unauthorized' ||
        error.reason === 'Forbidden'))
  );
}

/** What client-go makes of an answer that is no success: the Status in it, or a text for its code. */
function errorOf(body: HttpPart | undefined, code: number): KubeError {
  const status = statusOf(body);
  if (status?.kind === 'Status') return new KubeError(status.reason ?? '', status.message ?? '', status.details);
  if (code === 400) return new KubeError('BadRequest', 'the server rejected our request for an unknown reason');
  return new KubeError(
    code === 401 ? 'Unauthorized' : 'InternalError',
    `the server responded with the status code ${code}`,
  );
}

function statusOf(body: HttpPart | undefined): Partial<Status> | undefined {
  try {
    return body === undefined ? undefined : (readPart(body, jsonCodec) as Partial<Status>);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function queryOf(selection: Readonly<Record<string, string>> | Selection): string {
  const parts = Object.entries(selection).map(([name, value]) => `${name}=${escape_(String(value))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Percent-encodes what has a meaning in a query. */
function escape_(text: string): string {
  return text.replace(/[%&+#= ]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
