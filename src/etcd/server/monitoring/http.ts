import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import type { HttpAnswer, HttpHandler } from '../../../rpc/http/server.ts';
import type { Member } from '../member/member.ts';
import { HEALTH_CHECKS, overallHealth, runChecks } from './health.ts';
import { metricsText } from './metrics.ts';

/** What `--listen-metrics-urls` serves: health and metrics (reference/etcd.md D4). */
export function monitoringHandler(member: Member): HttpHandler {
  return (request) => {
    const [path = '', query = ''] = request.target.split('?', 2);
    if (request.method !== 'GET') return answered(text(405, 'Method Not Allowed\n', { allow: 'GET' }));
    if (path === '/metrics') {
      return answered(text(200, metricsText(member), { 'content-type': 'text/plain; version=0.0.4' }));
    }
    const wanted = new Query(query);
    if (path === '/health') return health(member, wanted);
    return checks(member, path, wanted);
  };
}

function* health(member: Member, query: Query): Task<HttpAnswer> {
  const failed = yield* overallHealth(member, query.all('exclude'), query.all('serializable').includes('true'));
  const body = JSON.stringify({ health: failed === null ? 'true' : 'false', reason: failed ?? '' });
  return text(failed === null ? 200 : 503, body, { 'content-type': 'application/json' });
}

/** `/livez`, `/readyz`, and one check of theirs alone. */
function* checks(member: Member, path: string, query: Query): Task<HttpAnswer> {
  const [, kind = '', name] = path.split('/');
  const all = Object.hasOwn(HEALTH_CHECKS, kind) ? HEALTH_CHECKS[kind]! : {};
  const chosen = name === undefined || name === '' ? all : Object.hasOwn(all, name) ? { [name]: all[name]! } : {};
  if (Object.keys(chosen).length === 0) return text(404, '404 page not found\n');
  const answer = yield* runChecks(member, chosen, query.all('exclude'));
  if (!answer.healthy) return text(503, `${answer.text}\n`);
  return text(200, query.has('verbose') ? answer.text : 'ok');
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

function* answered(answer: HttpAnswer): Task<HttpAnswer> {
  return answer;
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: utf8Encode(body) };
}
