import { type Config, documentsOf, legacyOf, loadConfig } from '../../config/config.ts';
import { NodeError } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import type { MachineConfigSpec } from '../resources/config.ts';
import { readSettings } from './read.ts';

/** What a machine takes from the text of a config. NodeError with the loader's own words when it cannot be read. */
export function loadMachineConfig(yaml: string, profile: Profile): MachineConfigSpec {
  const result = loadConfig(yaml);
  if ('errors' in result) throw new NodeError(result.toolError);
  return specOf(result.config, profile);
}

/** What a machine takes from a config that was loaded already. */
export function specOf(config: Config, profile: Profile): MachineConfigSpec {
  const document = legacyOf(config);
  if (document === undefined) throw new NodeError('config is not complete: no v1alpha1 document');
  const kubeSpanEndpoints = documentsOf(config, 'KubeSpanEndpointsConfig');
  return { yaml: config.text, settings: readSettings(document, profile, kubeSpanEndpoints) };
}
