import type { Controller } from '../../../cosi/index.ts';
import { weak } from '../../../cosi/index.ts';
import { fallbackPending, showMeta } from '../../boot/sequences/initialize.ts';
import type { Machine } from '../../machine.ts';
import { MachineStatuses } from '../../resources/runtime.ts';
import { META_UPGRADE } from '../../storage/meta.ts';

/** An upgrade is confirmed when the machine is first running and ready: there is nothing to fall back to any more. */
export function dropUpgradeFallbackController(machine: Machine): Controller {
  return {
    name: 'runtime.DropUpgradeFallbackController',
    inputs: [weak(MachineStatuses, 'machine')],
    outputs: [],
    *run(context) {
      for (;;) {
        yield* context.wakeUp();
        const status = context.get(MachineStatuses, 'machine')?.spec;
        if (status?.stage !== 'running' || !status.status.ready) continue;
        if (!fallbackPending(machine)) return;
        machine.kmsg.talos('removing fallback entry');
        machine.meta.delete(META_UPGRADE);
        yield* machine.meta.flush();
        showMeta(machine);
        return;
      }
    },
  };
}
