import { beforeEach, describe, expect, it } from 'vitest';
import { kubeApiserver } from '../../src/kube/apiserver/apiserver.ts';
import type { Backend, StoredChange, WriteOutcome } from '../../src/kube/apiserver/backend.ts';
import { type ApiResponse, handleResource, type Served } from '../../src/kube/apiserver/handler.ts';
import { applyPatch, PATCH_TYPES } from '../../src/kube/apiserver/patch.ts';
import { fieldSelector, labelSelector } from '../../src/kube/apiserver/selectors.ts';
import { ObjectStore } from '../../src/kube/apiserver/store.ts';
import type { JsonObject, KubeObject } from '../../src/kube/objects/object.ts';
import { parseResourcePath } from '../../src/kube/objects/path.ts';
import { RESOURCE_TYPES } from '../../src/kube/objects/resources.ts';
import type { StoredValue } from '../../src/kube/objects/stored.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Process } from '../../src/platform/containers.ts';
import type { Random } from '../../src/platform/random.ts';
import type { Task } from '../../src/platform/task.ts';

/** etcd as far as the store needs it. */
class MemoryBackend implements Backend {
  readonly data = new Map<string, StoredValue>();
  revision = 1;
  reads = 0;

  *get(key: string): Task<{ found: StoredValue | undefined; revision: number }> {
    this.reads++;
    return { found: this.data.get(key), revision: this.revision };
  }

  *list(prefix: string): Task<{ items: StoredValue[]; revision: number }> {
    const items = [...this.data.values()].filter(({ key }) => key.startsWith(prefix));
    return { items: items.sort((a, b) => (a.key < b.key ? -1 : 1)), revision: this.revision };
  }

  *create(key: string, value: Uint8Array): Task<number | undefined> {
    if (this.data.has(key)) return undefined;
    this.data.set(key, { key, value, modRevision: ++this.revision });
    return this.revision;
  }

  *put(key: string, value: Uint8Array, expected: number): Task<WriteOutcome> {
    const current = this.data.get(key);
    if (current?.modRevision !== expected) return { current };
    this.data.set(key, { key, value, modRevision: ++this.revision });
    return { revision: this.revision };
  }

  *remove(key: string, expected: number): Task<WriteOutcome> {
    const current = this.data.get(key);
    if (current?.modRevision !== expected) return { current };
    this.data.delete(key);
    return { revision: ++this.revision };
  }

  *watch(_prefix: string, _after: number, _onChange: (change: StoredChange) => void): Task<void> {}
}

/** Runs a task that never waits. */
function now<T>(task: Task<T>): T {
  const step = task.next();
  if (step.done !== true) throw new Error('the task waits');
  return step.value;
}

const ADMIN = { name: 'admin', groups: ['system:masters'] };
const KUBELET = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

let backend: MemoryBackend;
let served: Served;
/** What the watch cache holds; it may be old. */
let cached: Map<string, StoredValue>;

beforeEach(() => {
  let drawn = 0;
  const random = { int: (min: number) => min, bytes: (size: number) => new Uint8Array(size).fill(++drawn) };
  const clock = { nowUs: () => 1_759_276_800_000_000 };
  backend = new MemoryBackend();
  const store = new ObjectStore(backend, clock as unknown as Clock, random as unknown as Random, (_type, key) =>
    cached.get(key),
  );
  cached = new Map();
  served = {
    store,
    pathOf: parseResourcePath,
    cacheOf: () => {
      throw new Error('not cached');
    },
    policy: {
      clusterRoleBindings: () => [],
      clusterRoles: () => [],
      pod: (namespace, name) => {
        const found = backend.data.get(`/registry/pods/${namespace}/${name}`);
        return found === undefined ? undefined : (JSON.parse(new TextDecoder().decode(found.value)) as KubeObject);
      },
    },
  };
});

function call(
  method: string,
  path: string,
  body?: unknown,
  options: { user?: typeof ADMIN; contentType?: string; query?: Readonly<Record<string, string>> } = {},
) {
  const { user = ADMIN, contentType = 'application/json', query = {} } = options;
  const answer = now(handleResource(served, { method, path, query, contentType, body, user })) as ApiResponse;
  const { length } = new TextEncoder().encode(JSON.stringify(answer.body));
  expect(served.store.sizeBytesOf(answer.body) ?? length).toBe(length);
  return answer.body as KubeObject & { items: KubeObject[] };
}

const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...more },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

