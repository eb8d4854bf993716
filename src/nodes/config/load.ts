import { type Config, legacyOf, loadConfig } from '../../config/config.ts';
import { NodeError } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import type { MachineConfigSpec } from '../resources/config.ts';
import { readSettings } from './read.ts';

/** A loaded machine config with what this machine takes from it. */
export interface LoadedConfig {
  readonly config: Config;
  readonly spec: MachineConfigSpec;
  readonly warnings: readonly string[];
}

/** NodeError with the loader's own text when the config cannot be read. */
export function loadMachineConfig(yaml: string, profile: Profile): LoadedConfig {
  const result = loadConfig(yaml);
  if ('errors' in result) throw new NodeError(result.toolError);
  const document = legacyOf(result.config);
  if (document === undefined) throw new NodeError('config is not complete: no v1alpha1 document');
  return { config: result.config, spec: { yaml, settings: readSettings(document, profile) }, warnings: [] };
}
