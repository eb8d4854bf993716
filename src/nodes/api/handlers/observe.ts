import type { MachineService } from '../../../api/machine/services.ts';
import type { Implementation } from '../../../rpc/service.ts';
import type { Machine } from '../../machine.ts';
import { pullImage } from '../../services/images.ts';
import { containersAnswer, restartContainer } from './containers.ts';
import { listFiles, readFile } from './files.ts';
import { kubeconfigArchive } from './kubeconfig.ts';
import { streamDmesg, streamEvents, streamLogs } from './streams.ts';

type Methods = Pick<
  Implementation<typeof MachineService>,
  | 'Logs'
  | 'LogsContainers'
  | 'Dmesg'
  | 'Events'
  | 'Memory'
  | 'LoadAvg'
  | 'Containers'
  | 'Restart'
  | 'Kubeconfig'
  | 'ImagePull'
  | 'Read'
  | 'List'
>;

/** Logs, events, numbers and files. */
export function observeHandlers(machine: Machine): Methods {
  return {
    *Logs(stream) {
      yield* streamLogs(machine, stream);
    },
    *Dmesg(stream) {
      yield* streamDmesg(machine, stream);
    },
    *Events(stream) {
      yield* streamEvents(machine, stream);
    },
    *Read(stream) {
      yield* readFile(machine, stream);
    },
    *List(stream) {
      yield* listFiles(machine, stream);
    },
    *LogsContainers() {
      return { messages: [{ metadata: null, ids: machine.serviceLogs.ids() }] };
    },
    *Memory() {
      return { messages: [{ metadata: null, meminfo: memoryOf(machine) }] };
    },
    *LoadAvg() {
      return { messages: [{ metadata: null, load1: 0.1, load5: 0.1, load15: 0.1 }] };
    },
    *Containers(request) {
      return containersAnswer(machine, request.namespace);
    },
    *Restart(request) {
      restartContainer(machine, request.namespace, request.id);
      return { messages: [{ metadata: null }] };
    },
    *ImagePull(request) {
      yield* pullImage(machine, request.reference);
      return { messages: [{ metadata: null }] };
    },
    *Kubeconfig(stream) {
      stream.send({ metadata: null, bytes: kubeconfigArchive(machine) });
    },
  };
}

/** A fifth in use, in kB as /proc/meminfo counts: nothing in the simulation uses memory. */
function memoryOf(machine: Machine) {
  const memtotal = Math.floor(machine.platform.hardware.memoryBytes / 1024);
  const used = Math.floor(memtotal / 5);
  return { memtotal, memfree: memtotal - used, memavailable: memtotal - used, buffers: 0, cached: 0, shmem: 0 };
}
