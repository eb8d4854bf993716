import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import type { HttpRequest } from '../../../rpc/http/message.ts';
import type { HttpAnswer, HttpHandler } from '../../../rpc/http/server.ts';
import type { Member } from '../member/member.ts';
import { HEALTH_CHECKS, overallHealth, runChecks } from './health.ts';
import { metricsText } from './metrics.ts';

const NOSNIFF = Object.freeze({ 'x-content-type-options': 'nosniff' });
const JSON_TYPE = Object.freeze({ 'content-type': 'application/json' });

/** What the real server lets any web page read. */
const CORS_HEADERS = Object.freeze({
  'access-control-allow-headers': 'accept, content-type, authorization',
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE',
  'access-control-allow-origin': '*',
});

/** Answers over HTTP what a member says of itself (reference/etcd.md D4). */
export class Monitoring {
  readonly #member: Member;
  readonly #health = { success: 0, failures: 0 };

  constructor(member: Member) {
    this.#member = member;
  }

  /** What `--listen-metrics-urls` serves: health and metrics. */
  readonly metricsPort: HttpHandler = (request) => this.#answer(request, false);

  /** What the client port serves beside gRPC: the same and the version. */
  readonly clientPort: HttpHandler = (request) => this.#onClientPort(request);

  *#onClientPort(request: HttpRequest): Task<HttpAnswer> {
    const answer: HttpAnswer = request.method === 'OPTIONS' ? { status: 200 } : yield* this.#answer(request, true);
    return { ...answer, headers: { ...CORS_HEADERS, ...answer.headers } };
  }

  *#answer(request: HttpRequest, hasVersion: boolean): Task<HttpAnswer> {
    const [path = '', query = ''] = request.target.split('?', 2);
    if (path === '/metrics') {
      const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
      return text(200, metricsText(this.#member, this.#health), type);
    }
    const answer = this.#find(path, new Query(query), hasVersion);
    if (answer === null) return failure(404, '404 page not found\n');
    if (request.method !== 'GET') return failure(405, 'Method Not Allowed\n', { allow: 'GET' });
    return yield* answer;
  }

  #find(path: string, query: Query, hasVersion: boolean): Task<HttpAnswer> | null {
    if (path === '/health') return this.#overall(query);
    if (path === '/version' && hasVersion) return this.#version();
    return this.#checks(path, query);
  }

  *#overall(query: Query): Task<HttpAnswer> {
    const isSerializable = query.all('serializable').includes('true');
    const failed = yield* overallHealth(this.#member, query.all('exclude'), isSerializable);
    this.#health[failed === null ? 'success' : 'failures']++;
    const reason = failed ?? '';
    return text(failed === null ? 200 : 503, JSON.stringify({ health: String(failed === null), reason }));
  }

  /** `/livez`, `/readyz`, and one check of theirs alone. */
  #checks(path: string, query: Query): Task<HttpAnswer> | null {
    const [, kind = '', name] = path.split('/');
    const all = Object.hasOwn(HEALTH_CHECKS, kind) ? HEALTH_CHECKS[kind]! : {};
    const chosen = name === undefined || name === '' ? all : Object.hasOwn(all, name) ? { [name]: all[name]! } : {};
    return Object.keys(chosen).length === 0 ? null : this.#run(chosen, query);
  }

  *#run(checks: Parameters<typeof runChecks>[1], query: Query): Task<HttpAnswer> {
    const answer = yield* runChecks(this.#member, checks, query.all('exclude'));
    if (!answer.healthy) return failure(503, `${answer.text}\n`);
    return text(200, `${query.has('verbose') ? answer.text : ''}ok\n`, NOSNIFF);
  }

  *#version(): Task<HttpAnswer> {
    const { state, serverVersion } = this.#member;
    const etcdcluster = state.cluster.version === '' ? 'not_decided' : state.cluster.version;
    const { extendedStatus, storageVersion } = this.#member.identity.behaviour;
    const body = { etcdserver: serverVersion, etcdcluster, ...(extendedStatus ? { storage: storageVersion } : {}) };
    return text(200, JSON.stringify(body), JSON_TYPE);
  }
}

class Query {
  readonly #pairs: readonly (readonly [string, string])[];

  constructor(text: string) {
    this.#pairs = text.split('&').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name, value] as const;
    });
  }

  has(name: string): boolean {
    return this.#pairs.some((pair) => pair[0] === name);
  }

  all(name: string): readonly string[] {
    return this.#pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
  }
}

function failure(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return text(status, body, { ...NOSNIFF, ...headers });
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: utf8Encode(body) };
}
