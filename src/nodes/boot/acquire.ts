import { isDefect, waitFor } from '../../cosi/index.ts';
import type { Task } from '../../platform/task.ts';
import { activateConfig, persistConfig } from '../config/active.ts';
import { loadMachineConfig } from '../config/load.ts';
import { CONFIG_FILE } from '../controllers/config/persistence.ts';
import { errorText, NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { serveMaintenance } from '../maintenance/server.ts';
import { MAINTENANCE_CONFIG, type MachineConfigSpec, MachineConfigs } from '../resources/config.ts';
import { mountSystemVolume } from '../storage/volumes.ts';

/** Gets the machine its config: from the STATE volume, else from whoever applies one (reference/v1.11.3.md 5). */
export function* acquireConfig(machine: Machine): Task<void> {
  const stored = yield* fromDisk(machine);
  if (stored !== undefined) {
    activateConfig(machine, stored, 'disk');
    persistConfig(machine, stored);
    return;
  }
  const uploaded = yield* fromMaintenance(machine);
  activateConfig(machine, uploaded, 'maintenance');
  persistConfig(machine, uploaded);
}

function* fromDisk(machine: Machine): Task<MachineConfigSpec | undefined> {
  if (!(yield* mountSystemVolume(machine, 'STATE'))) return undefined;
  const yaml = yield* machine.files.read(CONFIG_FILE);
  if (yaml === undefined) return undefined;
  try {
    machine.kmsg.talos('machine configuration loaded from STATE');
    return loadMachineConfig(yaml, machine.profile);
  } catch (error) {
    if (isDefect(error) || !(error instanceof NodeError)) throw error;
    machine.events.publish({ type: 'ConfigLoadErrorEvent', error: errorText(error) });
    machine.kmsg.talos(`failed to load machine configuration: ${errorText(error)}`);
    return undefined;
  }
}

function* fromMaintenance(machine: Machine): Task<MachineConfigSpec> {
  const { events, state } = machine;
  events.publish({ type: 'TaskEvent', task: 'runningMaintenance', action: 'START' });
  machine.kmsg.talos('entering maintenance service');
  const close = yield* serveMaintenance(machine);
  const config = yield* waitFor(state, MachineConfigs, MAINTENANCE_CONFIG, (resource) => resource !== undefined);
  // The answer to whoever applied it has to leave first.
  yield* machine.platform.clock.sleep(machine.draw('maintenance-close', machine.profile.timings.bootTask));
  close();
  events.publish({ type: 'TaskEvent', task: 'runningMaintenance', action: 'STOP' });
  return config!.spec;
}
