import { isReady } from '../../kube/objects/conditions.ts';
import { internalIpOf } from '../../kube/objects/node-addresses.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import type { ResourceType } from '../../kube/objects/resources.ts';
import { parseRfc3339 } from '../../platform/rfc3339.ts';

/** Columns of a resource as kubectl shows them; `wide` adds more. */
interface Column {
  readonly name: string;
  readonly wide?: boolean;
  readonly of: (object: KubeObject, nowUs: number) => string;
}

function field(object: unknown, path: string): unknown {
  let value = object;
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  return value;
}

const text = (path: string) => (object: KubeObject) => {
  const value = field(object, path);
  return value === undefined || value === null || value === '' ? '<none>' : String(value);
};
const age: Column = {
  name: 'AGE',
  of: (object, nowUs) => ageText(nowUs - (parseRfc3339(object.metadata.creationTimestamp ?? '') ?? nowUs)),
};
const name: Column = { name: 'NAME', of: (object) => object.metadata.name };

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function roles(node: KubeObject): string {
  const found = Object.keys(node.metadata.labels ?? {})
    .filter((label) => label.startsWith(ROLE_PREFIX))
    .map((label) => label.slice(ROLE_PREFIX.length));
  return found.length === 0 ? '<none>' : found.sort().join(',');
}

function nodeState(node: KubeObject): string {
  const state = isReady(node) ? 'Ready' : 'NotReady';
  return field(node, 'spec.unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

function internalIp(node: KubeObject): string {
  return internalIpOf(node) ?? '<none>';
}

interface ContainerStatus {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode: number; readonly finishedAt?: string };
}

function statuses(pod: KubeObject, which = 'containerStatuses'): readonly ContainerStatus[] {
  return (field(pod, `status.${which}`) ?? []) as readonly ContainerStatus[];
}

function podReady(pod: KubeObject): string {
  const total = ((field(pod, 'spec.containers') ?? []) as readonly unknown[]).length;
  return `${statuses(pod).filter((status) => status.ready).length}/${total}`;
}

/** One word for a pod, as kubectl derives it: what keeps init containers, then what keeps containers, then the phase. */
function podState(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const init = initState(pod);
  if (init !== undefined) return init;
  for (const { state } of statuses(pod).toReversed()) {
    const reason = state?.waiting?.reason ?? state?.terminated?.reason;
    if (reason !== undefined) return reason;
  }
  return text('status.phase')(pod);
}

function initState(pod: KubeObject): string | undefined {
  const list = statuses(pod, 'initContainerStatuses');
  const at = list.findIndex(({ state }) => state?.terminated?.exitCode !== 0);
  if (at < 0 || field(pod, 'status.phase') !== 'Pending') return undefined;
  const { state } = list[at]!;
  const reason = state?.waiting?.reason ?? state?.terminated?.reason;
  const plain = reason === undefined || reason === 'PodInitializing' || reason === 'ContainerCreating';
  return plain ? `Init:${at}/${list.length}` : `Init:${reason}`;
}

/** `2 (35s ago)`. */
function restarts(pod: KubeObject, nowUs: number): string {
  const list = statuses(pod);
  const count = list.reduce((sum, status) => sum + status.restartCount, 0);
  const ends = list.flatMap(({ lastState }) => parseRfc3339(lastState?.terminated?.finishedAt ?? '') ?? []);
  return count === 0 || ends.length === 0 ? String(count) : `${count} (${ageText(nowUs - Math.max(...ends))} ago)`;
}

function count(path: string, fallback = 0): (object: KubeObject) => string {
  return (object) => String(field(object, path) ?? fallback);
}

function size(path: string): (object: KubeObject) => string {
  return (object) => String(Object.keys((field(object, path) ?? {}) as object).length);
}

function pairs(path: string): (object: KubeObject) => string {
  return (object) => {
    const entries = Object.entries((field(object, path) ?? {}) as Record<string, string>);
    return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(',');
  };
}

function list(path: string, show: (item: never) => string): (object: KubeObject) => string {
  return (object) => ((field(object, path) ?? []) as readonly never[]).map(show).join(',') || '<none>';
}

function csrState(request: KubeObject): string {
  const conditions = (field(request, 'status.conditions') ?? []) as readonly { type: string }[];
  const words = conditions.map(({ type }) => type);
  if (words.length === 0) words.push('Pending');
  if (field(request, 'status.certificate') !== undefined) words.push('Issued');
  return words.join(',');
}

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    name,
    { name: 'STATUS', of: nodeState },
    { name: 'ROLES', of: roles },
    age,
    { name: 'VERSION', of: text('status.nodeInfo.kubeletVersion') },
    { name: 'INTERNAL-IP', wide: true, of: internalIp },
    { name: 'EXTERNAL-IP', wide: true, of: () => '<none>' },
    { name: 'OS-IMAGE', wide: true, of: text('status.nodeInfo.osImage') },
    { name: 'KERNEL-VERSION', wide: true, of: text('status.nodeInfo.kernelVersion') },
    { name: 'CONTAINER-RUNTIME', wide: true, of: text('status.nodeInfo.containerRuntimeVersion') },
  ],
  pods: [
    name,
    { name: 'READY', of: podReady },
    { name: 'STATUS', of: podState },
    { name: 'RESTARTS', of: restarts },
    age,
    { name: 'IP', wide: true, of: text('status.podIP') },
    { name: 'NODE', wide: true, of: text('spec.nodeName') },
    { name: 'NOMINATED NODE', wide: true, of: () => '<none>' },
    { name: 'READINESS GATES', wide: true, of: () => '<none>' },
  ],
  namespaces: [name, { name: 'STATUS', of: text('status.phase') }, age],
  services: [
    name,
    { name: 'TYPE', of: text('spec.type') },
    { name: 'CLUSTER-IP', of: text('spec.clusterIP') },
    { name: 'EXTERNAL-IP', of: () => '<none>' },
    {
      name: 'PORT(S)',
      of: list('spec.ports', (port: { port: number; protocol?: string }) => `${port.port}/${port.protocol ?? 'TCP'}`),
    },
    age,
    { name: 'SELECTOR', wide: true, of: pairs('spec.selector') },
  ],
  deployments: [
    name,
    {
      name: 'READY',
      of: (object) => `${field(object, 'status.readyReplicas') ?? 0}/${field(object, 'spec.replicas') ?? 1}`,
    },
    { name: 'UP-TO-DATE', of: count('status.updatedReplicas') },
    { name: 'AVAILABLE', of: count('status.availableReplicas') },
    age,
  ],
  replicasets: [
    name,
    { name: 'DESIRED', of: count('spec.replicas', 1) },
    { name: 'CURRENT', of: count('status.replicas') },
    { name: 'READY', of: count('status.readyReplicas') },
    age,
  ],
  daemonsets: [
    name,
    { name: 'DESIRED', of: count('status.desiredNumberScheduled') },
    { name: 'CURRENT', of: count('status.currentNumberScheduled') },
    { name: 'READY', of: count('status.numberReady') },
    { name: 'UP-TO-DATE', of: count('status.updatedNumberScheduled') },
    { name: 'AVAILABLE', of: count('status.numberAvailable') },
    { name: 'NODE SELECTOR', of: pairs('spec.template.spec.nodeSelector') },
    age,
  ],
  configmaps: [name, { name: 'DATA', of: size('data') }, age],
  secrets: [name, { name: 'TYPE', of: text('type') }, { name: 'DATA', of: size('data') }, age],
  serviceaccounts: [name, { name: 'SECRETS', of: size('secrets') }, age],
  leases: [name, { name: 'HOLDER', of: text('spec.holderIdentity') }, age],
  endpointslices: [
    name,
    { name: 'ADDRESSTYPE', of: text('addressType') },
    { name: 'PORTS', of: list('ports', (port: { port: number }) => String(port.port)) },
    {
      name: 'ENDPOINTS',
      of: list('endpoints', (endpoint: { addresses: readonly string[] }) => endpoint.addresses.join(',')),
    },
    age,
  ],
  clusterroles: [name, { name: 'CREATED AT', of: text('metadata.creationTimestamp') }],
  roles: [name, { name: 'CREATED AT', of: text('metadata.creationTimestamp') }],
  clusterrolebindings: [name, { name: 'ROLE', of: roleOf }, age],
  rolebindings: [name, { name: 'ROLE', of: roleOf }, age],
  certificatesigningrequests: [
    name,
    age,
    { name: 'SIGNERNAME', of: text('spec.signerName') },
    { name: 'REQUESTOR', of: text('spec.username') },
    { name: 'REQUESTEDDURATION', of: text('spec.expirationSeconds') },
    { name: 'CONDITION', of: csrState },
  ],
};

