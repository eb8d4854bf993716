import { toHex, utf8Encode } from '../../../platform/bytes.ts';
import type { Container, ContainerInfo } from '../../../platform/containers.ts';
import { sha256 } from '../../../platform/hash.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';

const CRI_NAMESPACE = 'k8s.io';
/** apid and trustd run inside machined here. */
const MACHINED_PID = 1;

/** Containers of a namespace; etcd and the kubelet are in none that this call shows (reference/lifecycle-api-cli.md B.4). */
export function containersAnswer(machine: Machine, namespace: string) {
  const shown = namespace === CRI_NAMESPACE ? podRows(machine) : systemRows(machine);
  return { messages: [{ metadata: null, containers: shown }] };
}

const EMPTY = Object.freeze({
  namespace: '',
  id: '',
  image: '',
  pid: 0,
  status: '',
  podId: '',
  name: '',
  networkNamespace: '',
  internalId: '',
  uid: '',
});

function systemRows(machine: Machine) {
  return ['apid', 'trustd']
    .filter((id) => machine.services.find(id)?.state === 'Running')
    .map((id) => ({
      ...EMPTY,
      namespace: 'system',
      id,
      podId: id,
      name: id,
      image: `talos/${id}`,
      pid: MACHINED_PID,
      status: 'RUNNING',
    }));
}

/** Each pod as its sandbox, which is no process here, and its containers. */
function podRows(machine: Machine) {
  const pods = new Map<string, ContainerInfo[]>();
  for (const info of machine.platform.containers.list(CRI_NAMESPACE)) {
    const pod = podOf(info);
    pods.set(pod, [...(pods.get(pod) ?? []), info]);
  }
  return [...pods].flatMap(([pod, members]) => {
    const ready = members.some(({ state }) => state !== 'exited');
    const sandbox = {
      ...EMPTY,
      namespace: CRI_NAMESPACE,
      id: pod,
      podId: pod,
      name: pod,
      image: machine.profile.images.pause,
      status: ready ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY',
    };
    return [sandbox, ...members.map((info) => containerRow(pod, info))];
  });
}

function containerRow(pod: string, info: ContainerInfo) {
  const exited = info.state === 'exited';
  return {
    ...EMPTY,
    namespace: CRI_NAMESPACE,
    id: criId(info),
    podId: pod,
    name: nameOf(info),
    image: info.image,
    pid: exited ? 0 : info.pid,
    status: exited ? 'CONTAINER_EXITED' : 'CONTAINER_RUNNING',
  };
}

function podOf({ id, labels = {} }: ContainerInfo): string {
  const { 'io.kubernetes.pod.namespace': namespace, 'io.kubernetes.pod.name': name } = labels;
  return namespace === undefined || name === undefined ? id : `${namespace}/${name}`;
}

function nameOf({ id, labels = {} }: ContainerInfo): string {
  return labels['io.kubernetes.container.name'] ?? id;
}

/** `namespace/pod:container:hash`; another start of the same container has another hash. */
function criId(info: ContainerInfo): string {
  const hash = toHex(sha256(utf8Encode(`${info.id} ${info.pid} ${info.startedAtUs}`))).slice(0, 12);
  return `${podOf(info)}:${nameOf(info)}:${hash}`;
}

/** The container that a caller means: in `k8s.io` by `namespace/pod:container`, with or without its hash. */
export function findContainer(machine: Machine, namespace: string, id: string): Container | undefined {
  const { containers } = machine.platform;
  if (namespace !== CRI_NAMESPACE) return containers.find(namespace, id);
  const meant = containers
    .list(CRI_NAMESPACE)
    .find((info) => criId(info) === id || `${podOf(info)}:${nameOf(info)}` === id || info.id === id);
  return meant === undefined ? undefined : containers.find(CRI_NAMESPACE, meant.id);
}

/** SIGTERM to the container's main process. */
export function restartContainer(machine: Machine, namespace: string, id: string): void {
  const container = findContainer(machine, namespace, id);
  if (container === undefined) throw new NodeError(`container "${id}" not found`);
  container.signal('SIGTERM');
}
