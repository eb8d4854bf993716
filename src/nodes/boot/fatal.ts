import { isDefect } from '../../cosi/index.ts';
import type { Task } from '../../platform/task.ts';
import { errorText } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { META_UPGRADE } from '../storage/meta.ts';
import { fallbackPending } from './sequences/initialize.ts';
import { rebootMachine, shutDownMachine } from './tasks/power.ts';
import { revertBootloader } from './tasks/upgrade.ts';

const COUNTDOWN = 10;

/**
 * A sequence failed for good: services down, the boot loader back if an upgrade is not confirmed, reboot,
 * or power off where that was asked for (reference/v1.11.3.md 6.3).
 */
export function* fatal(machine: Machine, error: unknown): Task<void> {
  const { kmsg, services, platform, meta } = machine;
  kmsg.talos(`fatal sequencer error: ${errorText(error)}`);
  yield* services.shutdown();
  if (fallbackPending(machine)) {
    try {
      yield* revertBootloader(machine);
      meta.delete(META_UPGRADE);
      yield* meta.flush();
    } catch (failure) {
      if (isDefect(failure)) throw failure;
      kmsg.talos(`failed to revert bootloader: ${errorText(failure)}`);
    }
  }
  for (let left = COUNTDOWN; left >= 0; left--) {
    kmsg.talos(`rebooting in ${left} seconds`);
    yield* platform.clock.sleep(1_000_000);
  }
  if (machine.shuttingDown) yield* shutDownMachine(machine);
  yield* rebootMachine(machine, 'default');
}