function roleOf(binding: KubeObject): string {
  return `${text('roleRef.kind')(binding)}/${text('roleRef.name')(binding)}`;
}

export interface TableOptions {
  readonly wide: boolean;
  readonly namespaces: boolean;
  readonly headers: boolean;
  readonly labels: boolean;
  /** Put before names: `pod/`. */
  readonly prefix?: string;
}

/** Rows with their header, for one resource type. */
export function tableOf(
  type: ResourceType,
  objects: readonly KubeObject[],
  nowUs: number,
  options: TableOptions,
): string[][] {
  const { prefix } = options;
  const all = [
    ...(COLUMNS[type.resource] ?? [name, age]),
    { name: 'LABELS', labels: true, of: pairs('metadata.labels') },
  ];
  const columns = all.filter(
    (column) => (options.wide || !('wide' in column)) && (options.labels || !('labels' in column)),
  );
  const rows = objects.map((object) => {
    const cells = columns.map((column) => column.of(object, nowUs));
    if (prefix !== undefined) cells[0] = `${prefix}/${cells[0]}`;
    return options.namespaces ? [object.metadata.namespace ?? '', ...cells] : cells;
  });
  const header = [...(options.namespaces ? ['NAMESPACE'] : []), ...columns.map((column) => column.name)];
  return options.headers ? [header, ...rows] : rows;
}

/** Ages as kubectl prints them: `45s`, `3m5s`, `12m`, `5h30m`, `2d4h`. */
export function ageText(us: number): string {
  const seconds = Math.max(0, Math.floor(us / 1_000_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 8 && hours % 24 !== 0 ? `${days}d${hours % 24}h` : `${days}d`;
}
