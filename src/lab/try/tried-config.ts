import { type Config, legacyOf } from '../../config/config.ts';
import type { ConfigObject } from '../../config/schema/types.ts';
import { objectAt } from '../../config/view.ts';
import { specOf } from '../../nodes/config/load.ts';
import type { NodeSettings } from '../../nodes/config/settings.ts';
import { TALOS_V1_11_3 } from '../../nodes/profile/v1_11_3.ts';

/** A whole config that is to be tried. */
export interface TriedConfig {
  /** What the machine is called here: its host name, or one made from its type. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly legacy: ConfigObject;
  /** `machine.install` as written. */
  readonly install: ConfigObject | undefined;
  readonly settings: NodeSettings;
}

/** Undefined when there is no v1alpha1 document: such a file is no whole config. */
export function triedConfig(config: Config, taken: ReadonlySet<string>): TriedConfig | undefined {
  const legacy = legacyOf(config);
  if (legacy === undefined) return undefined;
  const { settings } = specOf(config, TALOS_V1_11_3);
  const hostname = settings.machine.network.hostname.split('.', 1)[0]!.toLowerCase();
  const role = settings.machineType === 'worker' ? 'worker' : 'cp';
  const isUsable = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(hostname) && !taken.has(hostname);
  const name = isUsable ? hostname : freeName(role, taken);
  const install = objectAt(legacy, 'machine', 'install');
  return { name, file: config.file, text: config.text, legacy, install, settings };
}

function freeName(role: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) if (!taken.has(`${role}-${n}`)) return `${role}-${n}`;
}