describe('a change that starts from the watch cache', () => {
  const KEY = '/registry/pods/default/web';
  const labelled = (labels: Record<string, string>, more: object = {}): object => pod('web', {}, { labels, ...more });

  beforeEach(() => {
    call('POST', PODS, labelled({ tier: 'old' }));
    cached.set(KEY, backend.data.get(KEY)!);
    backend.reads = 0;
  });

  it('needs no read', () => {
    const written = call('PUT', `${PODS}/web`, labelled({ tier: 'neü' }));
    expect(written.metadata.labels).toEqual({ tier: 'neü' });
    expect(served.store.sizeBytesOf(written)).toBeDefined();
    expect(backend.reads).toBe(0);
  });

  it('that others were faster than goes on with what the refused write answers', () => {
    call('PUT', `${PODS}/web`, labelled({ tier: 'other' }));
    const patch = { metadata: { labels: { owner: 'me' } } };
    const patched = call('PATCH', `${PODS}/web`, patch, { contentType: PATCH_TYPES.merge });
    expect(patched.metadata.labels).toEqual({ tier: 'other', owner: 'me' });
    expect(backend.reads).toBe(0);
  });

  it('is not refused for a version that only the cache does not know yet', () => {
    const { resourceVersion } = call('PUT', `${PODS}/web`, labelled({ tier: 'other' })).metadata;
    const updated = call('PUT', `${PODS}/web`, labelled({ tier: 'mine' }, { resourceVersion }));
    expect(updated.metadata.labels).toEqual({ tier: 'mine' });
    expect(backend.reads).toBe(1);
  });

  it('that changes nothing of what the cache holds is compared with etcd', () => {
    const old = { metadata: { labels: { tier: 'old' } } };
    const patch = () => call('PATCH', `${PODS}/web`, old, { contentType: PATCH_TYPES.merge });
    const { revision } = backend;
    patch();
    expect([backend.reads, backend.revision]).toEqual([1, revision]);
    call('PUT', `${PODS}/web`, labelled({ tier: 'other' }));
    expect(patch().metadata.labels).toEqual({ tier: 'old' });
    expect(backend.reads).toBe(2);
  });

  it('of what is gone says so', () => {
    call('DELETE', `${PODS}/web`);
    expect(() => call('PUT', `${PODS}/web`, labelled({ tier: 'new' }))).toThrow('pods "web" not found');
  });
});

describe('kube-apiserver', () => {
  it.each([
    [[], '--etcd-servers must be specified'],
    [['--etcd-servers=https:/10.0.0.1:2379'], 'invalid endpoint "https:/10.0.0.1:2379"'],
  ])('%j: does not start without a place of etcd', (flags, reason) => {
    const lines: string[] = [];
    const process = { argv: ['kube-apiserver', ...flags], print: (line: string) => lines.push(line) };
    expect(now(kubeApiserver('v1.34.1')(process as unknown as Process))).toBe(1);
    expect(lines.join()).toContain(reason);
  });
});

