import { isReady } from '../../kube/objects/conditions.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import type { ResourceType } from '../../kube/objects/resources.ts';
import { parseRfc3339 } from '../../kube/objects/time.ts';

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
  const addresses = (field(node, 'status.addresses') ?? []) as readonly { type: string; address: string }[];
  return addresses.find((entry) => entry.type === 'InternalIP')?.address ?? '<none>';
}

interface ContainerStatus {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

function statuses(pod: KubeObject): readonly ContainerStatus[] {
  return (field(pod, 'status.containerStatuses') ?? []) as readonly ContainerStatus[];
}

function podReady(pod: KubeObject): string {
  const total = ((field(pod, 'spec.containers') ?? []) as readonly unknown[]).length;
  return `${statuses(pod).filter((status) => status.ready).length}/${total}`;
}

function podState(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = statuses(pod).find((status) => status.state?.waiting?.reason !== undefined)?.state?.waiting?.reason;
  return waiting ?? text('status.phase')(pod);
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
    { name: 'RESTARTS', of: (pod) => String(statuses(pod).reduce((sum, status) => sum + status.restartCount, 0)) },
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
      of: (service) =>
        ((field(service, 'spec.ports') ?? []) as readonly { port: number; protocol: string }[])
          .map((port) => `${port.port}/${port.protocol}`)
          .join(','),
    },
    age,
  ],
  deployments: [
    name,
    {
      name: 'READY',
      of: (object) => `${field(object, 'status.readyReplicas') ?? 0}/${field(object, 'spec.replicas') ?? 1}`,
    },
    { name: 'UP-TO-DATE', of: (object) => String(field(object, 'status.updatedReplicas') ?? 0) },
    { name: 'AVAILABLE', of: (object) => String(field(object, 'status.availableReplicas') ?? 0) },
    age,
  ],
  daemonsets: [
    name,
    { name: 'DESIRED', of: (object) => String(field(object, 'status.desiredNumberScheduled') ?? 0) },
    { name: 'CURRENT', of: (object) => String(field(object, 'status.currentNumberScheduled') ?? 0) },
    { name: 'READY', of: (object) => String(field(object, 'status.numberReady') ?? 0) },
    { name: 'AVAILABLE', of: (object) => String(field(object, 'status.numberAvailable') ?? 0) },
    age,
  ],
  leases: [name, { name: 'HOLDER', of: text('spec.holderIdentity') }, age],
  certificatesigningrequests: [
    name,
    age,
    { name: 'SIGNERNAME', of: text('spec.signerName') },
    { name: 'REQUESTOR', of: text('spec.username') },
    {
      name: 'CONDITION',
      of: (object) => (field(object, 'status.certificate') === undefined ? 'Pending' : 'Approved,Issued'),
    },
  ],
};

/** Rows with their header, for one resource type. */
export function tableOf(
  type: ResourceType,
  objects: readonly KubeObject[],
  nowUs: number,
  options: { readonly wide: boolean; readonly namespaces: boolean; readonly headers: boolean },
): string[][] {
  const columns = (COLUMNS[type.resource] ?? [name, age]).filter((column) => options.wide || column.wide !== true);
  const rows = objects.map((object) => {
    const cells = columns.map((column) => column.of(object, nowUs));
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
