import { MachineService, StorageService, TimeService } from '../../../api/machine/services.ts';
import type { HandlerEntry } from '../../../platform/rpc.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { Machine } from '../../machine.ts';
import { etcdHandlers } from './etcd.ts';
import { inspectHandlers } from './inspect.ts';
import { lifecycleHandlers } from './lifecycle.ts';
import { observeHandlers } from './observe.ts';
import { serviceControlHandlers } from './services.ts';
import { disksAnswer } from './storage.ts';
import { timeAnswer } from './time.ts';

/** The machine, inspect, storage and time services. */
export function machineHandlers(machine: Machine): readonly HandlerEntry[] {
  return [
    ...serviceHandlers(MachineService, {
      ...lifecycleHandlers(machine),
      ...serviceControlHandlers(machine),
      ...observeHandlers(machine),
      ...etcdHandlers(machine),
    }),
    ...inspectHandlers(machine),
    ...serviceHandlers(StorageService, {
      *Disks() {
        return disksAnswer(machine);
      },
    }),
    ...serviceHandlers(TimeService, {
      *Time() {
        return yield* timeAnswer(machine, undefined);
      },
      *TimeCheck(request) {
        return yield* timeAnswer(machine, request.server);
      },
    }),
  ];
}
