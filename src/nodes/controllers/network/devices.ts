import { at, flagAt, textAt } from '../../../config/view.ts';
import type { Reader } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import type { InterfaceSettings } from '../../config/settings.ts';
import { LinkStatuses, type LinkStatusSpec } from '../../resources/network.ts';

/** An entry of `machine.network.interfaces` with the link it applies to. */
export interface Device {
  readonly link: string;
  readonly settings: InterfaceSettings;
}

/** Devices of the active config, selectors expanded to links: every given key must match (reference/network-config.md D.3). */
export function configuredDevices(context: Reader): readonly Device[] {
  const settings = activeSettings(context);
  if (settings === undefined) return [];
  const links = context.list(LinkStatuses);
  const devices: Device[] = [];
  for (const entry of settings.machine.network.interfaces) {
    if (entry.selector === null) {
      if (entry.name !== '') devices.push({ link: entry.name, settings: entry });
      continue;
    }
    for (const link of links) {
      if (selects(entry.selector, link.spec)) devices.push({ link: link.metadata.id, settings: entry });
    }
  }
  return devices;
}

function selects(selector: NonNullable<InterfaceSettings['selector']>, link: LinkStatusSpec): boolean {
  const mac = textAt(selector, 'hardwareAddr') || textAt(selector, 'permanentAddr');
  if (mac !== '' && !globMatches(mac.toLowerCase(), link.hardwareAddr.toLowerCase())) return false;
  const physical = at(selector, 'physical');
  if (physical !== undefined && (flagAt(physical) ?? false) !== link.physical) return false;
  // What the platform does not show of a link cannot match.
  return ['pciID', 'driver', 'busPath'].every((key) => textAt(selector, key) === '');
}

function globMatches(pattern: string, value: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(value);
}
