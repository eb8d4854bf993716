import type { Controller } from '../../../cosi/index.ts';
import { passController, weak } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { MachineConfigs, PERSISTENT_CONFIG } from '../../resources/config.ts';
import { MountStatuses } from '../../resources/runtime.ts';
import { STATE_PATH } from '../../storage/volumes.ts';

export const CONFIG_FILE = `${STATE_PATH}/config.yaml`;

/** Writes the persistent config to the STATE volume as soon as it is mounted. */
export function persistenceController(machine: Machine): Controller {
  return passController({
    name: 'config.PersistenceController',
    inputs: [weak(MachineConfigs, PERSISTENT_CONFIG), weak(MountStatuses, 'STATE')],
    outputs: [],
    pass: function* (context) {
      const config = context.get(MachineConfigs, PERSISTENT_CONFIG);
      if (config === undefined || context.get(MountStatuses, 'STATE') === undefined) return;
      if ((yield* machine.files.read(CONFIG_FILE)) !== config.spec.yaml) {
        yield* machine.files.writeDurably(CONFIG_FILE, config.spec.yaml);
      }
      machine.persistedConfig = config.spec.yaml;
      machine.changed.notify();
    },
  });
}
