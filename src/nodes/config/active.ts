import { type Config, loadConfig } from '../../config/index.ts';
import { Bug } from '../../platform/errors.ts';
import { configApplied } from '../events.ts';
import type { Machine } from '../machine.ts';
import { ACTIVE_CONFIG, type MachineConfigSpec, MachineConfigs, PERSISTENT_CONFIG } from '../resources/config.ts';

/** The active config, decoded again; undefined before there is one. */
export function activeConfig(machine: Machine): Config | undefined {
  const active = machine.state.get(MachineConfigs, ACTIVE_CONFIG);
  if (active === undefined) return undefined;
  const loaded = loadConfig(active.spec.yaml);
  if ('errors' in loaded) throw new Bug(`the active config does not load: ${loaded.toolError}`);
  return loaded.config;
}

/** From now on the machine does what this config says. `source`: where it came from. */
export function activateConfig(machine: Machine, spec: MachineConfigSpec, source: string): void {
  machine.state.modify(MachineConfigs, ACTIVE_CONFIG, () => spec);
  machine.platform.log.event(configApplied, { source, machineType: spec.settings.machineType });
}

/** The config is to be on the STATE volume; a controller writes it there. */
export function persistConfig(machine: Machine, spec: MachineConfigSpec): void {
  machine.state.modify(MachineConfigs, PERSISTENT_CONFIG, () => spec);
}
