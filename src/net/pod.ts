import type { Net } from '../platform/net.ts';
import type { SocketOwner } from './deps.ts';
import type { Namespace } from './namespace.ts';
import { processNet, SocketProcess } from './process.ts';
import { SocketApi } from './socket-api.ts';
import type { PodControl, ProcessNet } from './types.ts';

/** A pod sandbox for the simulation's kernel; `remove` takes its namespace out of the machine. */
export function podControl(namespace: Namespace, address: string, remove: () => void): PodControl {
  return {
    address,
    remove,
    openProcess: (owner: SocketOwner): ProcessNet<Net> => {
      const process = new SocketProcess(owner, namespace);
      namespace.kernel.processes.add(process);
      return processNet<Net>(process, new SocketApi(process));
    },
  };
}