describe('objects', () => {
  it('get identity and version when they are made, and only once', () => {
    const made = call('POST', PODS, pod('a'));
    expect(made.metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      resourceVersion: '2',
      creationTimestamp: '2025-10-01T00:00:00Z',
    });
    expect(made.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(() => call('POST', PODS, pod('a'))).toThrow('pods "a" already exists');
    expect(call('GET', `${PODS}/a`)).toEqual(made);
    expect(() => call('GET', `${PODS}/b`)).toThrow('pods "b" not found');
  });

  it('have names that their kind may have, whole or made from a prefix', () => {
    expect(() => call('POST', PODS, pod('a_b'))).toThrow(
      'Pod "a_b" is invalid: metadata.name: Invalid value: "a_b": a ',
    );
    expect(() => call('POST', PODS, pod('a', {}, { name: 'x', generateName: 'YY-' }))).toThrow(
      'metadata.generateName: Invalid value: "YY-"',
    );
    expect(() => call('POST', PODS, pod('', {}))).toThrow(
      'Pod "" is invalid: metadata.name: Required value: name or generateName is required',
    );
    const generated = call('POST', PODS, pod('', {}, { generateName: `${'a'.repeat(70)}-` }));
    expect(generated.metadata.name).toMatch(/^a{58}[a-z0-9]{5}$/);
  });

  it('a stale version is refused, no change is no write', () => {
    const made = call('POST', PODS, pod('a'));
    const changed = call('PUT', `${PODS}/a`, { ...made, metadata: { ...made.metadata, labels: { x: '1' } } });
    expect(changed.metadata.resourceVersion).toBe('3');
    expect(() => call('PUT', `${PODS}/a`, { ...made, spec: {} })).toThrow('the object has been modified');
    expect(call('PUT', `${PODS}/a`, changed).metadata.resourceVersion).toBe('3');
  });

  it('status changes only through its subresource', () => {
    const made = call('POST', PODS, pod('a'));
    const running = {
      ...made,
      status: { phase: 'Running' },
      spec: { ...(made.spec as object), nodeName: 'elsewhere' },
    };
    const posted = call('PUT', `${PODS}/a/status`, running);
    expect(posted).toMatchObject({ status: { phase: 'Running' }, spec: made.spec });
    const kept = call('PUT', `${PODS}/a`, { ...posted, status: { phase: 'Failed' } });
    expect(kept.status).toEqual({ phase: 'Running' });
    const contentType = PATCH_TYPES.merge;
    expect(call('PATCH', `${PODS}/a`, { status: { phase: 'x' } }, { contentType }).status).toEqual({
      phase: 'Running',
    });
  });

  it('a pod is bound once', () => {
    call('POST', PODS, pod('a'));
    call('POST', `${PODS}/a/binding`, { target: { name: 'n1' } });
    expect(call('GET', `${PODS}/a`).spec).toMatchObject({ nodeName: 'n1' });
    expect(() => call('POST', `${PODS}/a/binding`, { target: { name: 'n2' } })).toThrow(
      'already assigned to node "n1"',
    );
  });

  it('a running pod is only marked until its kubelet has ended it', () => {
    call('POST', PODS, pod('a', { nodeName: 'n1' }));
    const marked = call('DELETE', `${PODS}/a`);
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: '2025-10-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    call('PUT', `${PODS}/a/status`, { ...marked, status: { phase: 'Running' } });
    const current = call('GET', `${PODS}/a`);
    const { deletionTimestamp: _gone, ...metadata } = current.metadata;
    expect(call('PUT', `${PODS}/a`, { ...current, metadata }).metadata.deletionTimestamp).toBe('2025-10-01T00:00:30Z');
    call('DELETE', `${PODS}/a`, { gracePeriodSeconds: 0, preconditions: { uid: current.metadata.uid } });
    expect(call('GET', PODS).items).toEqual([]);
  });

  it('a pod that runs nowhere goes at once, one with another uid stays, finalizers hold', () => {
    call('POST', PODS, pod('a'));
    expect(() => call('DELETE', `${PODS}/a`, { preconditions: { uid: 'other' } })).toThrow('modified');
    call('DELETE', `${PODS}/a`);
    expect(call('GET', PODS).items).toEqual([]);
    const held = call('POST', PODS, pod('b', {}, { finalizers: ['x/y'] }));
    expect(call('DELETE', `${PODS}/b`).metadata.deletionTimestamp).toBe('2025-10-01T00:00:00Z');
    const current = call('GET', `${PODS}/b`);
    expect(current.metadata.uid).toBe(held.metadata.uid);
    call('PUT', `${PODS}/b`, { ...current, metadata: { ...current.metadata, finalizers: [] } });
    expect(call('GET', PODS).items).toEqual([]);
  });
});

describe('what is wanted', () => {
  const SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
  const set = (image: string, more: object = {}): object => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'proxy', ...more },
    spec: { template: { spec: { containers: [{ name: 'c', image }] } } },
  });

  it('is counted: a new spec is a new generation, whoever says what; a status and an equal spec are not', () => {
    expect(call('POST', SETS, set('a')).metadata.generation).toBe(1);
    expect(call('PUT', `${SETS}/proxy`, set('a', { labels: { x: 'y' } })).metadata.generation).toBe(1);
    expect(call('PUT', `${SETS}/proxy`, set('b', { generation: 9 })).metadata.generation).toBe(2);
    expect(call('PUT', `${SETS}/proxy/status`, { ...set('c'), status: { numberReady: 1 } }).metadata.generation).toBe(
      2,
    );
    expect(call('POST', PODS, pod('uncounted')).metadata).not.toHaveProperty('generation');
  });

  it('can be tried: the answer is what would be stored, and nothing is', () => {
    const dry = { query: { dryRun: 'All' } };
    expect(call('POST', SETS, set('a'), dry).metadata.uid).toBeTypeOf('string');
    expect(() => call('GET', `${SETS}/proxy`)).toThrow('not found');
    const { metadata } = call('POST', SETS, set('a'));
    expect(() => call('POST', SETS, set('a'), dry)).toThrow('already exists');
    expect(call('PUT', `${SETS}/proxy`, set('b'), dry)).toMatchObject({
      metadata: { generation: 2 },
      ...pickSpec('b'),
    });
    const stale = set('b', { resourceVersion: '1' });
    expect(() => call('PUT', `${SETS}/proxy`, stale, dry)).toThrow('the object has been modified');
    call('DELETE', `${SETS}/proxy`, undefined, dry);
    expect(call('GET', `${SETS}/proxy`)).toMatchObject({ metadata, ...pickSpec('a') });
    expect(() => call('PUT', `${SETS}/proxy`, set('b'), { query: { dryRun: 'Some' } })).toThrow(
      'supported values: "All"',
    );
  });

  function pickSpec(image: string): object {
    return { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } };
  }
});

