import { transformController } from '../../../cosi/index.ts';
import { MACHINE_TYPE, MachineConfigs, MachineTypes } from '../../resources/config.ts';
import { fromActiveConfig } from '../active-config.ts';

/** What this machine is. */
export const machineTypeController = transformController({
  name: 'config.MachineTypeController',
  input: MachineConfigs,
  output: MachineTypes,
  map: fromActiveConfig(MACHINE_TYPE),
  compute: (config) => config.spec.settings.machineType,
});
