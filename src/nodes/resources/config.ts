import { resourceKind } from '../../cosi/index.ts';
import type { MachineType, NodeSettings } from '../config/settings.ts';

export interface MachineConfigSpec {
  /** All documents as text. */
  readonly yaml: string;
  readonly settings: NodeSettings;
}

/** Ids: `v1alpha1` (active), `persistent` (on the STATE volume), `maintenance` (uploaded). */
export const MachineConfigs = resourceKind<MachineConfigSpec>('config', 'MachineConfigs.config.talos.dev', {
  sensitive: true,
});
export const ACTIVE_CONFIG = 'v1alpha1';
export const PERSISTENT_CONFIG = 'persistent';
export const MAINTENANCE_CONFIG = 'maintenance';

/** Id `machine-type`. */
export const MachineTypes = resourceKind<MachineType>('config', 'MachineTypes.config.talos.dev', {
  columns: [{ name: 'Type', jsonPath: '{@}' }],
});
export const MACHINE_TYPE = 'machine-type';