describe('who may do what', () => {
  const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

  it('a kubelet makes and changes its own Node and lease alone', () => {
    call('POST', '/api/v1/nodes', node('n1'), { user: KUBELET });
    expect(() => call('POST', '/api/v1/nodes', node('n2'), { user: KUBELET })).toThrow(/cannot create.*"nodes"/);
    const leases = '/apis/coordination.k8s.io/v1/namespaces';
    const lease = (name: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
    });
    call('POST', `${leases}/kube-node-lease/leases`, lease('n1'), { user: KUBELET });
    expect(() => call('POST', `${leases}/kube-system/leases`, lease('x'), { user: KUBELET })).toThrow(/cannot create/);
  });

  it('a kubelet makes mirror pods of its own node alone, and ends pods bound to it', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    call('POST', PODS, pod('mine', { nodeName: 'n1' }, { annotations }), { user: KUBELET });
    const refused = [pod('a'), pod('b', { nodeName: 'n1' }), pod('c', { nodeName: 'n2' }, { annotations })];
    for (const body of refused) expect(() => call('POST', PODS, body, { user: KUBELET })).toThrow(/forbidden/);
    call('DELETE', `${PODS}/mine`, { gracePeriodSeconds: 0 }, { user: KUBELET });
    call('POST', PODS, pod('other', { nodeName: 'n2' }));
    expect(() => call('DELETE', `${PODS}/other`, undefined, { user: KUBELET })).toThrow(/cannot delete/);
  });

  it('others may nothing', () => {
    const user = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] };
    expect(() => call('GET', '/api/v1/nodes', undefined, { user })).toThrow(
      'nodes is forbidden: User "system:bootstrap:abcdef" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });

  it('new pods tolerate a lost node for five minutes', () => {
    const { tolerations } = call('POST', PODS, pod('a')).spec as { tolerations: object[] };
    const common = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
    expect(tolerations).toEqual([
      { key: 'node.kubernetes.io/not-ready', ...common },
      { key: 'node.kubernetes.io/unreachable', ...common },
    ]);
    expect(() => call('POST', PODS, { ...pod('b'), spec: {} })).toThrow('spec.containers: Required value');
  });
});

describe('patches', () => {
  const target = {
    a: 1,
    list: [
      { name: 'x', v: 1 },
      { name: 'y', v: 2 },
    ],
    deep: { b: 2, c: 3 },
  } as unknown as JsonObject;

  it('merge: null removes, lists are replaced', () => {
    expect(applyPatch(PATCH_TYPES.merge, target, { a: null, list: [], deep: { b: 5 } })).toEqual({
      list: [],
      deep: { b: 5, c: 3 },
    });
  });

  it('strategic: lists merge by key', () => {
    const patch = { list: [{ name: 'y', v: 9 }, { name: 'x', $patch: 'delete' }, { name: 'z' }] };
    expect(applyPatch(PATCH_TYPES.strategic, target, patch)).toMatchObject({
      list: [{ name: 'y', v: 9 }, { name: 'z' }],
    });
  });

  it('JSON patch: add, remove, replace, and paths that do not exist', () => {
    const patch = [
      { op: 'remove', path: '/deep/b' },
      { op: 'add', path: '/list/0', value: { name: 'w' } },
      { op: 'replace', path: '/a', value: 7 },
    ];
    expect(applyPatch(PATCH_TYPES.json, target, patch)).toMatchObject({
      a: 7,
      deep: { c: 3 },
      list: [{ name: 'w' }, {}, {}],
    });
    expect(() => applyPatch(PATCH_TYPES.json, target, [{ op: 'remove', path: '/none' }])).toThrow('does not exist');
    expect(() => applyPatch('text/plain', target, {})).toThrow('unknown format');
  });
});

describe('selectors', () => {
  const object = (labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'n', labels },
    spec: { nodeName: 'n1' },
  });

  it.each([
    ['', true],
    ['app=x', true],
    ['app==x', true],
    ['app!=x', false],
    ['app', true],
    ['!app', false],
    ['other', false],
    ['app=x,tier=y', false],
  ])('labels %s: %s', (selector, expected) => {
    expect(labelSelector(selector)(object({ app: 'x' }))).toBe(expected);
  });

  it('fields', () => {
    expect(fieldSelector('spec.nodeName=n1,metadata.name=a')(object({}))).toBe(true);
    expect(fieldSelector('spec.nodeName!=n1')(object({}))).toBe(false);
  });
});

it('every resource has a kind of its own', () => {
  expect(new Set(RESOURCE_TYPES.map(({ kind }) => kind)).size).toBe(RESOURCE_TYPES.length);
});
