import type { Task } from '../../../platform/task.ts';
import type { Machine } from '../../machine.ts';
import { forever } from '../../services/builtin/plain.ts';

/** Never returns: the machine is gone before. */
export function* rebootMachine(machine: Machine, mode: 'default' | 'powercycle'): Task<void> {
  machine.events.publish({ type: 'RestartEvent', cmd: 0x1234567 });
  machine.kmsg.talos('rebooting');
  machine.platform.power.reboot(mode);
  yield* forever();
}

/** Never returns. */
export function* shutDownMachine(machine: Machine): Task<void> {
  machine.events.publish({ type: 'RestartEvent', cmd: 0x4321fedc });
  machine.kmsg.talos('shutting down');
  machine.platform.power.shutdown();
  yield* forever();
}
