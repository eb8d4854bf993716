import type { ContainerInfo } from '../../../platform/containers.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';

/** Containers of a namespace; etcd and the kubelet are in none that this call shows (reference/lifecycle-api-cli.md B.4). */
export function containersAnswer(machine: Machine, namespace: string) {
  const shown =
    namespace === 'k8s.io'
      ? machine.platform.containers.list('k8s.io').map(podContainer)
      : ['apid', 'trustd']
          .filter((id) => machine.services.find(id)?.state === 'Running')
          .map((id) => ({ ...EMPTY, namespace: 'system', id, podId: id, name: id, status: 'RUNNING' }));
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

function podContainer(info: ContainerInfo) {
  return {
    ...EMPTY,
    namespace: info.namespace,
    id: info.id,
    image: info.image,
    pid: info.pid,
    status: info.state === 'exited' ? 'CONTAINER_EXITED' : 'CONTAINER_RUNNING',
    podId: info.id.split(':')[0] ?? info.id,
    name: info.id,
  };
}

/** SIGTERM to the container's main process. */
export function restartContainer(machine: Machine, namespace: string, id: string): void {
  const container = machine.platform.containers.find(namespace, id);
  if (container === undefined) throw new NodeError(`container "${id}" not found`);
  container.signal('SIGTERM');
}
