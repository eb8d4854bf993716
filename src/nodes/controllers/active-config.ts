import type { Resource } from '../../cosi/index.ts';
import { isControlPlane, type NodeSettings } from '../config/settings.ts';
import { ACTIVE_CONFIG, type MachineConfigSpec } from '../resources/config.ts';

/** Maps the active machine config to `id`. */
export function fromActiveConfig(id: string): (config: Resource<MachineConfigSpec>) => string | undefined {
  return (config) => (config.metadata.id === ACTIVE_CONFIG ? id : undefined);
}

/** Maps the active machine config of a control plane to `id`. */
export function fromControlPlaneConfig(
  id: string,
  gate: (settings: NodeSettings) => boolean = () => true,
): (config: Resource<MachineConfigSpec>) => string | undefined {
  return (config) => {
    const { settings } = config.spec;
    const applies = config.metadata.id === ACTIVE_CONFIG && isControlPlane(settings.machineType) && gate(settings);
    return applies ? id : undefined;
  };
}

/** Shared virtual addresses of a config, in its order. */
export function virtualAddresses(settings: NodeSettings): readonly string[] {
  return settings.machine.network.interfaces.map((device) => device.vip).filter((vip) => vip !== '');
}
