import { type Config, loadConfig } from '../../config/index.ts';
import type { Reader } from '../../cosi/index.ts';
import { Bug } from '../../platform/errors.ts';
import { configApplied } from '../events.ts';
import type { Machine } from '../machine.ts';
import { ACTIVE_CONFIG, type MachineConfigSpec, MachineConfigs, PERSISTENT_CONFIG } from '../resources/config.ts';
import { isControlPlane, type NodeSettings } from './settings.ts';

/** The active config, decoded again; undefined before there is one. */
export function activeConfig(machine: Machine): Config | undefined {
  const active = machine.state.get(MachineConfigs, ACTIVE_CONFIG);
  if (active === undefined) return undefined;
  const loaded = loadConfig(active.spec.yaml);
  if ('errors' in loaded) throw new Bug(`the active config does not load: ${loaded.toolError}`);
  return loaded.config;
}

/** Settings of the active config; undefined before there is one. */
export function activeSettings(reader: Pick<Reader, 'get'>): NodeSettings | undefined {
  return reader.get(MachineConfigs, ACTIVE_CONFIG)?.spec.settings;
}

/** Settings of the active config of a control plane; undefined on workers and before there is a config. */
export function controlPlaneSettings(reader: Pick<Reader, 'get'>): NodeSettings | undefined {
  const settings = activeSettings(reader);
  return settings !== undefined && isControlPlane(settings.machineType) ? settings : undefined;
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
