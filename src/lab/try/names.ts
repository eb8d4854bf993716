import { ipBytes } from '../../platform/x509/ip.ts';
import type { Placement } from './layout.ts';
import type { TriedConfig } from './tried-config.ts';

/** Endpoints that are names, each with the addresses of the control planes that say it: what a DNS server would hold. */
export function endpointNames(
  configs: readonly TriedConfig[],
  places: readonly Placement[],
): Readonly<Record<string, readonly string[]>> {
  const names: Record<string, string[]> = {};
  configs.forEach(({ settings }, index) => {
    const { host } = settings.cluster.endpoint;
    if (settings.machineType === 'worker' || host === 'localhost' || ipBytes(host) !== null) return;
    names[host] = [...(names[host] ?? []), places[index]!.address];
  });
  return names;
}
